// Package hooks makes an agent report for one launch: it changes the arguments
// and the environment of the command that is about to start, and none of the
// person's files.
//
// How an agent can be made to report is data, a [Spec], one for each agent:
// settings on the command line (Claude Code, droid), a settings file named by a
// variable (Qwen Code), a plugin directory (Copilot CLI), a plugin
// in the configuration (opencode), a notify program (codex, aider). A manifest
// may carry a spec of its own. Each says which events the installed version
// has, for Claude Code before 2.1.197 drops all hooks of a settings file that
// names an event it does not know.
//
// What the person has set up stays: settings given on the command line are
// merged, since of two --settings Claude Code takes the last whole; a notify
// program is run after ours. Where that cannot be done with certainty nothing
// is injected, and the reason is given. The agent's own word is one source
// among several, so to go without is never an error.
//
// The reporter is a shell command that is silent and succeeds whatever
// happens: agents show a hook's output to the model and take its status 2 as a
// veto. Package session has its other end.
//
// [Inject] is pure but for the reader it is given. Versions are looked up
// without running anything ([Version]); asking the program itself takes up to
// 0.3 s and is done in the background ([Cache.Refresh]).
package hooks
