// Package mockapi is a stand-in for Anthropic's Messages API, so that the
// real Claude Code can be driven through every situation that fwrap has to
// recognise, on the loopback interface and without a model.
//
// The newest user prompt names the scenario: the word SCN:name anywhere in
// it. How many assistant turns follow that prompt is the step. A scenario is
// a function from the step to the blocks of the answer: text, thinking, tool
// calls, pauses, gates that the test opens, errors of the API.
//
// Requests that are no turn of the conversation (a title for the session, a
// summary for /compact) are told apart by what they carry and answered so
// that the client is content.
package mockapi
