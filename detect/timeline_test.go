package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// page is a screen whose every write is a whole new page. "\x0e" opens a
// synchronised update, "\x0f" closes it.
type page struct {
	text, old string
	sync      bool
	ended     int
	snapshots int
}

func (p *page) Write(b []byte) {
	text := string(b)
	if strings.HasPrefix(text, "\x0e") {
		p.old, p.sync = p.text, true
	}
	if strings.HasSuffix(text, "\x0f") {
		p.sync = false
	}
	if text = strings.Trim(text, "\x0e\x0f"); text != "" {
		p.text = text
	}
}
func (p *page) Resize(int, int)    {}
func (p *page) Synchronized() bool { return p.sync }
func (p *page) EndSync()           { p.sync = false; p.ended++ }
func (p *page) Snapshot() Snapshot {
	p.snapshots++
	text := p.text
	if p.sync {
		text = p.old
	}
	return Snapshot{Cols: 80, Rows: strings.Split(text, "\n")}
}

func pageRules(t testing.TB) *Rules {
	rule := func(id string, state State, expr string) Rule {
		return Rule{ID: id, Line: 1, State: state, Cond: Cond{Any: pats(t, expr)}}
	}
	keep := rule("viewer", None, `viewer`)
	keep.Keep = true
	busy := rule("busy", Working, `busy`)
	compact := rule("compact", Working, `compact`)
	compact.Kind = Compacting
	return &Rules{Agent: "demo", File: "demo.toml", List: []Rule{rule("ask", Blocked, `ask`), keep, compact, busy, rule("rest", Idle, `rest`)}}
}

// clock drives a timeline as a program would: it ticks when Next says so.
type clock struct {
	t     *testing.T
	tl    *Timeline
	page  *page
	base  time.Time
	now   time.Duration
	ticks int
	log   []string // "120ms blocked"
}

func newClock(t *testing.T) *clock {
	p := &page{}
	c := &clock{t: t, page: p, base: time.Unix(1e9, 0), tl: New(Config{Screen: p, Rules: pageRules(t)})}
	c.tl.Alive(c.base, true)
	c.note()
	return c
}

func (c *clock) at() time.Time { return c.base.Add(c.now) }

func (c *clock) note() {
	s := c.tl.Status()
	line := s.State.String()
	if s.Kind != "" {
		line += "/" + string(s.Kind)
	}
	if n := len(c.log); n > 0 && strings.HasSuffix(c.log[n-1], " "+line) {
		return
	}
	c.log = append(c.log, fmt.Sprintf("%s %s", c.now, line))
}

// to lets time pass until ms after the start.
func (c *clock) to(ms int) {
	end := time.Duration(ms) * time.Millisecond
	for {
		next, ok := c.tl.Next()
		if !ok || next.After(c.base.Add(end)) {
			break
		}
		if next.Before(c.at()) {
			c.t.Fatalf("at %s the next instant is %s, in the past", c.now, next.Sub(c.base))
		}
		c.now = next.Sub(c.base)
		c.ticks++
		if c.ticks > 100000 {
			c.t.Fatal("the timeline spins")
		}
		c.tl.Tick(next)
		c.note()
	}
	c.now = end
}

func (c *clock) write(ms int, text string) {
	c.to(ms)
	c.tl.Write(c.at(), []byte(text))
	c.note()
}

func (c *clock) want(lines ...string) {
	c.t.Helper()
	if !slices.Equal(c.log, lines) {
		c.t.Errorf("%q\nwant %q", c.log, lines)
	}
}

func TestTimelineQuiet(t *testing.T) {
	c := newClock(t)
	c.write(0, "busy")
	c.write(1000, "ask")
	c.to(5000)
	c.want("0s none", "60ms working", "1.06s blocked")
	if _, ok := c.tl.Next(); ok {
		t.Error("something is due at rest")
	}
	s := c.tl.Status()
	if s.Rule != "demo/ask" || s.At != "demo.toml:1" || s.Line != "ask" || s.Source != FromScreen || !s.Since.Equal(c.base.Add(1060*time.Millisecond)) {
		t.Errorf("%+v", s)
	}
}

// A prompt between other output is seen within 700 ms whatever goes on.
func TestTimelineUnderContinuousOutput(t *testing.T) {
	c := newClock(t)
	for ms := 0; ms < 10000; ms += 10 {
		text := fmt.Sprintf("busy %d", ms)
		if ms >= 3000 {
			text = fmt.Sprintf("ask %d", ms)
		}
		c.write(ms, text)
	}
	if c.page.snapshots > 10000/700+1 {
		t.Errorf("%d looks in 10 s of output", c.page.snapshots)
	}
	c.to(11000)
	if len(c.log) != 3 || !strings.HasSuffix(c.log[2], " blocked") {
		t.Fatalf("%q", c.log)
	}
	var at time.Duration
	if at, _ = time.ParseDuration(strings.Fields(c.log[2])[0]); at > 3700*time.Millisecond {
		t.Errorf("seen at %s", at)
	}
}

// Frames of a spinner come ten times a second, each followed by quiet.
func TestTimelineSpinner(t *testing.T) {
	c := newClock(t)
	for ms := 0; ms < 10000; ms += 100 {
		c.write(ms, fmt.Sprintf("busy %d", ms))
	}
	if c.page.snapshots > 101 {
		t.Errorf("%d looks in 10 s", c.page.snapshots)
	}
	n := c.page.snapshots
	c.to(20000)
	if c.page.snapshots > n+1 {
		t.Errorf("%d looks at rest", c.page.snapshots-n)
	}
	c.want("0s none", "60ms working")
}

func TestTimelineSynchronizedUpdate(t *testing.T) {
	c := newClock(t)
	c.write(0, "busy")
	c.write(500, "\x0eask")
	c.to(900)
	c.want("0s none", "60ms working")
	c.write(900, "\x0f") // seen at once
	c.want("0s none", "60ms working", "900ms blocked")
	c.write(1000, "\x0ebusy") // and never ended
	c.to(9000)
	c.want("0s none", "60ms working", "900ms blocked", "2s working")
	if c.page.ended != 1 {
		t.Errorf("%d updates were cut off", c.page.ended)
	}
	if _, ok := c.tl.Next(); ok {
		t.Error("something is due at rest")
	}
}

// Updates that end many times a second are looked at ten times a second.
func TestTimelineManyUpdates(t *testing.T) {
	c := newClock(t)
	for ms := 0; ms < 5000; ms += 20 {
		c.write(ms, fmt.Sprintf("\x0ebusy %d", ms))
		c.write(ms+10, "\x0f")
	}
	if c.page.snapshots > 51 {
		t.Errorf("%d looks in 5 s", c.page.snapshots)
	}
}

// A burst that ends in the middle of a frame must not look like the end.
func TestTimelineHalfFrame(t *testing.T) {
	c := newClock(t)
	c.write(0, "busy")
	for ms := 200; ms < 3000; ms += 5 {
		text := fmt.Sprintf("busy %d", ms)
		if 890 <= ms && ms <= 905 { // where the look falls
			text = fmt.Sprintf("half a frame %d", ms)
		}
		c.write(ms, text)
	}
	c.to(4000)
	c.want("0s none", "60ms working")
	c.write(4000, "nothing that a rule knows")
	c.to(5000)
	if last := c.log[len(c.log)-1]; last != "4.16s idle" {
		t.Errorf("%q", c.log)
	}
}

func TestTimelineKeep(t *testing.T) {
	c := newClock(t)
	c.write(0, "viewer")
	c.write(1000, "compact")
	c.write(2000, "viewer")
	c.write(3000, "rest")
	c.to(4000)
	c.want("0s none", "60ms idle", "1.06s working/compacting", "3.06s idle")
}

func TestTimelineAlive(t *testing.T) {
	c := newClock(t)
	c.write(0, "ask")
	c.to(1000)
	c.tl.Alive(c.at(), false)
	c.note()
	c.write(2000, "still on the screen: ask")
	c.to(3000)
	c.tl.Alive(c.at(), true)
	c.note()
	c.write(4000, "ask again")
	c.to(5000)
	c.want("0s none", "60ms blocked", "1s none", "4.06s blocked")
}

func TestTimelineRulesComeLate(t *testing.T) {
	c := newClock(t)
	c.tl.SetRules(c.at(), nil)
	c.write(0, "ask")
	c.to(2000)
	c.want("0s none")
	c.tl.SetRules(c.at(), pageRules(t))
	c.note()
	c.want("0s none", "2s blocked")
	c.tl.SetRules(c.at(), nil)
	c.note()
	c.want("0s none", "2s blocked", "2s none")
}

// The agent's own word and the screen are weighed by sources; the timeline has
// only to let time pass for both.
func TestTimelineReport(t *testing.T) {
	c := newClock(t)
	c.write(0, "rest")
	c.to(1000)
	c.tl.Report(c.at(), Report{Source: FromHook, State: Working})
	c.note()
	c.to(9000) // the screen shows the agent at rest all the while
	c.want("0s none", "60ms idle", "1s working", "3.1s idle/interrupted")
	if _, ok := c.tl.Next(); ok {
		t.Error("something is due at rest")
	}
}

// Since is when a state and kind began, and a repaint does not begin it anew.
func TestTimelineSince(t *testing.T) {
	c := newClock(t)
	c.write(0, "busy 1")
	c.to(500)
	since := c.tl.Status().Since
	c.write(1000, "busy 2")
	c.to(2000)
	if s := c.tl.Status(); !s.Since.Equal(since) || s.Line != "busy 2" {
		t.Errorf("since %s, line %q", s.Since.Sub(c.base), s.Line)
	}
	c.write(3000, "compact")
	c.to(4000)
	if s := c.tl.Status(); !s.Since.Equal(c.base.Add(3060 * time.Millisecond)) {
		t.Errorf("since %s", s.Since.Sub(c.base))
	}
}

// From a prompt's last byte to the state: at most 700 ms, whatever came before
// and comes after, and mostly no more than the quiet.
func TestTimelineDelay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var delays []time.Duration
	for range 400 {
		c := newClock(t)
		ms := 0
		for range rnd.IntN(40) {
			ms += 1 + rnd.IntN([]int{5, 40, 300}[rnd.IntN(3)])
			c.write(ms, fmt.Sprintf("busy %d", ms))
		}
		ms += 1 + rnd.IntN(200)
		drawn := time.Duration(ms) * time.Millisecond
		c.write(ms, fmt.Sprintf("ask %d", ms))
		for range rnd.IntN(40) {
			ms += 1 + rnd.IntN([]int{5, 40, 300}[rnd.IntN(3)])
			c.write(ms, fmt.Sprintf("ask %d", ms))
		}
		c.to(ms + 2000)
		last := c.log[len(c.log)-1]
		at, err := time.ParseDuration(strings.Fields(last)[0])
		if err != nil || !strings.HasSuffix(last, " blocked") {
			t.Fatalf("%q", c.log)
		}
		delays = append(delays, at-drawn)
	}
	slices.Sort(delays)
	median, longest := delays[len(delays)/2], delays[len(delays)-1]
	t.Logf("median %s, longest %s", median, longest)
	if median >= 120*time.Millisecond || longest > 700*time.Millisecond {
		t.Errorf("median %s, longest %s", median, longest)
	}
}

func FuzzTimeline(f *testing.F) {
	f.Add([]byte("a\x01b\x02c\x03\x0e\x0f"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		words := []string{"ask", "busy", "rest", "viewer", "compact", "x", "\x0eask", "\x0f", "\x0ebusy\x0f"}
		p := &page{}
		tl := New(Config{Screen: p, Rules: pageRules(t)})
		now := time.Unix(1e9, 0)
		for i := 0; i+1 < len(ops); i += 2 {
			now = now.Add(time.Duration(ops[i]) * time.Millisecond)
			for n := 0; ; n++ {
				next, ok := tl.Next()
				if !ok || next.After(now) {
					break
				}
				if n > 1000 {
					t.Fatal("the timeline spins")
				}
				tl.Tick(next)
			}
			switch op := int(ops[i+1]); {
			case op < 200:
				tl.Write(now, []byte(words[op%len(words)]))
			case op < 210:
				tl.Resize(now, op, 24)
			case op < 220:
				tl.Alive(now, op%2 == 0)
			case op < 230:
				tl.Report(now, Report{Source: FromHook, State: State(op % 4)})
			default:
				tl.SetRules(now, pageRules(t))
			}
		}
		now = now.Add(2 * time.Hour)
		tl.Tick(now)
		for n := 0; ; n++ {
			next, ok := tl.Next()
			if !ok {
				break
			}
			if n > 1000 {
				t.Fatal("no rest is found")
			}
			if now.Before(next) {
				now = next
			}
			tl.Tick(now)
		}
		if s := p.Snapshot(); tl.src.front != ForegroundGone && tl.src.looked && !tl.src.hook.has {
			v := pageRules(t).Match(&s)
			if got := tl.Status().State; !v.Keep && got != v.State {
				t.Fatalf("at rest %s is said of %q", got, p.text)
			}
		}
	})
}
