// Package report understands the agent's own word: OSC 7501 records that come
// with its output, the payloads of hooks and notify programs, status files,
// and the plain words of scripts. Each becomes a [detect.Report].
//
// All of it is untrusted. An agent can be made to print anything, and whoever
// may write to the terminal or the report socket can forge a report. So every
// length is bounded, what breaks a rule of its protocol is dropped whole, text
// is only ever shown, and what a report can do is limited by the order of the
// sources in package detect: it cannot hide a prompt that is on the screen.
//
// The package reads no files and no clock. It must not know how reports travel
// nor what is done with them.
package report
