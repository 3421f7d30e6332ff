package report

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fwrap/detect"
)

// The Program Status Protocol (OSC 7501, M. Hashimoto, revision 0.2): a program
// tells its terminal what it does by
//
//	ESC ] 7501 ; key=value(:key=value)* ST
//
// with the limits below. Claude Code 2.1.332 speaks it once the terminal has
// answered its query, Codex 0.171.0 unasked.
const (
	// ProgramOSC is the number of the sequence.
	ProgramOSC = 7501

	maxSequence = 4096 // bytes of a whole sequence, introducer and terminator included
	maxKey      = 16
	maxSegment  = 32 // of app and of each segment of an id
	maxLevels   = 8
	maxID       = 128
	maxTitle    = 256  // encoded; 192 bytes decoded
	maxMsg      = 2732 // encoded; 2048 bytes decoded
	maxRecords  = 64   // the protocol leaves 64 to 256 to the terminal
)

// ProgramState is the state in a record.
type ProgramState string

const (
	ProgramIdle    ProgramState = "idle"
	ProgramWorking ProgramState = "working"
	ProgramDone    ProgramState = "done" // a turn has just ended
	ProgramBlocked ProgramState = "blocked"
	ProgramError   ProgramState = "error"
	ProgramClear   ProgramState = "clear" // withdraws the record and those below it
)

// Record is one OSC 7501 report.
type Record struct {
	State    ProgramState
	ID       string      // "" is the program itself, "a/b" a part of its part "a"
	Kind     detect.Kind // permission, question or auth, of blocked only
	App      string
	Title    string // decoded, untrusted
	Msg      string // decoded, untrusted
	Progress int    // 0..100, -1 if not told
	Data     string // as it came, without introducer and terminator, to be passed on
}

var errRecord = errors.New("not a valid program status")

// IsQuery reports whether data, what follows "7501;", is the query with which a
// program asks whether the terminal speaks the protocol, or the reply to it.
func IsQuery(data []byte) bool { return len(data) > 0 && data[0] == '?' }

// ParseRecord reads data, what follows "7501;". A pair that it does not know or
// that is ill-formed is skipped, the last of several with the same key counts;
// any other breach of the grammar is an error, and the report is to be dropped.
func ParseRecord(data []byte) (Record, error) {
	r := Record{Progress: -1, Data: string(data)}
	if len(data)+len("\x1b]7501;\a") > maxSequence {
		return Record{}, errRecord
	}
	var title, msg, progress string
	idle := true // no state yet
	for pair := range strings.SplitSeq(r.Data, ":") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || !isKey(key) || !isValue(value) {
			continue
		}
		switch key {
		case "state":
			r.State, idle = ProgramState(value), false
		case "id":
			if r.ID = value; !isID(value) {
				r.ID = "/" // remembered as bad unless a later one is good
			}
		case "kind":
			r.Kind = detect.Kind(value)
		case "app":
			r.App = value
		case "progress":
			progress = value
		case "title":
			title = value
		case "msg":
			msg = value
		}
	}
	if idle || r.ID == "/" || r.App != "" && !isSegment(r.App) || len(title) > maxTitle || len(msg) > maxMsg {
		return Record{}, errRecord
	}
	switch r.State {
	case ProgramIdle, ProgramWorking, ProgramDone, ProgramBlocked, ProgramError, ProgramClear:
	default:
		return Record{}, errRecord
	}
	if r.State != ProgramBlocked || r.Kind != detect.Permission && r.Kind != detect.Ask && r.Kind != detect.Auth {
		r.Kind = ""
	}
	if r.State == ProgramWorking || r.State == ProgramBlocked {
		if n, err := strconv.Atoi(progress); err == nil && n >= 0 && n <= 100 {
			r.Progress = n
		}
	}
	var ok1, ok2 bool
	r.Title, ok1 = decode(title, maxTitle/4*3)
	r.Msg, ok2 = decode(msg, 2048)
	if !ok1 || !ok2 {
		return Record{}, errRecord
	}
	return r, nil
}

func isKey(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != "" && len(s) <= maxKey
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isValue(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("_.,+/=-", s[i]) < 0 {
			return false
		}
	}
	return true
}

func isSegment(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("_.+-", s[i]) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= maxSegment
}

func isID(s string) bool {
	n := 0
	for seg := range strings.SplitSeq(s, "/") {
		if n++; n > maxLevels || !isSegment(seg) {
			return false
		}
	}
	return len(s) <= maxID
}

// decode reads base64 of one line of UTF-8 of at most limit bytes.
func decode(s string, limit int) (string, bool) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) > limit || !utf8.Valid(b) {
		return "", false
	}
	for _, r := range string(b) {
		if unicode.IsControl(r) {
			return "", false
		}
	}
	return string(b), true
}

// Program holds the records of the program in the terminal. The zero value is
// ready. A record is a level: it holds until it is replaced, cleared or the
// program has gone, however long that takes.
type Program struct {
	root  Record // State "" if there is none
	parts []Record
	// doneKnown: this program says done at a turn's end, so its idle after
	// working means that the person has interrupted it.
	doneKnown   bool
	interrupted bool
}

// Take reads data, what follows "7501;" in an OSC that the program sent. It
// returns true if a record has been accepted. Queries and invalid reports
// change nothing.
func (p *Program) Take(data []byte) bool {
	if IsQuery(data) {
		return false
	}
	r, err := ParseRecord(data)
	if err != nil {
		return false
	}
	p.apply(r)
	return true
}

func (p *Program) apply(r Record) {
	if r.State == ProgramClear {
		p.clear(r.ID)
		return
	}
	if r.ID != "" {
		p.drop(func(q *Record) bool { return q.ID == r.ID })
		if len(p.parts) == maxRecords-1 {
			p.parts = append(p.parts[:0], p.parts[1:]...) // the least recently updated
		}
		p.parts = append(p.parts, r)
		return
	}
	if r.State == ProgramDone || r.App == "claude-code" || r.App == "codex" {
		p.doneKnown = true
	}
	switch {
	case r.State != ProgramIdle:
		p.interrupted = false
	case p.root.State == ProgramWorking || p.root.State == ProgramBlocked:
		p.interrupted = p.doneKnown
	case p.root.State != ProgramIdle:
		p.interrupted = false
	}
	p.root = r
}

func (p *Program) clear(id string) {
	if id == "" {
		p.root, p.parts, p.interrupted = Record{}, p.parts[:0], false
		return
	}
	p.drop(func(q *Record) bool { return q.ID == id || strings.HasPrefix(q.ID, id+"/") })
}

func (p *Program) drop(gone func(*Record) bool) {
	keep := p.parts[:0]
	for i := range p.parts {
		if !gone(&p.parts[i]) {
			keep = append(keep, p.parts[i])
		}
	}
	p.parts = keep
}

// Reset forgets everything: the program has ended, or the terminal was reset
// (RIS, ESC c). A soft reset (DECSTR) and the alternate screen change nothing.
func (p *Program) Reset() { *p = Program{} }

// Prompt says that a shell has drawn its prompt (OSC 133 A), so no program that
// was working or blocked is there any more. It must not be called while the
// agent is in the foreground: Claude Code in screen-reader mode marks its own
// prompts so.
func (p *Program) Prompt() {
	over := func(q *Record) bool { return q.State == ProgramWorking || q.State == ProgramBlocked }
	if over(&p.root) {
		p.root = Record{}
	}
	p.drop(over)
}

// Records returns the records in force, the program's own first, then the
// others from the least recently updated on. Sending the Data of each tells a
// terminal all that there is to know.
func (p *Program) Records() []Record {
	var all []Record
	if p.root.State != "" {
		all = append(all, p.root)
	}
	return append(all, p.parts...)
}

// Report returns what the records in force say. The program's own record
// counts, except that a part of it that is blocked waits for the person too;
// parts alone speak for a program that says nothing of itself. Without records
// the State is None.
func (p *Program) Report() detect.Report {
	var out detect.Report
	if p.root.State != "" {
		out = p.say(&p.root, p.root.App)
	}
	if out.State == detect.Blocked {
		return out
	}
	for i := range p.parts {
		r := &p.parts[i]
		if r.State != ProgramBlocked && (p.root.State != "" || r.State != ProgramWorking && out.State == detect.Working) {
			continue
		}
		out = p.say(r, p.app(r))
		if out.State == detect.Blocked {
			break
		}
	}
	out.Source = detect.FromProgram
	return out
}

// app is the program that a record is of: its own or its nearest ancestor's.
func (p *Program) app(r *Record) string {
	if r.App != "" {
		return r.App
	}
	for id := r.ID; ; {
		i := strings.LastIndexByte(id, '/')
		if i < 0 {
			return p.root.App
		}
		id = id[:i]
		for j := range p.parts {
			if p.parts[j].ID == id && p.parts[j].App != "" {
				return p.parts[j].App
			}
		}
	}
}

// say is what a record means.
func (p *Program) say(r *Record, app string) detect.Report {
	msg := detect.OneLine(r.Msg, detect.MaxText)
	out := detect.Report{Source: detect.FromProgram}
	switch r.State {
	case ProgramWorking:
		out.State, out.Note = detect.Working, msg
		if app == "claude-code" && onlyShells(r.Msg) {
			// The turn is over. Claude Code says working until the shells
			// that it left in the background have ended, too.
			out.State, out.Kind = detect.Idle, detect.Shell
		}
	case ProgramDone:
		out.State, out.Note = detect.Idle, msg
	case ProgramIdle:
		out.State, out.Note = detect.Idle, msg
		if r.ID == "" && p.interrupted {
			out.Kind = detect.Stopped
		}
	case ProgramError:
		out.State, out.Kind, out.Note = detect.Idle, detect.Failed, msg
	case ProgramBlocked:
		out.State, out.Kind = detect.Blocked, r.Kind
		out.Question.Text = msg
		if app == "claude-code" {
			out.Kind, out.Question = claudeAsks(r.Kind, msg)
		}
		if out.Kind == "" {
			out.Kind = detect.Ask
		}
	}
	return out
}

// onlyShells reports whether msg is "1 shell still running" or "2 shells still running".
func onlyShells(msg string) bool {
	n, rest, ok := strings.Cut(msg, " ")
	if _, err := strconv.ParseUint(n, 10, 16); err != nil || !ok {
		return false
	}
	return rest == "shell still running" || rest == "shells still running"
}

// claudeAsks reads the messages of Claude Code 2.1.332's blocked reports.
func claudeAsks(kind detect.Kind, msg string) (detect.Kind, detect.Question) {
	switch {
	case kind == detect.Permission && msg == "approve plan":
		return detect.Plan, detect.Question{Text: msg}
	case kind == detect.Permission && msg == "trust this folder":
		return detect.Trust, detect.Question{Text: msg}
	case kind == detect.Permission:
		return kind, detect.Question{Text: strings.TrimPrefix(msg, "approve ")}
	case kind == detect.Ask && strings.HasPrefix(msg, "answer: "):
		return kind, choices(strings.TrimPrefix(msg, "answer: "))
	case kind == detect.Auth && msg == "":
		return kind, detect.Question{Text: "sign in"}
	}
	return kind, detect.Question{Text: msg}
}

// choices takes "Which one? (A · B (old) · C)" apart.
func choices(s string) detect.Question {
	q := detect.Question{Text: s}
	if !strings.HasSuffix(s, ")") {
		return q
	}
	depth := 0
	for i := len(s) - 1; i > 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth > 0 {
				continue
			}
			list := strings.Split(s[i+1:len(s)-1], " · ")
			if len(list) < 2 || len(list) > detect.MaxOptions || s[i-1] != ' ' {
				return q
			}
			return detect.Question{Text: strings.TrimRight(s[:i], " "), Options: list}
		}
	}
	return q
}
