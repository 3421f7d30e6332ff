// Package mockapi is a stand-in for the models' APIs, so that real agents can be
// driven through every situation that fwrap has to recognise, on the loopback
// interface and without a model: Anthropic's Messages for Claude Code, OpenAI's
// Responses for Codex, OpenAI's chat completions and Gemini's for the others.
//
// The newest user prompt names the scenario: the word SCN:name anywhere in
// it. How many assistant turns follow that prompt is the step. A scenario is
// a function from the step to the blocks of the answer: text, thinking, tool
// calls, pauses, gates that the test opens, errors of the API.
//
// Requests that are no turn of the conversation (a title for the session, a
// summary for /compact) are told apart by what they carry and answered so
// that the client is content.
//
// Only the Messages API's scenarios know their client's tools by name. Those of
// the other APIs, names that begin with any_, ask for a tool by what it does and
// fill in what the client says that it takes.
package mockapi
