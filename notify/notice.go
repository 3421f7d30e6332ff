package notify

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"fwrap/detect"
)

// Urgency says how hard a notice may press. The values are the Desktop
// Notifications Specification's urgency levels.
type Urgency uint8

const (
	Low      Urgency = 0
	Normal   Urgency = 1
	Critical Urgency = 2 // stays until it is closed, on most desktops
)

// Notice is what a channel shows. Its texts are sanitised and plain: a channel
// escapes what its receiver would read as markup.
type Notice struct {
	Title   string  `json:"title"`
	Body    string  `json:"body"` // lines are separated by \n; may be empty
	Urgency Urgency `json:"urgency"`
}

// Text says how much a notice tells.
type Text uint8

const (
	Full  Text = iota // with the question and its options
	Short             // without any word of the agent's: no command, no file name
)

// MarshalText writes "full" or "short".
func (t Text) MarshalText() ([]byte, error) {
	if t == Short {
		return []byte("short"), nil
	}
	return []byte("full"), nil
}

// Limits is what a channel shows, in runes.
type Limits struct {
	Title     int
	Body      int
	Multiline bool // the body may have lines
}

// Session names whom a notice is about.
type Session struct {
	Agent   string // "claude"
	Project string // the project's directory name; may be empty
	Name    string // what the person called the session; may be empty
}

// Label returns "agent · project", with the session's name in brackets if it
// has one. It is not sanitised.
func (s Session) Label() string {
	l := s.Agent
	if s.Project != "" {
		l = join(l, " · ", s.Project)
	}
	if s.Name != "" {
		l = join(l, " ", "("+s.Name+")")
	}
	return l
}

// Compose words the notice of a Show action for a channel.
func Compose(s Session, a Action, t Text, l Limits) Notice {
	n := Notice{
		Title:   Sanitize(s.Label(), l.Title, false),
		Urgency: Normal,
	}
	if a.Event == NeedsYou {
		n.Urgency = Critical
	}
	lines := []string{headline(a)}
	if t == Full {
		lines = append(lines, details(a, l.Body-utf8.RuneCountInString(lines[0])-2)...)
	}
	sep := "\n"
	if !l.Multiline {
		sep = ": "
		if len(lines) > 2 {
			lines[1] += " — " + lines[2]
			lines = lines[:2]
		}
	}
	n.Body = Sanitize(strings.Join(lines, sep), l.Body, l.Multiline)
	return n
}

// headline says in fwrap's own words what has happened.
func headline(a Action) string {
	h := ""
	switch a.Event {
	case Finished:
		h = "Finished after " + duration(a.Turn)
	case Failed:
		h = "Failed after " + duration(a.Turn)
	default:
		h = needs(a.Status.Kind)
	}
	if a.Reminder {
		h = "Still waiting (" + duration(a.Waited) + "). " + h
	}
	return h
}

func needs(k detect.Kind) string {
	switch k {
	case detect.Permission:
		return "Needs your permission"
	case detect.Ask:
		return "Has a question"
	case detect.Plan:
		return "Wants its plan approved"
	case detect.Trust:
		return "Asks whether to trust this folder"
	case detect.Auth:
		return "Needs you to log in"
	case detect.Onboarding:
		return "Waits for its first settings"
	case detect.Limit:
		return "Has reached a limit"
	}
	return "Waits for you"
}

// details returns the question and, on a line of their own, its options, cut to
// room runes: the options keep up to a third.
func details(a Action, room int) []string {
	if room < 8 {
		return nil
	}
	if a.Event == Failed {
		if line := Sanitize(a.Status.Line, room, false); line != "" {
			return []string{line}
		}
		return nil
	}
	if a.Event != NeedsYou {
		return nil
	}
	q := a.Status.Question
	opts := options(q.Options, room/3)
	text := Sanitize(q.Text, room-utf8.RuneCountInString(opts)-3, false)
	switch {
	case text == "" && opts == "":
		return nil
	case text == "":
		return []string{opts}
	case opts == "":
		return []string{text}
	}
	return []string{text, opts}
}

// options lists the choices as the person would pick them.
func options(o []string, room int) string {
	if len(o) == 0 || room < 8 {
		return ""
	}
	each := max(room/len(o)-5, 8)
	var b strings.Builder
	for i, s := range o {
		s = Sanitize(s, each, false)
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(itoa(i+1) + " " + s)
		if b.Len() > 4*MaxText {
			break
		}
	}
	return Sanitize(b.String(), room, false)
}

func join(a, sep, b string) string {
	if a == "" {
		return b
	}
	return a + sep + b
}

func itoa(n int) string { return strconv.Itoa(n) }

func pad(n int) string {
	if n < 10 {
		return "0" + itoa(n)
	}
	return itoa(n)
}
