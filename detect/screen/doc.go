// Package screen turns a program's output into a [detect.Snapshot].
//
// It is hinshun/vt10x behind a front-end that does the terminal's thinking. On
// its own vt10x loses characters that a read has cut, knows no wide glyphs,
// takes "CSI < u" (which Claude Code writes at its exit) for a cursor
// movement, and panics or hangs on a few bytes. So it gets no byte of the
// program's: the front-end parses the stream with [fwrap/wrap/seq], keeps
// cursor, margins, modes, tab stops and character sets itself, and has vt10x
// hold the cells, by the few commands that it draws rightly (text, absolute
// positions, erase, insert, delete, scroll, the change of screens) with counts
// that lie within the screen. Where terminals differ it does as xterm.js does.
//
// Colours are not kept, and no query is ever answered: the person's own
// terminal does that. It must not know rules or agents.
package screen
