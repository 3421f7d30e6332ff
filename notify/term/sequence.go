package term

import (
	"encoding/base64"
	"strconv"
	"strings"
)

const (
	esc = "\x1b"
	bel = "\a"
	st  = esc + `\`
)

// Bell returns BEL.
func Bell() []byte { return []byte(bel) }

// Notify9 returns OSC 9, a notification without a title (iTerm2, kitty, Ghostty,
// WezTerm, Zed, Warp), ended by BEL, which the oldest of them expect.
//
// ConEmu and Windows Terminal read OSC 9 ; digit as a command of another kind
// (9;4 is progress), and a terminal that speaks both would draw a bar: a text
// that begins like one gets a space in front.
func Notify9(text string) []byte {
	text = clean(text)
	if i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }); i > 0 && text[i] == ';' || i < 0 && text != "" {
		text = " " + text
	}
	return []byte(esc + "]9;" + text + bel)
}

// Notify777 returns OSC 777;notify (rxvt, foot, Ghostty, WezTerm, Konsole,
// Windows Terminal), ended by ST. The title ends at the first semicolon, so
// it loses its own.
func Notify777(title, body string) []byte {
	title = strings.ReplaceAll(clean(title), ";", ",")
	return []byte(esc + "]777;notify;" + title + ";" + clean(body) + st)
}

// Urgency of an OSC 99 notification, as kitty's protocol numbers it.
type Urgency uint8

const (
	Low      Urgency = 0
	Normal   Urgency = 1
	Critical Urgency = 2
)

// Note99 is a notification for [Notify99].
type Note99 struct {
	ID        string // unique in the terminal; the same again replaces; letters, digits, "_+-."
	Title     string
	Body      string
	Urgency   Urgency
	Unfocused bool // the terminal shows it only while its window is unfocused (o=unfocused)
}

// Notify99 returns OSC 99 (kitty's desktop notification protocol; foot 1.18,
// VS Code): a title and, if there is one, a body, base64-encoded, ended by ST.
func Notify99(n Note99) []byte {
	id := ident(n.ID)
	meta := "i=" + id
	if n.Unfocused {
		meta += ":o=unfocused"
	}
	meta += ":u=" + strconv.Itoa(int(min(n.Urgency, Critical)))
	var b strings.Builder
	if n.Body == "" {
		chunks99(&b, meta+":e=1:p=title", "i="+id+":e=1:p=title", n.Title, true)
	} else {
		chunks99(&b, meta+":e=1:p=title", "i="+id+":e=1:p=title", n.Title, false)
		chunks99(&b, "i="+id+":e=1:p=body", "i="+id+":e=1:p=body", n.Body, true)
	}
	return []byte(b.String())
}

// max99 is the longest payload in bytes before encoding: kitty refuses more
// than 2048 encoded ones in one sequence.
const max99 = 1536

// chunks99 writes text in as many sequences as it needs; d=0 says that more
// of this notification follows.
func chunks99(b *strings.Builder, first, rest, text string, last bool) {
	text = cleanLines(text)
	meta := first
	for {
		part := text
		if len(part) > max99 {
			part = cut(part, max99)
		}
		text = text[len(part):]
		end := text == ""
		b.WriteString(esc + "]99;" + meta)
		if !end || !last {
			b.WriteString(":d=0")
		}
		b.WriteString(";" + base64.StdEncoding.EncodeToString([]byte(part)) + st)
		if end {
			return
		}
		meta = rest
	}
}

// Close99 returns the OSC 99 that takes the notification id away.
func Close99(id string) []byte {
	return []byte(esc + "]99;i=" + ident(id) + ":p=close;" + st)
}

// SetTitle returns OSC 0, which sets the window's and the icon's title.
func SetTitle(title string) []byte { return []byte(esc + "]0;" + clean(title) + bel) }

// PushTitle returns XTWINOPS 22;0, which saves both titles on the terminal's
// stack (xterm, VTE, kitty, iTerm2, Alacritty, foot, tmux; others ignore it).
func PushTitle() []byte { return []byte(esc + "[22;0t") }

// PopTitle returns XTWINOPS 23;0, which restores what [PushTitle] saved.
func PopTitle() []byte { return []byte(esc + "[23;0t") }

// ProgressState is a state of ConEmu's OSC 9;4.
type ProgressState uint8

const (
	ProgressNone          ProgressState = 0
	ProgressNormal        ProgressState = 1
	ProgressError         ProgressState = 2
	ProgressIndeterminate ProgressState = 3
	ProgressPaused        ProgressState = 4
)

// Progress returns OSC 9;4 with a percentage from 0 to 100, ended by ST, which
// some front ends of VTE want. Terminals that know OSC 9 but not 9;4 show "4;…"
// as a notification: it is only for terminals on an allow-list.
func Progress(s ProgressState, percent int) []byte {
	percent = min(max(percent, 0), 100)
	seq := esc + "]9;4;" + strconv.Itoa(int(min(s, ProgressPaused)))
	if s != ProgressNone && s != ProgressIndeterminate {
		seq += ";" + strconv.Itoa(percent)
	}
	return []byte(seq + st)
}

// SetUserVar returns iTerm2's OSC 1337 ; SetUserVar (WezTerm reads it too); an
// empty value clears the variable. The value is base64-encoded; name keeps only
// letters, digits, "_+-.".
func SetUserVar(name, value string) []byte {
	return []byte(esc + "]1337;SetUserVar=" + ident(name) + "=" + base64.StdEncoding.EncodeToString([]byte(value)) + bel)
}
