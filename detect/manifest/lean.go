package manifest

import "bytes"

// LoadRules is [Load] without the examples, which are most of a built-in file
// and of no use to a session, in half the time. It is for files that tests have
// checked: what is wrong with an example goes unnoticed, and three quotes in a
// comment or in a string of one line are taken for the ends of a longer one.
func LoadRules(name string, data []byte) (*Manifest, error) {
	return Load(name, withoutExamples(data))
}

// withoutExamples blanks the lines of all [[rules.examples]], so that places
// stay what they are.
func withoutExamples(data []byte) []byte {
	out := make([]byte, 0, len(data))
	var quote []byte // what ends the string of several lines that is open
	inExample := false
	for line := range bytes.Lines(data) {
		if quote == nil {
			if text := bytes.TrimLeft(line, " \t"); len(text) > 0 && text[0] == '[' {
				inExample = bytes.HasPrefix(text, []byte("[[rules.examples]]"))
			}
		}
		for rest := line; ; {
			end := quote
			if end == nil {
				a, b := bytes.Index(rest, []byte("'''")), bytes.Index(rest, []byte(`"""`))
				if a < 0 && b < 0 {
					break
				}
				quote = []byte("'''")
				if a < 0 || b >= 0 && b < a {
					quote, a = []byte(`"""`), b
				}
				rest = rest[a+3:]
				continue
			}
			i := bytes.Index(rest, end)
			if i < 0 {
				break
			}
			quote, rest = nil, rest[i+3:]
		}
		if inExample {
			out = append(out, '\n')
		} else {
			out = append(out, line...)
		}
	}
	if quote != nil {
		return data // not understood: let the parser say what it is
	}
	return out
}
