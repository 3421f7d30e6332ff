package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/manifest"
	"fwrap/detect/screen"
)

// maxRecording is the largest recording that explain reads, unpacked, in bytes.
const maxRecording = 1 << 30

// maxAt is the largest time that --at takes, in seconds.
const maxAt = 1e9

// stood is how long a screen without times is taken to have stood.
const stood = 10 * time.Second

const explainUsage = `usage: fwrap explain [flags] FILE

Say what state fwrap sees in a recording or a screen, and which rule says so.

FILE is  *.raw   bytes as a terminal receives them, from the program's start
         *.txt   a screen, one line for each row
         *.cast  an asciicast v2 recording: gives the timeline, too
each also with .gz; - is a screen on standard input.

  --agent NAME    whose rules to use (a .cast of fwrap names its own)
  --size CxR      the terminal's size, columns x rows (default 120x32, of a
                  .cast its own)
  --title TEXT    the window title that was set
  --screen-only   the screen alone counts, not the agent's own reports
  --json          one line of JSON
  --print-screen  the screen as the rules see it, and nothing else
  --at SECONDS    look at a .cast as it stood then
  --make-example  the screen as an example for a rule, [[rules.examples]]
  --redact        with it: blank the text that the rule does not go by
`

// explainOptions are the flags of explain.
type explainOptions struct {
	agent, size, title        string
	screenOnly, json, printIt bool
	example, redact           bool
	at                        time.Duration // look then; negative: at the end
	file                      string
}

func (a *app) explain(args []string) int {
	var o explainOptions
	fs := flag.NewFlagSet("explain", flag.ContinueOnError)
	fs.StringVar(&o.agent, "agent", "", "")
	fs.StringVar(&o.size, "size", "", "")
	fs.StringVar(&o.title, "title", "", "")
	fs.BoolVar(&o.screenOnly, "screen-only", false, "")
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.printIt, "print-screen", false, "")
	fs.BoolVar(&o.example, "make-example", false, "")
	fs.BoolVar(&o.redact, "redact", false, "")
	at := fs.Float64("at", -1, "")
	var files []string
	// Flags may stand behind the file, too: the file is what is typed first.
	for rest := args; ; {
		if done, code := a.verbFlags(fs, rest, explainUsage); done {
			return code
		}
		if rest = fs.Args(); len(rest) == 0 {
			break
		}
		files, rest = append(files, rest[0]), rest[1:]
	}
	if len(files) != 1 {
		return a.usage(explainUsage, "explain needs one file")
	}
	if o.redact && !o.example {
		return a.usage(explainUsage, "--redact needs --make-example")
	}
	if *at > maxAt {
		return a.usage(explainUsage, "--at is a number of seconds")
	}
	o.file, o.at = files[0], time.Duration(*at*float64(time.Second))
	r, err := a.readRecording(o)
	if err != nil {
		a.err.errorf("explain: %v", err)
		var h hinted
		if errors.As(err, &h) {
			a.err.hint("%s", h.hint)
		}
		return exitNegative
	}
	if o.printIt {
		s := r.final
		fmt.Fprintln(a.stdout, strings.TrimRight(strings.Join(s.Rows, "\n"), "\n"))
		return exitOK
	}
	if o.example {
		notes, right := r.printExample(a.stdout, o.redact)
		for _, n := range notes {
			a.err.hint("%s", n)
		}
		if !right {
			return exitNegative
		}
		return exitOK
	}
	if o.json {
		return a.printJSON(r.line())
	}
	r.print(a.stdout, o.file)
	if r.unknown {
		a.err.hint("to make a test of this screen: fwrap explain %s --make-example", o.file)
	}
	return exitOK
}

// hinted is an error with the hint that goes with it.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// explained is a recording with all that was seen in it.
type explained struct {
	rules    *detect.Rules
	final    detect.Snapshot
	status   detect.Status
	timeline []timelineEntry
	timed    bool          // the recording has times of its own
	unknown  bool          // at the end no rule knew the screen
	still    time.Duration // how long the last screen had stood then
}

// timelineEntry is a change of state, or something that the person would have
// been told. It is an element of explain's JSON "timeline".
type timelineEntry struct {
	T     float64      `json:"t"` // seconds from the start
	State detect.State `json:"state"`
	Kind  detect.Kind  `json:"kind"`
	Rule  string       `json:"rule,omitempty"`
	Told  string       `json:"told,omitempty"`  // the notice's text
	Label string       `json:"label,omitempty"` // a marker of the recording

	unknown bool // no rule knew the screen
}

// explainLine is the JSON of explain: version 1 of it.
type explainLine struct {
	V        int             `json:"v"`
	State    detect.State    `json:"state"`
	Kind     detect.Kind     `json:"kind"`
	Rule     string          `json:"rule"`
	At       string          `json:"at"`
	Line     string          `json:"line"`
	Source   detect.Source   `json:"source"`
	Title    string          `json:"title"`
	Question detect.Question `json:"question"`
	Timeline []timelineEntry `json:"timeline"`
}

func (r *explained) line() explainLine {
	q := r.status.Question
	if q.Options == nil {
		q.Options = []string{}
	}
	tl := r.timeline
	if tl == nil || !r.timed {
		tl = []timelineEntry{}
	}
	return explainLine{
		V: 1, State: r.status.State, Kind: r.status.Kind, Rule: r.status.Rule, At: r.status.At,
		Line: r.status.Line, Source: r.status.Source, Title: r.final.Title, Question: q, Timeline: tl,
	}
}

func (a *app) printJSON(v any) int {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		a.err.errorf("write: %v", err)
		return exitNegative
	}
	return exitOK
}

// readRecording plays a file and says what was seen in it.
func (a *app) readRecording(o explainOptions) (*explained, error) {
	kind, data, err := a.recordingData(o.file)
	if err != nil {
		return nil, err
	}
	cols, rows := 120, 32
	var rd *cast.Reader
	if kind == ".cast" {
		if rd, err = cast.NewReader(bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("read %s: %w", o.file, err)
		}
		cols, rows = rd.Header.Width, rd.Header.Height
		if o.agent == "" {
			if o.agent = rd.Header.Env[agentEnv]; o.agent == "" {
				o.agent = markedAgent(data)
			}
		}
	}
	if o.size != "" {
		if cols, rows, err = cast.ParseSize(o.size); err != nil {
			return nil, err
		}
	}
	if o.agent == "" {
		return nil, hinted{errors.New("the file does not say which agent it shows"), "fwrap explain --agent claude " + filepath.Base(o.file)}
	}
	m, err := a.manifest(o.agent)
	if err != nil {
		return nil, err
	}
	var scr detect.Screen
	if kind == ".txt" {
		scr = newStill(data, cols, rows, o.title)
	} else {
		scr = screen.New(cols, rows)
	}
	if o.at >= 0 && rd == nil {
		return nil, hinted{errors.New("--at needs a recording with times"), "a .cast has them"}
	}
	p := newReplay(a, m, scr, o)
	switch {
	case kind == ".txt":
		p.output(0, []byte{' '}) // any byte: the screen is there at once
	case rd != nil:
		for {
			e, err := rd.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", o.file, err)
			}
			if o.at >= 0 && e.At > o.at {
				p.to(o.at)
				break
			}
			p.event(e)
		}
	default:
		if o.title != "" {
			p.output(0, []byte("\x1b]2;"+visible(o.title)+"\a"))
		}
		p.output(0, data)
	}
	return p.finish(kind == ".cast"), nil
}

// recordingData reads a recording and says of which kind it is.
func (a *app) recordingData(name string) (kind string, data []byte, err error) {
	if name == "-" {
		data, err = io.ReadAll(io.LimitReader(a.stdin, maxRecording))
		return ".txt", data, err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	var r io.Reader = f
	base, packed := strings.CutSuffix(name, ".gz")
	if packed {
		if r, err = gzip.NewReader(f); err != nil {
			return "", nil, fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	kind = filepath.Ext(base)
	switch kind {
	case ".raw", ".txt", ".cast":
	default:
		return "", nil, hinted{fmt.Errorf("%s is neither .raw, .txt nor .cast", name), "name it after what it holds; see fwrap explain --help"}
	}
	data, err = io.ReadAll(io.LimitReader(r, maxRecording+1))
	if err == nil && len(data) > maxRecording {
		err = fmt.Errorf("larger than %d bytes", maxRecording)
	}
	if err != nil {
		return "", nil, fmt.Errorf("read %s: %w", name, err)
	}
	return kind, data, nil
}

// manifest compiles an agent's rules for a verb, which fails if they are broken.
func (a *app) manifest(agent string) (*manifest.Manifest, error) {
	m, err := a.catalog.load(agent)
	if errors.Is(err, errNoAgent) {
		return nil, hinted{err, "the agents are: " + strings.Join(a.catalog.names(), " ")}
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// print writes what was seen for a person.
func (r *explained) print(w io.Writer, name string) {
	st := r.status
	what := st.State.String()
	if st.Kind != "" {
		what += " (" + string(st.Kind) + ")"
	}
	fmt.Fprintf(w, "%-9s %s\n", "state", what)
	if st.Rule != "" {
		fmt.Fprintf(w, "%-9s %s  %s\n", "rule", st.Rule, st.At)
		fmt.Fprintf(w, "%-9s %s\n", "line", visible(strings.TrimSpace(st.Line)))
	} else if r.unknown {
		fmt.Fprintf(w, "%-9s %s; the screen has stood for %s\n", "rule", noRule, r.still.Round(100*time.Millisecond))
	} else {
		fmt.Fprintf(w, "%-9s none decided: the state is by %s\n", "rule", st.Source)
	}
	if r.final.Title != "" {
		fmt.Fprintf(w, "%-9s %s\n", "title", visible(r.final.Title))
	}
	if q := st.Question; q.Text != "" {
		fmt.Fprintf(w, "%-9s %s\n", "question", visible(q.Text))
		for i, o := range q.Options {
			fmt.Fprintf(w, "%-9s %d. %s\n", "", i+1, visible(o))
		}
	}
	if r.rules != nil {
		for _, t := range r.rules.Explain(&r.final) {
			switch {
			case t.Wins:
				fmt.Fprintf(w, "%-9s %s\n", "because", visible(t.Why))
			case t.Matched || t.Near:
				fmt.Fprintf(w, "%-9s %s  %s: %s\n", "near", t.Name, t.At, visible(t.Why))
			}
		}
	}
	if !r.timed {
		return
	}
	fmt.Fprintf(w, "\ntimeline of %s\n", filepath.Base(name))
	for i, e := range r.timeline {
		switch {
		case e.Told != "":
			fmt.Fprintf(w, "%9.3f  told: %s\n", e.T, visible(e.Told))
		case e.Label != "":
			fmt.Fprintf(w, "%9.3f  marker: %s\n", e.T, visible(e.Label))
		default:
			k := ""
			if e.Kind != "" {
				k = " (" + string(e.Kind) + ")"
			}
			rule := e.Rule
			if e.unknown {
				rule = noRule
				if d, ok := lasted(r.timeline[i:]); ok {
					rule += fmt.Sprintf(", for %.1f s", d)
				}
			}
			fmt.Fprintf(w, "%9.3f  %s%s  %s\n", e.T, e.State, k, rule)
		}
	}
}
