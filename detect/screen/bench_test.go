package screen

import (
	"fmt"
	"strings"
	"testing"
)

// frame is what an Ink program writes ten times a second: a spinner, its title,
// a box.
const frame = "\x1b[?2026h\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G" +
	"\x1b[38;2;215;119;87m✳\x1b[39m \x1b[38;2;215;119;87mThinking…\x1b[39m \x1b[2m(12s · ↓ 1.2k tokens · esc to interrupt)\x1b[22m\r\n" +
	"\x1b[2m────────────────────────────────────────────────────────────────────────────────────────────────────────────\x1b[22m\r\n" +
	"❯\u00a0\x1b[7m \x1b[27m\r\n" +
	"\x1b[2m────────────────────────────────────────────────────────────────────────────────────────────────────────────\x1b[22m\r\n" +
	"\x1b]0;✳ Claude Code\a\x1b[?2026l"

func BenchmarkWrite(b *testing.B) {
	for _, bb := range []struct{ name, unit string }{
		{"plain", strings.Repeat("The quick brown fox jumps over the lazy dog, and the terminal scrolls.", 1) + "\r\n"},
		{"frames", frame},
		{"wide", "│ 日本語テスト │ 👍 ─── ❯ \x1b[20Gx\r\n"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[39m \x1b[4munder\x1b[24m\r\n"},
		{"erase", "x\x1b[2J\x1b[H"},
	} {
		data := []byte(strings.Repeat(bb.unit, 1<<16/len(bb.unit)+1))
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			s := New(120, 32)
			for b.Loop() {
				feed(s, data, 4096)
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	for _, size := range [][2]int{{120, 32}, {300, 100}} {
		cols, rows := size[0], size[1]
		full := New(cols, rows)
		for range rows {
			full.Write([]byte("\r\n│ " + strings.Repeat("word ", cols/5-1)))
		}
		b.Run(fmt.Sprintf("%dx%d/all", cols, rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for y := range full.grid.lines {
					full.grid.touch(y)
				}
				full.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("%dx%d/frame", cols, rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				full.Write([]byte(frame))
				full.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("%dx%d/same", cols, rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				full.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("%dx%d/vt10x", cols, rows), func(b *testing.B) {
			b.ReportAllocs()
			vt := full.grid.vt.(fmt.Stringer)
			for b.Loop() {
				_ = vt.String()
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(120, 32)
	}
}
