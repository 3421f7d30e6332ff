package jsonscan

import (
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is the kind of a value.
type Kind uint8

const (
	Object Kind = iota // an object begins
	Array              // an array begins
	End                // the object or array at this path ends
	String
	Number
	True
	False
	Null
)

// Value is a JSON value. Of an object or an array it is the beginning or the end.
type Value struct {
	Kind Kind
	// Text is a string's content with its escapes decoded, or a number as it
	// was written. It is valid until the function that got it returns, and
	// may hold invalid UTF-8.
	Text []byte
	// Cut says that Text is only the beginning: the string was longer than
	// [Scanner.Keep].
	Cut bool
}

const (
	// DefaultKeep is how many bytes of a string are kept if Keep is 0.
	DefaultKeep = 4096
	// MaxDepth is how deep objects and arrays may nest.
	MaxDepth = 512
	// maxPath is the length of a path beyond which keys are no longer told.
	maxPath = 256
	// maxNumber is the length of a number beyond which it is neither kept nor
	// checked.
	maxNumber = 64
)

// Scanner reads one JSON text. The zero value with an Emit is ready.
type Scanner struct {
	// Emit gets each value with its path: "/tool_input/command" is a field of
	// a field, "/options[]/name" a field of each element, "" the whole. A key
	// that contains '/' or '[' or would make the path too long stands in it
	// as "?". The path is valid until Emit returns.
	Emit func(path []byte, v Value)
	// Keep is how many bytes of each string are kept; 0 means DefaultKeep.
	Keep int
	// SumPath is the path of a value of which [Scanner.Sum] is wanted; empty for none.
	SumPath string

	step  step
	err   error
	path  []byte
	stack []frame

	text []byte // of the string or number that is open
	cut  bool
	key  bool // the string is an object's key
	hex  rune
	nhex int
	high rune // a high surrogate that waits for its low one
	word string
	wpos int

	sum     uint64
	summing int // depth of the stack outside the summed value, plus 1; 0 when not summing
}

type frame struct {
	array bool
	path  int // length of the path outside this frame
}

type step uint8

const (
	wantValue    step = iota // a value
	wantFirst                // a value or ]
	wantKey                  // a key
	wantFirstKey             // a key or }
	wantColon                // :
	wantComma                // , or the end of the frame
	inString                 //
	inEscape                 // after \
	inHex                    // after \u
	inNumber                 //
	inWord                   // true, false, null
	wantNothing              // the text is complete
)

// ErrIncomplete says that the text ended in the middle.
var ErrIncomplete = errors.New("the JSON text is not complete")

// Reset makes the Scanner ready for another text.
func (s *Scanner) Reset() {
	s.step, s.err = wantValue, nil
	s.path, s.stack, s.text = s.path[:0], s.stack[:0], s.text[:0]
	s.cut, s.key, s.high = false, false, 0
	s.sum, s.summing = fnvOffset, 0
}

// Sum is a hash of the value at SumPath as it was written, white space outside
// strings left out; 0 if there was none. Two texts of the same program with
// the same value have the same sum.
func (s *Scanner) Sum() uint64 {
	if s.sum == fnvOffset {
		return 0
	}
	return s.sum
}

// The 64-bit FNV-1a hash. It is no proof against forgery, and need not be:
// who could forge an equal value could as well send the value itself.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func (s *Scanner) add(p []byte) {
	if s.sum == 0 {
		s.sum = fnvOffset
	}
	for _, b := range p {
		s.sum = (s.sum ^ uint64(b)) * fnvPrime
	}
}

// Write reads the next piece of the text. After an error it reads no more and
// returns the same error. What was emitted before an error is not to be
// trusted; nothing emitted is final before [Scanner.Close] has returned nil.
func (s *Scanner) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	for i := 0; i < len(p); {
		n, err := s.next(p[i:])
		if err != nil {
			s.err = err
			return i, err
		}
		i += n
	}
	return len(p), nil
}

// Close says that the text has ended.
func (s *Scanner) Close() error {
	if s.err == nil && s.step == inNumber && len(s.stack) == 0 {
		s.err = s.endNumber()
	}
	if s.err == nil && s.step != wantNothing {
		s.err = ErrIncomplete
	}
	return s.err
}

// next reads a few bytes of p and returns how many.
func (s *Scanner) next(p []byte) (int, error) {
	c := p[0]
	switch s.step {
	case inString:
		return s.string(p)
	case inEscape, inHex:
		s.addByte(c)
		return 1, s.escape(c)
	case inNumber:
		if isNumber(c) {
			s.addByte(c)
			s.keep(c, maxNumber)
			return 1, nil
		}
		return 0, s.endNumber()
	case inWord:
		if s.wpos >= len(s.word) || c != s.word[s.wpos] {
			return 0, unexpected(c)
		}
		s.addByte(c)
		if s.wpos++; s.wpos == len(s.word) {
			s.emit(Value{Kind: wordKind(s.word)})
			s.end()
		}
		return 1, nil
	}
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
		return 1, nil
	}
	return s.structure(c)
}

func (s *Scanner) structure(c byte) (int, error) {
	switch {
	case c == ']' && (s.step == wantFirst || s.step == wantComma && s.top().array),
		c == '}' && (s.step == wantFirstKey || s.step == wantComma && len(s.stack) > 0 && !s.top().array):
		s.addByte(c)
		s.pop()
		return 1, nil
	case s.step == wantValue || s.step == wantFirst:
		return 1, s.begin(c)
	case c == '"' && (s.step == wantKey || s.step == wantFirstKey):
		s.addByte(c)
		s.open(true)
		return 1, nil
	case c == ':' && s.step == wantColon:
		s.addByte(c)
		s.step = wantValue
		return 1, nil
	case c == ',' && s.step == wantComma:
		s.addByte(c)
		s.step = wantKey
		if s.top().array {
			s.step = wantValue
		}
		return 1, nil
	}
	return 0, unexpected(c)
}

// begin reads the first byte of a value.
func (s *Scanner) begin(c byte) error {
	if s.SumPath != "" && s.summing == 0 && string(s.path) == s.SumPath {
		s.sum, s.summing = fnvOffset, len(s.stack)+1
	}
	s.addByte(c)
	switch {
	case c == '{' || c == '[':
		if len(s.stack) == MaxDepth {
			return fmt.Errorf("JSON nests deeper than %d", MaxDepth)
		}
		f := frame{array: c == '[', path: len(s.path)}
		if f.array {
			s.emit(Value{Kind: Array})
			s.path = append(s.path, "[]"...)
			s.step = wantFirst
		} else {
			s.emit(Value{Kind: Object})
			s.step = wantFirstKey
		}
		s.stack = append(s.stack, f)
	case c == '"':
		s.open(false)
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		s.step, s.text, s.cut = inNumber, append(s.text[:0], c), false
	default:
		return unexpected(c)
	}
	return nil
}

func (s *Scanner) literal(w string) { s.step, s.word, s.wpos = inWord, w, 1 }

func (s *Scanner) open(key bool) {
	s.step, s.key, s.text, s.cut, s.high = inString, key, s.text[:0], false, 0
}

func (s *Scanner) top() frame {
	if len(s.stack) == 0 {
		return frame{}
	}
	return s.stack[len(s.stack)-1]
}

// end says that a value is complete.
func (s *Scanner) end() {
	if s.summing == len(s.stack)+1 {
		s.summing = 0
	}
	switch {
	case len(s.stack) == 0:
		s.step = wantNothing
	case s.top().array:
		s.step = wantComma
	default:
		s.path = s.path[:s.top().path]
		s.step = wantComma
	}
}

func (s *Scanner) pop() {
	s.path = s.path[:s.top().path]
	s.stack = s.stack[:len(s.stack)-1]
	s.emit(Value{Kind: End})
	s.end()
}

func (s *Scanner) emit(v Value) {
	if s.Emit != nil {
		s.Emit(s.path, v)
	}
}

// string reads on in a string: a run of plain bytes, or the one that ends it.
func (s *Scanner) string(p []byte) (int, error) {
	n := 0
	for n < len(p) && p[n] >= 0x20 && p[n] != '"' && p[n] != '\\' {
		n++
	}
	if n > 0 {
		if s.summing > 0 {
			s.add(p[:n])
		}
		s.lone()
		if !s.cut {
			keep := min(n, s.limit()-len(s.text))
			s.text = append(s.text, p[:keep]...)
			s.cut = keep < n
		}
		return n, nil
	}
	s.addByte(p[0])
	switch p[0] {
	case '\\':
		s.step = inEscape
	case '"':
		s.lone()
		if s.key {
			s.pushKey()
			s.step = wantColon
		} else {
			s.emit(Value{Kind: String, Text: s.text, Cut: s.cut})
			s.end()
		}
	default:
		return 0, fmt.Errorf("control character %#02x in a JSON string", p[0])
	}
	return 1, nil
}

func (s *Scanner) limit() int {
	if s.Keep > 0 {
		return s.Keep
	}
	return DefaultKeep
}

func (s *Scanner) pushKey() {
	s.path = append(s.path, '/')
	ok := !s.cut && len(s.path)+len(s.text) <= maxPath
	for _, c := range s.text {
		ok = ok && c != '/' && c != '['
	}
	if ok {
		s.path = append(s.path, s.text...)
	} else {
		s.path = append(s.path, '?')
	}
}

func (s *Scanner) escape(c byte) error {
	if s.step == inEscape {
		if c == 'u' {
			s.step, s.hex, s.nhex = inHex, 0, 0
			return nil
		}
		s.lone()
		s.step = inString
		switch c {
		case '"', '\\', '/':
			s.keepByte(c)
		case 'b':
			s.keepByte('\b')
		case 'f':
			s.keepByte('\f')
		case 'n':
			s.keepByte('\n')
		case 'r':
			s.keepByte('\r')
		case 't':
			s.keepByte('\t')
		default:
			return fmt.Errorf("unknown escape \\%c in a JSON string", c)
		}
		return nil
	}
	d, ok := digit(c)
	if !ok {
		return fmt.Errorf("bad \\u escape in a JSON string")
	}
	s.hex = s.hex<<4 | d
	if s.nhex++; s.nhex < 4 {
		return nil
	}
	s.step = inString
	switch r := s.hex; {
	case s.high != 0 && r >= 0xDC00 && r < 0xE000:
		s.keepRune(utf16.DecodeRune(s.high, r))
		s.high = 0
	case r >= 0xD800 && r < 0xDC00:
		s.lone()
		s.high = r
	default:
		s.lone()
		s.keepRune(r) // a lone low surrogate becomes U+FFFD
	}
	return nil
}

// lone writes U+FFFD for a high surrogate that no low one followed.
func (s *Scanner) lone() {
	if s.high != 0 {
		s.high = 0
		s.keepRune(utf8.RuneError)
	}
}

func (s *Scanner) keepRune(r rune) {
	if len(s.text)+utf8.UTFMax > s.limit() {
		s.cut = true
		return
	}
	if !s.cut {
		s.text = utf8.AppendRune(s.text, r)
	}
}

func (s *Scanner) keepByte(c byte) { s.keep(c, s.limit()) }

func (s *Scanner) keep(c byte, limit int) {
	if s.cut || len(s.text) >= limit {
		s.cut = true
		return
	}
	s.text = append(s.text, c)
}

func (s *Scanner) addByte(c byte) {
	if s.summing > 0 {
		s.sum = (s.sum ^ uint64(c)) * fnvPrime
	}
}

func (s *Scanner) endNumber() error {
	if !s.cut && !validNumber(s.text) {
		return fmt.Errorf("bad number %q in JSON", s.text)
	}
	s.emit(Value{Kind: Number, Text: s.text, Cut: s.cut})
	s.end()
	return nil
}

func wordKind(w string) Kind {
	switch w {
	case "true":
		return True
	case "false":
		return False
	}
	return Null
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E'
}

// validNumber reports whether p is a number by JSON's grammar.
func validNumber(p []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(p) && p[n] >= '0' && p[n] <= '9' {
			n++
		}
		p = p[n:]
		return n > 0
	}
	if len(p) > 0 && p[0] == '-' {
		p = p[1:]
	}
	if len(p) > 1 && p[0] == '0' && p[1] >= '0' && p[1] <= '9' {
		return false
	}
	if !digits() {
		return false
	}
	if len(p) > 0 && p[0] == '.' {
		if p = p[1:]; !digits() {
			return false
		}
	}
	if len(p) > 0 && (p[0] == 'e' || p[0] == 'E') {
		p = p[1:]
		if len(p) > 0 && (p[0] == '+' || p[0] == '-') {
			p = p[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(p) == 0
}

func digit(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

func unexpected(c byte) error { return fmt.Errorf("unexpected %q in JSON", c) }
