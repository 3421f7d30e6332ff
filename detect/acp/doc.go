// Package acp reads the Agent Client Protocol (agentclientprotocol.com, versions
// 1 and 2) as it passes between an editor and an agent, and says what the agent
// does: newline-delimited JSON-RPC 2.0 in both directions.
//
// It only listens. A [Tap] gets a copy of the bytes, in pieces of any size, and
// keeps a bounded part of them; what it cannot read it leaves out.
//
// It must not know pipes or processes.
package acp
