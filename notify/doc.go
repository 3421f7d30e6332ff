// Package notify decides what the person is told, when and how often.
//
// The policy is pure: changes of state, keys, focus and time come in as values;
// notices to show, replace or close come out, with the next instant at which
// something falls due. It knows states and people and nothing of screens,
// agents' rules or ptys.
package notify
