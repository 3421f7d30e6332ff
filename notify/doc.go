// Package notify decides what the person is told, when and how often.
//
// The [Policy] is pure: changes of state, keys, focus and time come in as
// values; notices to show, replace or close come out, with the next instant at
// which something falls due. [Compose] words a notice and [Sanitize] makes
// text that came from an agent harmless; [Title] decides the terminal's title.
//
// It knows states and people and nothing of screens, agents' rules or ptys. How
// a notice reaches the person is the matter of notify/desktop and notify/term.
package notify
