// Package seq finds where terminal sequences start and end in a byte stream.
//
// It is a leaf: it imports nothing of this module, and any room may use it. It
// knows the grammar of ECMA-48 and xterm (text, C0, ESC, CSI, OSC, DCS, APC,
// PM, SOS) and UTF-8, but not what any sequence means.
package seq
