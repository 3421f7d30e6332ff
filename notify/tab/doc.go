// Package tab labels an iTerm2 tab with the agent's state, through the user
// variable claudeState that a profile's subtitle can show as
// \(user.claudeState).
//
// It says what is to be written and when, and takes how the write went; it
// writes nothing itself, and reads neither environment nor clock. It must not
// know where the state comes from.
package tab
