package screen

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestBombs writes what makes emulators count to 2^63, hang with a lock held or
// collect a string for ever, to the largest screen there is.
func TestBombs(t *testing.T) {
	for _, bomb := range []string{
		"\x1b[999999999I", "\x1b[9223372036854775807I", "\x1b[999999999Z", "x\x1b[999999999b", "日\x1b[999999999b",
		"\x1b[9223372036854775807@", "\x1b[-5@", "\x1b[9223372036854775807P", "\x1b[-5P", "\x1b[999999999X",
		"\x1b[999999999L", "\x1b[999999999M", "\x1b[999999999S", "\x1b[999999999T", "\x1b[999999999A", "\x1b[999999999B",
		"\x1b[999999999;999999999H", "\x1b[1;999999999r\x1b[S", "\x1b[999999999 @", "\x1b[999999999'}",
		"\x1b]0;" + strings.Repeat("x", 8<<20) + "\a", "\x1bP" + strings.Repeat("x", 8<<20),
		"\x1b[" + strings.Repeat("1;", 4<<20) + "H", "\x1b" + strings.Repeat(" ", 8<<20), strings.Repeat("\x1b", 8<<20),
		strings.Repeat("\x1b[22t", 1<<16), strings.Repeat("x\x1b[999999999b", 100), strings.Repeat("\x1b#8\x1b[2J", 20),
		strings.Repeat("\x1b[?1049h\x1b[?1049l", 200), strings.Repeat("\x1b[?2026hx", 1000),
	} {
		s := New(maxSize, maxSize)
		start := cpuTime()
		s.Write([]byte(bomb))
		s.Snapshot()
		if d := cpuTime() - start; d > 10*time.Second {
			t.Errorf("%.40q takes %v", bomb, d)
		}
		if s.Resets() != 0 {
			t.Errorf("%.40q: the emulator panicked: %s", bomb, s.Fault())
		}
	}
}

// TestMemory writes much of what could be kept.
func TestMemory(t *testing.T) {
	s := New(120, 32)
	s.Write([]byte("x\x1b[?2026h"))
	base := heap()
	for _, unit := range []string{
		"The quick brown fox jumps over the lazy dog.\r\n", "\x1b]0;a title\a\x1b[22t", "\x1b]8;;https://example.com/\x1b\\x",
		"\x1b[?2026h日本\x1b[?2026l", "\x1b[2J\x1b[H", "\x1b[?1049h\x1b[?1049l", "\x1b_", "string without end ",
	} {
		block := []byte(strings.Repeat(unit, 1<<16/len(unit)))
		for range 5 {
			s.Write(block)
			s.Snapshot()
		}
		s.Resize(121, 33)
		s.Resize(120, 32)
		if grown := heap() - base; grown > 1<<20 {
			t.Errorf("after %q the heap has grown by %d bytes", unit, grown)
		}
	}
	runtime.KeepAlive(s)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
