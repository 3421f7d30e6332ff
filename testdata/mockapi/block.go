package mockapi

import "time"

// A Block is one thing that an answer does. Blocks come in the order given.
type Block interface{ block() }

// Text is streamed word by word at Rate characters a second; 0 means 400.
type Text struct {
	S    string
	Rate int
}

// Thinking is a thinking block, streamed like [Text]; a Rate of 0 means 60.
type Thinking struct {
	S    string
	Rate int
}

// Tool is a tool call with the input that the tool is to get.
type Tool struct {
	Name  string
	Input map[string]any
}

// Pause sends nothing for a while. The connection is kept alive by pings, as
// the real API does during long silences.
type Pause time.Duration

// Gate sends nothing until the test calls [Server.Open] with this name, so
// that a test can hold the agent in the middle of a turn without guessing
// how long its machine needs.
type Gate string

// Error answers with an error instead of a stream. It must be the first block.
type Error struct {
	Status     int    // of HTTP
	Type       string // as the API names it, "overloaded_error"
	Message    string
	RetryAfter time.Duration // the retry-after header, in whole seconds; 0: none
}

// Drop cuts the connection in the middle of the stream.
type Drop struct{}

func (Text) block()     {}
func (Thinking) block() {}
func (Tool) block()     {}
func (Pause) block()    {}
func (Gate) block()     {}
func (Error) block()    {}
func (Drop) block()     {}
