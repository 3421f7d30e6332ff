package realagent

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"testing"
)

// mcpEnv makes the test binary an MCP server, so that the agent can start one
// without another program.
const mcpEnv = "FWRAP_TEST_MCP"

// mcpConfig is the value of Claude Code's --mcp-config for a server "demo".
func mcpConfig(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"demo": map[string]any{"command": exe, "env": map[string]string{mcpEnv: "1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// askID is the id of the server's own request to the client.
const askID = 9001

// serveMCP speaks the Model Context Protocol over stdio: a tool "echo", and a
// tool "ask" that sends the client an elicitation request, by which the client
// has to ask the person.
func serveMCP(in io.Reader, out io.Writer) {
	enc := json.NewEncoder(out)
	reply := func(id, result any) {
		enc.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	}
	text := func(s string) any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
	}
	var asking any // the id of the tool call that waits for the person
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var m struct {
			ID     any
			Method string
			Params struct {
				Name            string
				Arguments       json.RawMessage
				ProtocolVersion string
			}
			Result json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		id, isNumber := m.ID.(float64)
		switch {
		case m.Method == "initialize":
			reply(m.ID, map[string]any{"protocolVersion": m.Params.ProtocolVersion,
				"capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo":   map[string]any{"name": "demo", "version": "1"}})
		case m.Method == "tools/list":
			object := map[string]any{"type": "object", "properties": map[string]any{}}
			reply(m.ID, map[string]any{"tools": []any{
				map[string]any{"name": "echo", "description": "Echo a text", "inputSchema": map[string]any{
					"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}}},
				map[string]any{"name": "ask", "description": "Ask the user", "inputSchema": object}}})
		case m.Method == "tools/call" && m.Params.Name == "ask":
			asking = m.ID
			enc.Encode(map[string]any{"jsonrpc": "2.0", "id": askID, "method": "elicitation/create", "params": map[string]any{
				"message": "Which environment should be deployed?",
				"requestedSchema": map[string]any{"type": "object", "required": []string{"env"}, "properties": map[string]any{
					"env":     map[string]any{"type": "string", "title": "Environment", "enum": []string{"staging", "production"}},
					"confirm": map[string]any{"type": "boolean", "title": "Confirm"}}}}})
		case m.Method == "tools/call":
			reply(m.ID, text("echo: "+string(m.Params.Arguments)))
		case m.Method == "" && isNumber && id == askID:
			reply(asking, text(string(m.Result)))
		case m.Method != "" && m.ID != nil:
			reply(m.ID, map[string]any{})
		}
	}
}
