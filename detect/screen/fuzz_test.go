package screen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// FuzzScreen writes mutated recordings and resizes at random, from 1x1 to
// 500x500. Nothing may panic, hang or grow, and how the bytes are cut must not
// matter. The long run:
//
//	go test ./detect/screen -run '^$' -fuzz FuzzScreen -fuzztime 10m
//
// Each two bytes of sizes are what happens next: how many bytes are written,
// and after them a resize if the second is not 0.
func FuzzScreen(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, []byte{200, 0, 255, 30, 100, 200, 255, 1})
		f.Add(s, []byte{})
	}
	f.Fuzz(func(t *testing.T, stream, sizes []byte) {
		if len(stream) > 1<<14 || len(sizes) > 64 {
			return
		}
		exercise(t, stream, sizes)
	})
}

// exercise writes the stream to two screens, in pieces and byte by byte, and
// looks at them after each piece.
func exercise(t *testing.T, stream, sizes []byte) {
	t.Helper()
	start := cpuTime()
	whole, bytewise := New(80, 24), New(80, 24)
	for len(stream) > 0 {
		n, size := len(stream), byte(0)
		if len(sizes) >= 2 {
			n, size = min(n, 1+8*int(sizes[0])), sizes[1]
			sizes = sizes[2:]
		}
		whole.Write(stream[:n])
		feed(bytewise, stream[:n], 1)
		check(t, whole)
		check(t, bytewise)
		a, b := whole.Snapshot(), bytewise.Snapshot()
		if strings.Join(a.Rows, "\n") != strings.Join(b.Rows, "\n") || a.Cursor != b.Cursor || a.Title != b.Title {
			t.Fatalf("after %q\nwhole %+v\n%s\nby bytes %+v\n%s", stream[:n], a.Cursor, strings.Join(a.Rows, "\n"), b.Cursor, strings.Join(b.Rows, "\n"))
		}
		stream = stream[n:]
		if size > 0 {
			// Mostly small, so that much happens at the edges.
			cols, rows := 1+int(size)%16, 1+int(size)/16
			if size%8 == 7 {
				cols, rows = 1+2*int(size)%maxSize, 1+7*int(size)%maxSize
			}
			whole.Resize(cols, rows)
			bytewise.Resize(cols, rows)
		}
	}
	// 16 KiB take a few milliseconds; a hang or a bomb takes far longer. CPU
	// time, as the machine may be busy.
	if d := cpuTime() - start; d > 20*time.Second {
		t.Fatalf("it took %v", d)
	}
}

// seeds are the repros and pieces of the recordings.
func seeds(t testing.TB) (all [][]byte) {
	repros, err := filepath.Glob("../../testdata/emulator/repros/*.raw")
	if err != nil || len(repros) == 0 {
		t.Fatal("no repros", err)
	}
	for _, name := range repros {
		all = append(all, read(t, name))
	}
	recordings, err := filepath.Glob(captures + "/*/*/*.raw.gz")
	if err != nil || len(recordings) == 0 {
		t.Fatal("no captures", err)
	}
	for i := 0; i < len(recordings); i += 20 {
		raw := read(t, recordings[i])
		all = append(all, raw[len(raw)-min(len(raw), 4<<10):])
	}
	for _, s := range []string{
		"\x1b[2;3r\x1b[?6h\x1b[9999999999b", "\x1b[-5P\x1b[9223372036854775807@", "\x1b#8\x1b[2L\x1b[3M\x1b['}",
		"日本\x1b[4h\x1b[2@語\x1b[?7lテテ", "\x1b[?1049h\x1b[!p\x1bc\x1b[?47l\x1b[22t\x1b[23t\x1b[?2026hx",
	} {
		all = append(all, []byte(s))
	}
	return all
}

// TestRandomStreams does what FuzzScreen does with streams that are mostly
// well-formed, which mutation seldom makes.
func TestRandomStreams(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		sizes := make([]byte, r.IntN(16))
		for i := range sizes {
			sizes[i] = byte(r.Uint32())
		}
		stream := randomStream(r, 200)
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d, sizes %v, stream %q", seed, sizes, stream)
				}
			}()
			exercise(t, stream, sizes)
		}()
	}
}

func randomStream(r *rand.Rand, tokens int) []byte {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	number := func() string {
		if r.IntN(3) == 0 {
			return pick("", "0", "1", "99", "2147483647", "99999999999")
		}
		return fmt.Sprint(r.IntN(30))
	}
	var b bytes.Buffer
	for range tokens {
		switch r.IntN(14) {
		case 0, 1, 2, 3:
			b.WriteString(pick("a", "hello", "The quick brown fox", "│──╮", "日本", "テ", "e\u0301", "👍", "❯\u00a0x",
				"0123456789", "lqk_~", "\xe2\x9c", "\xff", "\U0010fffe", "\u009b"))
		case 4:
			b.WriteString(pick("\r\n", "\n", "\r", "\b", "\t", "\v", "\a", "\x00", "\x0e", "\x0f", "\x18", "\x7f", "\x1b"))
		case 5, 6, 7:
			b.WriteString("\x1b[" + number() + pick(strings.Split("A B C D E F G I Z d a e ` @ P X L M S T b J K g", " ")...))
		case 8:
			b.WriteString("\x1b[" + number() + ";" + number() + pick("H", "f", "r", "r", "m", "t"))
		case 9:
			b.WriteString("\x1b[" + pick("?6", "?7", "?25", "?47", "?1047", "?1048", "?1049", "?2026", "4", "20", "?7;6;1049") + pick("h", "l"))
		case 10:
			b.WriteString("\x1b" + pick("7", "8", "D", "E", "M", "H", "c", "(0", "(B", ")0", "*0", "n", "o", "#8", "%G", "="))
		case 11:
			b.WriteString("\x1b[" + pick("s", "u", "3g", "!p", "<u", ">1u", "38:2::1m", "c", "?2026$p", "3 @", "2 A", "2'}", "2'~", "?J", "22t", "23t"))
		case 12:
			b.WriteString(pick("\x1b]0;✳ t\a", "\x1b]2;x\x1b\\", "\x1b]9;4;1;5\a", "\x1b]8;;u\x1b\\", "\x1bPq\ax\x1b\\", "\x1b_x\x1b\\",
				"\x1b]0;cut", "\x1bX", "\x1b[12", "\x1b["))
		case 13:
			b.WriteString("x\x1b[" + number() + "b")
		}
	}
	return b.Bytes()
}

// check looks at a screen from outside and within.
func check(t *testing.T, s *Screen) {
	t.Helper()
	if s.Resets() != 0 {
		t.Fatalf("the emulator panicked: %s", s.Fault())
	}
	snap := s.Snapshot()
	g := &s.grid
	if !s.sync && (snap.Cols != g.cols || len(snap.Rows) != g.rows) {
		t.Fatalf("%dx%d has a snapshot of %dx%d", g.cols, g.rows, snap.Cols, len(snap.Rows))
	}
	if c := snap.Cursor; !s.sync && (c.X < 0 || c.X >= g.cols || c.Y < 0 || c.Y >= g.rows) {
		t.Fatalf("the cursor is at %d, %d of %dx%d", c.X, c.Y, g.cols, g.rows)
	}
	for _, text := range append(slices.Clone(snap.Rows), snap.Title) {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			t.Fatalf("row or title %q", text)
		}
	}
	live := s.live()
	for y, row := range live.Rows {
		cells := 0
		for _, r := range row {
			cells += runeWidth(r)
		}
		if cells > g.cols || strings.HasSuffix(row, " ") || strings.ContainsRune(row, filler) {
			t.Fatalf("row %d of %d columns: %q", y, g.cols, row)
		}
		// What was kept of the row is what a full look finds.
		if full := g.readRow(nil, y, g.cols); !bytes.Equal(full, []byte(row)) {
			t.Fatalf("row %d is %q, was kept as %q", y, full, row)
		}
	}
	vt := g.vt.Cursor()
	if vt.X != g.x || vt.Y != g.y {
		t.Fatalf("vt10x's cursor is at %d, %d, thought at %d, %d", vt.X, vt.Y, g.x, g.y)
	}
	if m := s.region(); g.top != m.top || g.bottom != m.bottom || m.top > m.bottom || m.bottom >= g.rows {
		t.Fatalf("region %v, of the grid %d to %d of %d", m, g.top, g.bottom, g.rows)
	}
	if n := cap(g.out); n > 1<<18 {
		t.Fatalf("%d bytes wait for vt10x", n)
	}
	if n := cap(s.tape.bytes); n > 2*maxTape {
		t.Fatalf("the tape has grown to %d", n)
	}
	if len(s.title) > maxTitle {
		t.Fatalf("a title of %d bytes", len(s.title))
	}
}
