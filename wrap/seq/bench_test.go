package seq

import (
	"bytes"
	"testing"
)

func BenchmarkNext(b *testing.B) {
	frame := "\x1b[?2026h\r\x1b[2K\x1b[1A\x1b[2K\x1b[38;2;215;119;87m✳\x1b[39m Thinking… \x1b[2m(12s · esc to interrupt)\x1b[22m\r\n" +
		"\x1b[2m────────────────────────────────────────\x1b[22m\r\n❯ \x1b[7m \x1b[27m\r\n\x1b]0;✳ Claude Code\a\x1b[?2026l"
	for _, bb := range []struct{ name, unit string }{
		{"ascii", "The quick brown fox jumps over the lazy dog, and the terminal scrolls all of it away. "},
		{"lines", "The quick brown fox jumps over the lazy dog, and the terminal scrolls.\r\n"},
		{"utf8", "│ 日本語テスト ─── ❯ "},
		{"frames", frame},
		{"osc52", "\x1b]52;c;" + string(bytes.Repeat([]byte("QUJD"), 8000)) + "\a"},
	} {
		data := bytes.Repeat([]byte(bb.unit), 1<<16/len(bb.unit)+1)
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var s Scanner
			for b.Loop() {
				for p := data; len(p) > 0; {
					_, n := s.Next(p)
					p = p[n:]
				}
			}
		})
	}
}
