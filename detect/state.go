package detect

import (
	"fmt"
	"time"
)

// State is what an agent is doing, as far as the person is concerned.
type State uint8

const (
	None    State = iota // no agent runs here, or it has gone
	Idle                 // it has finished and waits for the next task
	Working              // it works
	Blocked              // it cannot go on without the person
)

var stateNames = [...]string{None: "none", Idle: "idle", Working: "working", Blocked: "blocked"}

// String returns the state's name as manifests, reports and JSON spell it.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// MarshalText writes the state's name; it never fails for a declared State.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a state's name; it returns an error for any other text.
func (s *State) UnmarshalText(b []byte) error {
	for i, n := range stateNames {
		if n == string(b) {
			*s = State(i)
			return nil
		}
	}
	return fmt.Errorf("unknown state %q", b)
}

// Kind refines a State. The empty kind is always allowed.
type Kind string

const (
	// of Blocked
	Permission Kind = "permission"
	Ask        Kind = "question"
	Plan       Kind = "plan"
	Trust      Kind = "trust"
	Auth       Kind = "auth"
	Onboarding Kind = "onboarding"
	Limit      Kind = "limit"
	// of Working
	Compacting Kind = "compacting"
	Retrying   Kind = "retrying"
	Background Kind = "background" // the main turn is over but subagents still run: not finished
	// of Idle
	Shell   Kind = "shell" // only background shells are attached: told as finished
	Menu    Kind = "menu"  // a menu that the person opened
	Failed  Kind = "error" // the turn failed
	Stopped Kind = "interrupted"
)

// Kinds lists the kinds that each state may carry.
var Kinds = map[State][]Kind{
	Blocked: {Permission, Ask, Plan, Trust, Auth, Onboarding, Limit},
	Working: {Compacting, Retrying, Background},
	Idle:    {Shell, Menu, Failed, Stopped},
}

// Source is who said so.
type Source string

const (
	FromScreen  Source = "screen"  // a rule of the manifest, on the emulated screen
	FromProgram Source = "7501"    // the agent's own OSC 7501 record
	FromHook    Source = "hook"    // a hook's or notify program's report
	FromTitle   Source = "title"   // a rule that looked at the title alone
	FromProcess Source = "process" // the terminal's foreground process
	FromACP     Source = "acp"     // an Agent Client Protocol message
)

// Question is what a blocked agent asks.
type Question struct {
	Text    string   `json:"text"`    // one line, untrusted: as drawn or as reported
	Options []string `json:"options"` // the choices in their order, without numbers and cursor
}

// Status is a State with everything that is known of it.
type Status struct {
	State    State
	Kind     Kind
	Since    time.Time // when this state and kind began
	Source   Source
	Rule     string // "claude/permission", empty if no rule decided
	At       string // "claude.toml:41", the place of Rule
	Line     string // the screen line that the rule matched
	Question Question
}
