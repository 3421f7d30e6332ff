package wrap

import (
	"bytes"
	"testing"
	"time"
)

// TestReplies feeds input whole and cut at every place: replies are taken out,
// everything else goes on, and the fence is seen.
func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		replies, fence int
	}{
		{"none", "abc\x1b[A", "abc\x1b[A", 0, 0},
		{"BEL", "a\x1b]7501;?\ab", "ab", 1, 0},
		{"ST", "a\x1b]7501;?\x1b\\b", "ab", 1, 0},
		{"fenced", "\x1b]7501;?\x1b\\\x1b[?62;4cx", "\x1b[?62;4cx", 1, 1},
		{"fence alone", "\x1b[?1;2c", "\x1b[?1;2c", 0, 1},
		{"another OSC", "\x1b]11;rgb:0/0/0\a", "\x1b]11;rgb:0/0/0\a", 0, 0},
		{"broken by a key", "\x1b]7501;?\x1b[Ab", "\x1b]7501;?\x1b[Ab", 0, 0},
		{"Esc and Alt-]", "\x1b\x1b]", "\x1b\x1b]", 0, 0},
		{"two", "\x1b]7501;?\a\x1b]7501;?\a.", ".", 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.in) + 1 {
				replies, fences := 0, 0
				r := newReplies(7501, func(data []byte) bool {
					if data == nil {
						fences++
						return false
					}
					replies++
					return true
				})
				now := time.Unix(0, 0)
				r.await(now)
				var got []byte
				for _, p := range []string{tt.in[:cut], tt.in[cut:]} {
					if p != "" {
						got = append(got, r.filter(now, []byte(p))...)
					}
				}
				got = append(got, r.filter(now.Add(replyTime+1), nil)...)
				// A cut in the first four bytes of a reply lets it pass: they
				// could be keys.
				early := bytes.Contains([]byte(tt.in), []byte("\x1b]7501")) && len(got) > len(tt.want)
				if string(got) != tt.want && !(early && string(got) != "" && replies < tt.replies) {
					t.Errorf("cut at %d: %q goes on, want %q", cut, got, tt.want)
				}
				if cut == 0 && (replies != tt.replies || fences != tt.fence) {
					t.Errorf("%d replies, %d fences, want %d, %d", replies, fences, tt.replies, tt.fence)
				}
			}
		})
	}
}

func TestRepliesAtRest(t *testing.T) {
	r := newReplies(7501, func([]byte) bool { t.Error("asked at rest"); return true })
	in := []byte("\x1b]7501;?\a")
	if got := r.filter(time.Unix(0, 0), in); !bytes.Equal(got, in) {
		t.Errorf("%q goes on", got)
	}
}

// FuzzReplies: without a reply in it, input goes on as it is.
func FuzzReplies(f *testing.F) {
	f.Add([]byte("a\x1b]7501;?\ab"), 3)
	f.Add([]byte("\x1b]75\x1b]7501;x"), 2)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		var dropped int
		r := newReplies(7501, func(data []byte) bool {
			if data != nil {
				dropped += len("\x1b]7501;") + len(data)
			}
			return data != nil
		})
		now := time.Unix(0, 0)
		r.await(now)
		if cut < 0 || cut > len(in) {
			cut = 0
		}
		var got []byte
		for _, p := range [][]byte{in[:cut], in[cut:]} {
			got = append(got, r.filter(now, bytes.Clone(p))...)
		}
		got = append(got, r.filter(now.Add(replyTime+1), nil)...)
		if dropped == 0 && !bytes.Equal(got, in) {
			t.Errorf("%q became %q", in, got)
		}
		if len(got)+dropped > len(in) {
			t.Errorf("%q grew to %q", in, got)
		}
	})
}
