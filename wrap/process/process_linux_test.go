package process

import "testing"

func TestParseStat(t *testing.T) {
	const tail = " 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 1000 10 18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 5 6 7 140724603453440 9 10 0\n"
	for _, c := range []struct {
		line string
		want Process
		ok   bool
	}{
		{"7 (sh) S 1 7 7 34816 7" + tail, Process{PID: 7, PPID: 1, PGID: 7, Comm: "sh"}, true},
		{"7 (a) b) (c) T 1 6 7 34816 7" + tail, Process{PID: 7, PPID: 1, PGID: 6, Comm: "a) b) (c", Stopped: true}, true},
		{"7 (sh) Z 1 7 7 34816 7" + tail, Process{}, false},
		{"7 (sh", Process{}, false},
		{"7 (sh) S 1", Process{}, false},
		{"", Process{}, false},
	} {
		got, ok := parseStat([]byte(c.line))
		if ok != c.ok {
			t.Errorf("%q: ok %v", c.line, ok)
			continue
		}
		if !ok {
			continue
		}
		if got.Start == 0 || got.image == 0 {
			t.Errorf("%q: start %d image %d", c.line, got.Start, got.image)
		}
		got.Start, got.image = 0, 0
		if !got.same(&c.want) || got.Stopped != c.want.Stopped || got.PPID != c.want.PPID {
			t.Errorf("%q: %+v, want %+v", c.line, got, c.want)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (sh) S 1 7 7 34816 7 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 1000"))
	f.Add([]byte("1 () R"))
	f.Add([]byte("1 ()) R  2"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := parseStat(b); ok && p.PID <= 0 {
			t.Errorf("PID %d", p.PID)
		}
	})
}

func TestSplitArgs(t *testing.T) {
	for in, want := range map[string]int{"": 0, "\x00\x00": 0, "a\x00": 1, "a\x00\x00b\x00": 3, "title\x00\x00\x00": 1} {
		if got := splitArgs([]byte(in)); len(got) != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
