// Package seq finds where terminal sequences start and end in a byte stream.
//
// It is a leaf: it imports nothing of this module, and any room may use it. It
// knows the grammar of ECMA-48 and xterm (text, C0, ESC, CSI, OSC, DCS, APC,
// PM, SOS) and UTF-8, but not what any sequence means.
//
// The stream is taken as UTF-8, as every terminal of today runs: bytes 0x80 to
// 0xFF belong to characters and are never C1 controls. Claude Code's title
// begins with ✳, which is E2 9C B3; a scanner that takes the 9C for a string
// terminator cuts the title and spills its tail into the text.
//
// A [Scanner] works on slices as they were read, needs no memory for text and
// at most [MaxBody] bytes for a sequence that a read has cut.
package seq
