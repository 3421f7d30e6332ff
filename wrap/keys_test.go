package wrap

import (
	"testing"
	"time"
)

func TestKeys(t *testing.T) {
	const key, paste, click = 1 << InputKey, 1 << InputPaste, 1 << InputMouse
	for _, tt := range []struct {
		name string
		in   string
		want acts
	}{
		{"letter", "y", key},
		{"Enter", "\r", key},
		{"Ctrl-C", "\x03", key},
		{"Esc", "\x1b", key},
		{"Alt-x", "\x1bx", key},
		{"arrow", "\x1b[A", key},
		{"arrow, application mode", "\x1bOA", key},
		{"F5", "\x1b[15~", key},
		{"kitty key", "\x1b[97;5u", key},
		{"kitty release", "\x1b[97;1:3u", key},
		{"modifyOtherKeys", "\x1b[27;5;97~", key},
		{"input method", "日本", key},
		{"paste", "\x1b[200~ls\r\x1b[201~", paste},
		{"paste, then a key", "\x1b[200~ls\x1b[201~\r", paste | key},
		{"mouse press", "\x1b[<0;10;5M", click},
		{"mouse release", "\x1b[<0;10;5m", click},
		{"wheel", "\x1b[<64;10;5M", click},
		{"mouse motion", "\x1b[<35;10;5M", 0},
		{"mouse drag", "\x1b[<32;10;5M", 0},
		{"urxvt press", "\x1b[32;10;5M", click},
		{"urxvt motion", "\x1b[67;10;5M", 0},
		{"X10 press", "\x1b[M !!", click},
		{"X10 motion", "\x1b[MC!!", 0},
		{"X10 press, then a key", "\x1b[M !!y", click | key},
		{"device attributes", "\x1b[?62;22c\x1b[>1;10;0c\x1b[=0c", 0},
		{"cursor position", "\x1b[12;40R\x1b[?12;40R", 0},
		{"F3", "\x1b[R", key},
		{"status", "\x1b[0n\x1b[?997;1n", 0},
		{"mode report", "\x1b[?2026;2$y", 0},
		{"keyboard flags", "\x1b[?1u", 0},
		{"window size", "\x1b[8;24;80t\x1b[48;24;80;480;800t", 0},
		{"colour", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", 0},
		{"colour with BEL", "\x1b]11;rgb:1e1e/1e1e/2e2e\a", 0},
		{"version", "\x1bP>|kitty 0.35\x1b\\", 0},
		{"graphics", "\x1b_Gi=1;OK\x1b\\", 0},
		{"batch of replies", "\x1b[?62c\x1b[6;1R\x1b]11;rgb:0/0/0\x1b\\\x1b[?0u\x1bP>|X 1\x1b\\", 0},
		{"reply, then a key", "\x1b[?62cy", key},
		{"focus", "\x1b[I\x1b[O", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var k keys
			now := time.Unix(1000, 0)
			if got := k.feed([]byte(tt.in), now, false, nil); got != tt.want {
				t.Errorf("got %03b, want %03b", got, tt.want)
			}
			for cut := 1; cut < len(tt.in); cut++ {
				if tt.in[:cut] == "\x1b" {
					continue // a read with an ESC alone is the Esc key
				}
				var k keys
				got := k.feed([]byte(tt.in[:cut]), now, false, nil) | k.feed([]byte(tt.in[cut:]), now, false, nil)
				if got != tt.want {
					t.Errorf("cut at %d: got %03b, want %03b", cut, got, tt.want)
				}
			}
			if ok, _ := k.safe(now.Add(escTime + time.Millisecond)); !ok {
				t.Error("not safe afterwards")
			}
		})
	}
}

func TestKeysFocus(t *testing.T) {
	var k keys
	var got []bool
	note := func(in bool) { got = append(got, in) }
	now := time.Unix(1000, 0)
	k.feed([]byte("\x1b[I"), now, false, note)
	if len(got) != 0 {
		t.Errorf("reported without mode 1004: %v", got)
	}
	k.feed([]byte("a\x1b[Ob\x1b"), now, true, note)
	k.feed([]byte("[I"), now, true, note)
	k.feed([]byte("\x1b[1;2I\x1b[200~\x1b[201~"), now, true, note)
	if len(got) != 2 || got[0] || !got[1] {
		t.Errorf("got %v, want [false true]", got)
	}
}

func TestKeysSafe(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, tt := range []struct {
		name  string
		in    string
		after time.Duration
		want  bool
	}{
		{"nothing", "", 0, true},
		{"letter", "a", 0, true},
		{"half a character", "é"[:1], 0, false},
		{"ESC", "\x1b", 0, false},
		{"ESC a little later", "\x1b", escTime / 2, false},
		{"ESC was the key", "\x1b", escTime + 1, true},
		{"within a CSI", "\x1b[20", escTime + 1, false},
		{"within a CSI for ever", "\x1b[20", inputTime + 1, true},
		{"within a reply", "\x1b]11;rgb:", 0, false},
		{"within a paste", "\x1b[200~text", 0, false},
		{"within a paste, ESC", "\x1b[200~text\x1b", escTime + 1, false},
		{"paste that never ends", "\x1b[200~text", inputTime + 1, true},
		{"after a paste", "\x1b[200~text\x1b[201~", 0, true},
		{"within an X10 report", "\x1b[M!", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var k keys
			if tt.in != "" {
				k.feed([]byte(tt.in), now, false, nil)
			}
			at := now.Add(tt.after)
			ok, wait := k.safe(at)
			if ok != tt.want {
				t.Fatalf("safe() = %v, want %v", ok, tt.want)
			}
			if !ok {
				if again, _ := k.safe(at.Add(wait)); !again {
					t.Errorf("still not safe after the %v that it said", wait)
				}
			}
		})
	}
}

// TestKeysEscThenString: Esc and then P is not the beginning of a string that
// swallows all that is typed afterwards.
func TestKeysEscThenString(t *testing.T) {
	var k keys
	now := time.Unix(1000, 0)
	for _, s := range []string{"\x1b", "P", "y"} {
		if a := k.feed([]byte(s), now, false, nil); a != 1<<InputKey {
			t.Errorf("%q is %03b", s, a)
		}
		now = now.Add(time.Second)
	}
}
