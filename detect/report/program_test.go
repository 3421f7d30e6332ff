package report

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fwrap/detect"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestParseRecord(t *testing.T) {
	seg := strings.Repeat("a", 32)
	tests := []struct {
		data string
		want string // "" for dropped
	}{
		{"state=idle", "idle"},
		{"state=working:app=claude-code", "working app=claude-code"},
		{"app=x:state=done", "done app=x"},
		{"state=blocked:kind=permission:msg=" + b64("approve Bash: ls"), `blocked kind=permission msg="approve Bash: ls"`},
		{"state=blocked:kind=question", "blocked kind=question"},
		{"state=blocked:kind=auth", "blocked kind=auth"},
		{"state=blocked:kind=coffee", "blocked"},
		{"state=working:kind=permission", "working"}, // kind belongs to blocked
		{"state=working:progress=42", "working progress=42"},
		{"state=idle:progress=42", "idle"},
		{"state=working:progress=101", "working"},
		{"state=working:progress=-1", "working"},
		{"state=working:id=a/b.c/D_1:title=" + b64("sub é"), `working id=a/b.c/D_1 title="sub é"`},
		{"state=working:id=" + strings.Repeat("a/", 7) + "a", "working id=" + strings.Repeat("a/", 7) + "a"},
		{"state=clear:id=a", "clear id=a"},
		{"state=idle:state=working", "working"},              // the last of several
		{"state=working:x=1:Bad=2:=3:novalue::y", "working"}, // what is not known is skipped
		{"state=working:msg", "working"},                     // a pair without =
		{"state=working:msg=a b", "working"},                 // a bad pair is skipped
		{"state=working:msg=", "working"},                    //
		{"state=working:" + strings.Repeat("k", 17) + "=1", "working"},
		{"id=bad!:state=working", "working"}, // not a value at all
		{"state=working:app=" + seg, "working app=" + seg},

		{"", ""},
		{"state=", ""},
		{"state=sleeping", ""},
		{"State=idle", ""},
		{"app=x", ""},
		{"state=idle:state=nonsense", ""},
		{"state=working:id=", ""},
		{"state=working:id=/a", ""},
		{"state=working:id=a//b", ""},
		{"state=working:id=a/", ""},
		{"state=working:id=a=b", ""},
		{"state=working:id=" + strings.Repeat("a/", 8) + "a", ""},
		{"state=working:id=" + seg + "a", ""},
		{"state=working:id=" + strings.Join([]string{seg, seg, seg, seg}, "/"), ""}, // 131 bytes
		{"state=working:app=a/b", ""},
		{"state=working:app=" + seg + "a", ""},
		{"state=working:msg=!", "working"},
		{"state=working:msg=YQ", ""},
		{"state=working:msg=YQ=", ""},
		{"state=working:msg=YR==", ""}, // bits left over
		{"state=working:msg=" + b64("a\nb"), ""},
		{"state=working:msg=" + b64("a\x1b]0;x\x07"), ""},
		{"state=working:msg=" + b64("a\u009bb"), ""},
		{"state=working:msg=" + b64("\xff"), ""},
		{"state=working:title=" + b64(strings.Repeat("t", 193)), ""},
		{"state=working:msg=" + b64(strings.Repeat("m", 2049)), ""},
		{"state=idle:x=" + strings.Repeat("y", 4096), ""},
	}
	for _, tt := range tests {
		r, err := ParseRecord([]byte(tt.data))
		got := ""
		if err == nil {
			got = string(r.State)
			for _, f := range []struct{ k, v string }{{"id", r.ID}, {"kind", string(r.Kind)}, {"app", r.App}} {
				if f.v != "" {
					got += " " + f.k + "=" + f.v
				}
			}
			if r.Progress >= 0 {
				got += fmt.Sprint(" progress=", r.Progress)
			}
			if r.Title != "" {
				got += fmt.Sprintf(" title=%q", r.Title)
			}
			if r.Msg != "" {
				got += fmt.Sprintf(" msg=%q", r.Msg)
			}
			if r.Data != tt.data {
				t.Errorf("%.80q: data %q", tt.data, r.Data)
			}
		}
		if got != tt.want {
			t.Errorf("%.80q: %q, want %q (%v)", tt.data, got, tt.want, err)
		}
	}
	// The largest message that the protocol allows.
	if r, err := ParseRecord([]byte("state=working:msg=" + b64(strings.Repeat("m", 2048)))); err != nil || len(r.Msg) != 2048 {
		t.Error(err)
	}
}

func TestProgram(t *testing.T) {
	msg := func(s string) string { return ":app=claude-code:msg=" + b64(s) }
	tests := []struct{ name, script string }{
		{"nothing was said", `
			state=nonsense -> none
			? -> none
			?:v=1 -> none`},
		{"a turn of Claude Code", `
			state=idle:app=claude-code -> idle
			state=working:app=claude-code -> working
			state=working` + msg("Reading hello.py") + ` -> working note "Reading hello.py"
			state=blocked:kind=permission` + msg("approve Bash: rm -r build") + ` -> blocked/permission "Bash: rm -r build"
			state=working:app=claude-code -> working
			state=done:app=claude-code -> idle
			state=clear -> none`},
		{"interrupted", `
			state=working:app=claude-code -> working
			state=idle:app=claude-code -> idle/interrupted
			state=idle:app=claude-code -> idle/interrupted
			state=working:app=claude-code -> working
			state=done:app=claude-code -> idle
			state=idle:app=claude-code -> idle`},
		{"another program may call its turn's end idle", `
			state=working:app=other -> working
			state=idle:app=other -> idle
			state=working:app=other -> working
			state=done:app=other -> idle
			state=working:app=other -> working
			state=idle:app=other -> idle/interrupted`},
		{"kinds", `
			state=blocked:kind=permission` + msg("approve plan") + ` -> blocked/plan "approve plan"
			state=blocked:kind=permission` + msg("trust this folder") + ` -> blocked/trust "trust this folder"
			state=blocked:kind=question` + msg("MCP input: demo") + ` -> blocked/question "MCP input: demo"
			state=blocked:kind=question` + msg("answer: Which one (of 2)? (A (old) · B)") + ` -> blocked/question "Which one (of 2)?" ["A (old)" "B"]
			state=blocked:kind=question` + msg("answer: What now? (hm)") + ` -> blocked/question "What now? (hm)"
			state=blocked:kind=question` + msg("answer: What now?") + ` -> blocked/question "What now?"
			state=blocked` + msg("dialog open") + ` -> blocked/question "dialog open"
			state=blocked:app=claude-code:kind=auth -> blocked/auth "sign in"
			state=error` + msg("API Error: 400") + ` -> idle/error note "API Error: 400"
			state=blocked:app=codex:kind=permission -> blocked/permission
			state=blocked:app=other:kind=permission:msg=` + b64("approve plan") + ` -> blocked/permission "approve plan"`},
		{"shells that go on are no work", `
			state=working` + msg("1 shell still running") + ` -> idle/shell note "1 shell still running"
			state=working` + msg("12 shells still running") + ` -> idle/shell note "12 shells still running"
			state=working` + msg("shell still running") + ` -> working note "shell still running"
			state=working` + msg("1 shell still running a test") + ` -> working note "1 shell still running a test"
			state=working:app=other:msg=` + b64("1 shell still running") + ` -> working note "1 shell still running"`},
		{"text is disarmed", `
			state=blocked:kind=permission` + msg("approve Bash: rm \u202etxt.sh\u2066 \u200bx") + ` -> blocked/permission "Bash: rm txt.sh x"`},
		{"parts", `
			state=working:app=claude-code -> working
			state=working:id=a:title=` + b64("Look") + ` -> working
			state=done:app=claude-code -> idle
			state=blocked:id=a:kind=permission -> blocked/permission
			state=working:id=a/b -> blocked/permission
			state=clear:id=a -> idle
			state=blocked:id=a/b:kind=question -> blocked/question
			state=blocked:id=ab:kind=question -> blocked/question
			state=clear:id=a -> blocked/question
			state=clear:id=ab -> idle`},
		{"only parts", `
			state=idle:id=a -> idle
			state=working:id=b -> working
			state=done:id=a -> working
			state=blocked:id=a -> blocked/question
			state=clear -> none`},
		{"a part's program is its ancestor's", `
			state=idle:app=claude-code -> idle
			state=blocked:id=x/y:kind=permission:msg=` + b64("approve plan") + ` -> blocked/plan "approve plan"
			state=working:id=x:app=other -> blocked/permission "approve plan"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Program
			for l := range strings.Lines(strings.TrimSpace(tt.script)) {
				data, want, ok := strings.Cut(strings.TrimSpace(l), " -> ")
				if !ok {
					t.Fatalf("bad line %q", l)
				}
				p.Take([]byte(data))
				r := p.Report()
				if r.Source != detect.FromProgram {
					t.Errorf("source %q", r.Source)
				}
				if got := heard(r, true); got != want {
					t.Errorf("%s: %s, want %s", data, got, want)
				}
			}
		})
	}
}

func TestProgramLifetime(t *testing.T) {
	var p Program
	take := func(s string) { p.Take([]byte(s)) }
	take("state=working")
	take("state=idle:id=a")
	take("state=blocked:id=b")
	p.Prompt()
	if got := fmt.Sprint(len(p.Records())); got != "1" || p.Records()[0].ID != "a" {
		t.Errorf("a shell's prompt leaves %+v", p.Records())
	}
	take("state=idle")
	p.Prompt()
	if len(p.Records()) != 2 {
		t.Errorf("a shell's prompt drops idle: %+v", p.Records())
	}
	p.Reset()
	if len(p.Records()) != 0 || p.Report().State != detect.None {
		t.Error("something is left after a reset")
	}
	// The least recently updated record goes, the program's own never.
	take("state=working")
	for i := range 500 {
		take(fmt.Sprintf("state=working:id=p%d", i))
		take("state=working:id=p0")
	}
	all := p.Records()
	if len(all) != maxRecords || all[0].ID != "" || all[len(all)-1].ID != "p0" || all[1].ID != "p438" {
		t.Errorf("%d records, %q %q %q", len(all), all[0].ID, all[1].ID, all[len(all)-1].ID)
	}
}

// Ten thousand reports from a hostile program: malformed, too large,
// contradictory. What is kept stays bounded, what is shown stays clean, and the
// last valid word counts.
func TestProgramHostile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 501))
	pieces := []string{"state=", "working", "blocked", "clear", "idle", ":", "=", "id=", "a/b", "/", "msg=", b64("x\u202ey"), b64("a\x1b[2J"), "kind=permission",
		"app=claude-code", "\x00", "\xff", "progress=9", strings.Repeat("A", 3000), "title=", ";", "?"}
	var p Program
	for range 10000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		p.Take([]byte(b.String()))
		rep := p.Report()
		for _, s := range append([]string{rep.Note, rep.Question.Text}, rep.Question.Options...) {
			if s != detect.OneLine(s, detect.MaxText) {
				t.Fatalf("%q is shown", s)
			}
		}
	}
	if n := len(p.Records()); n > maxRecords {
		t.Errorf("%d records", n)
	}
	p.Take([]byte("state=clear"))
	p.Take([]byte("state=done"))
	if rep := p.Report(); rep.State != detect.Idle {
		t.Errorf("after all that: %+v", rep)
	}
}

func FuzzProgram(f *testing.F) {
	f.Add([]byte("state=blocked:kind=permission:msg=YXBwcm92ZSBCYXNoOiBscw==:app=claude-code\nstate=clear"))
	f.Add([]byte("?\nstate=working:id=a/b:title=" + b64("t") + "\nstate=clear:id=a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Program
		for l := range strings.Lines(string(data)) {
			l = strings.TrimSuffix(l, "\n")
			if !p.Take([]byte(l)) {
				continue
			}
			r, err := ParseRecord([]byte(l))
			if err != nil {
				t.Fatalf("%q was taken", l)
			}
			again, err := ParseRecord([]byte(r.Data))
			if err != nil || again != r {
				t.Fatalf("%q cannot be passed on: %v", l, err)
			}
			_ = p.Report()
		}
		// A terminal that is sent all records knows as much.
		var q Program
		for _, r := range p.Records() {
			q.Take([]byte(r.Data))
		}
		a, b := p.Report(), q.Report()
		if a.State != b.State || a.Question.Text != b.Question.Text {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

func BenchmarkTake(b *testing.B) {
	data := []byte("state=blocked:app=claude-code:kind=permission:msg=" + b64("approve Bash: curl http://127.0.0.1:1/"))
	var p Program
	for b.Loop() {
		p.Take(data)
		_ = p.Report()
	}
}
