package command

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"fwrap/detect"
	"fwrap/notify"
)

// Facts is what the program is told, on its standard input as JSON and, in its
// environment, as FWRAP_ and the field's name in capitals. Texts are sanitised:
// no control characters, at most [notify.MaxText] runes each.
type Facts struct {
	// Event is "blocked", "idle" or "failed": what is told now. It is "close"
	// when what was told last is over: it has been answered, or the session
	// has ended.
	Event string `json:"event"`
	// ID numbers the session's notices from 1; a close has that of the notice
	// that it takes back. Session and ID name a notice on this machine.
	ID       int    `json:"id"`
	Session  string `json:"session"`
	Reminder bool   `json:"reminder"` // told once more, since nobody came

	Agent   string `json:"agent"`
	Project string `json:"project"`
	Name    string `json:"name"` // --name
	Dir     string `json:"dir"`  // the directory fwrap was started in

	Kind     string   `json:"kind"` // of blocked: permission, question, plan, trust, auth, …
	Question string   `json:"question"`
	Options  []string `json:"options"`

	// Summary, Body and Urgency (low, normal, critical) are the notice as the
	// desktop would show it.
	Summary string `json:"summary"`
	Body    string `json:"body"`
	Urgency string `json:"urgency"`

	Turn   float64 `json:"turn"`   // seconds that the turn took; of idle and failed
	Waited float64 `json:"waited"` // seconds for which the state has held
}

// FactsOf words a Show or a Close action for the program. With [notify.Short]
// no word of the agent's is in it.
func FactsOf(s notify.Session, session, dir string, a notify.Action, t notify.Text) Facts {
	f := Facts{
		Event: a.Event.String(), ID: a.ID, Session: session, Reminder: a.Reminder,
		Agent:   notify.Sanitize(s.Agent, 0, false),
		Project: notify.Sanitize(s.Project, 0, false),
		Name:    notify.Sanitize(s.Name, 0, false),
		Dir:     dir,
		Options: []string{},
	}
	if a.Op == notify.Close {
		f.Event = "close"
		f.Summary = notify.Sanitize(s.Label(), 0, false)
		f.Urgency = "low"
		return f
	}
	n := notify.Compose(s, a, t, notify.Limits{Title: 80, Body: notify.MaxText, Multiline: true})
	f.Summary, f.Body, f.Urgency = n.Title, n.Body, urgency(n.Urgency)
	f.Kind = string(a.Status.Kind)
	f.Turn, f.Waited = seconds(a.Turn), seconds(a.Waited)
	if t == notify.Full && a.Event == notify.NeedsYou {
		f.Question, f.Options = texts(a.Status.Question)
	}
	return f
}

func texts(q detect.Question) (string, []string) {
	opts := []string{}
	for _, o := range q.Options {
		if o = notify.Sanitize(o, 0, false); o != "" && len(opts) < 20 {
			opts = append(opts, o)
		}
	}
	return notify.Sanitize(q.Text, 0, false), opts
}

func urgency(u notify.Urgency) string {
	switch u {
	case notify.Critical:
		return "critical"
	case notify.Low:
		return "low"
	}
	return "normal"
}

// seconds rounds to a tenth of a second.
func seconds(d time.Duration) float64 {
	return float64(d.Round(100*time.Millisecond)) / float64(time.Second)
}

// env returns the facts as variables, those that are empty too: one of an outer
// fwrap must not show through.
func (f Facts) env() []string {
	reminder := ""
	if f.Reminder {
		reminder = "1"
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return []string{
		"FWRAP_EVENT=" + f.Event, "FWRAP_ID=" + strconv.Itoa(f.ID), "FWRAP_SESSION=" + f.Session,
		"FWRAP_REMINDER=" + reminder, "FWRAP_AGENT=" + f.Agent, "FWRAP_PROJECT=" + f.Project,
		"FWRAP_NAME=" + f.Name, "FWRAP_DIR=" + f.Dir, "FWRAP_KIND=" + f.Kind,
		"FWRAP_QUESTION=" + f.Question, "FWRAP_OPTIONS=" + strings.Join(f.Options, "\n"),
		"FWRAP_SUMMARY=" + f.Summary, "FWRAP_BODY=" + f.Body, "FWRAP_URGENCY=" + f.Urgency,
		"FWRAP_TURN=" + number(f.Turn), "FWRAP_WAITED=" + number(f.Waited),
	}
}

// json returns the facts as one line.
func (f Facts) json() []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic("command: facts cannot be encoded: " + err.Error()) // strings and numbers always can
	}
	return append(b, '\n')
}
