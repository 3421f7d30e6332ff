package jsonscan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// scan returns what a text emits, one line a value, read in pieces of size n.
func scan(t testing.TB, s *Scanner, text string, n int) (string, error) {
	t.Helper()
	var b strings.Builder
	s.Emit = func(path []byte, v Value) {
		names := [...]string{"{", "[", "end", "str", "num", "true", "false", "null"}
		fmt.Fprintf(&b, "%s %s %q", path, names[v.Kind], v.Text)
		if v.Cut {
			b.WriteString(" cut")
		}
		b.WriteByte('\n')
	}
	for i := 0; i < len(text); i += n {
		if _, err := s.Write([]byte(text[i:min(i+n, len(text))])); err != nil {
			return b.String(), err
		}
	}
	err := s.Close()
	return b.String(), err
}

func TestScanner(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"scalar", ` "x" `, " str \"x\"\n"},
		{"number at the end", `-1.5e+3`, " num \"-1.5e+3\"\n"},
		{"fields", `{"a":1,"b":{"c":"d"},"e":[true,null,{"f":false}]}`,
			" { \"\"\n/a num \"1\"\n/b { \"\"\n/b/c str \"d\"\n/b end \"\"\n/e [ \"\"\n/e[] true \"\"\n/e[] null \"\"\n/e[] { \"\"\n/e[]/f false \"\"\n/e[] end \"\"\n/e end \"\"\n end \"\"\n"},
		{"nested arrays", `[[1],[]]`, " [ \"\"\n[] [ \"\"\n[][] num \"1\"\n[] end \"\"\n[] [ \"\"\n[] end \"\"\n end \"\"\n"},
		{"escapes", `"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\uDE00"`, " str \"\\\"\\\\/\\b\\f\\n\\r\\té€😀\"\n"},
		{"lone surrogates", `"\ud83dx\udc00\ud83d"`, " str \"�x��\"\n"},
		{"a key that looks like a path", `{"a/b":1,"c[]":2,"d":3}`, " { \"\"\n/? num \"1\"\n/? num \"2\"\n/d num \"3\"\n end \"\"\n"},
		{"a string that is too long", `{"k":"0123456789abcdefghijklmnopqrstuvwxyz","l":1}`, " { \"\"\n/k str \"0123456789abcdefghijklmnopqrstuv\" cut\n/l num \"1\"\n end \"\"\n"},
	}
	for _, tt := range tests {
		for _, n := range []int{1, 2, 3, 1000} {
			t.Run(fmt.Sprint(tt.name, "/", n), func(t *testing.T) {
				got, err := scan(t, &Scanner{Keep: 32}, tt.text, n)
				if err != nil {
					t.Fatal(err)
				}
				if got != tt.want {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
			})
		}
	}
}

func TestScannerErrors(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a":1 "b":2}`, `]`, `}`, `{]`, `[}`, `nul`, `nulL`,
		`01`, `1.`, `-`, `1e`, `+1`, `"a`, "\"a\nb\"", `"\x"`, `"\u12g4"`, `{} {}`, `{}x`, `{1:2}`, strings.Repeat("[", MaxDepth+1),
	} {
		if _, err := scan(t, &Scanner{}, text, 1000); err == nil {
			t.Errorf("%.40q: no error", text)
		}
	}
}

func TestSum(t *testing.T) {
	sum := func(text string) uint64 {
		s := &Scanner{SumPath: "/in", Keep: 8}
		if _, err := scan(t, s, text, 3); err != nil {
			t.Fatal(err)
		}
		return s.Sum()
	}
	a := sum(`{"x":1,"in":{"command":"a long command that is cut","n":[1,2]},"y":2}`)
	if a == 0 {
		t.Fatal("no sum")
	}
	if b := sum(`{ "in" : { "command" : "a long command that is cut" , "n":[ 1 , 2 ] } }`); a != b {
		t.Error("white space and neighbours change the sum")
	}
	if b := sum(`{"in":{"command":"a long command that is cuT","n":[1,2]}}`); a == b {
		t.Error("a string's tail does not change the sum")
	}
	if b := sum(`{"z":{"in":1}}`); b != 0 {
		t.Error("a sum of another path")
	}
	if b := sum(`{"in":5}`); b == 0 {
		t.Error("no sum of a number")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := &Scanner{Emit: func([]byte, Value) {}}
	chunk := []byte(strings.Repeat("x", 1<<20))
	for _, p := range []string{`{"`, `":"`, `","b":1`, ``} {
		if _, err := s.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
		if p == `","b":1` {
			chunk = []byte(strings.Repeat("1", 1<<20))
		}
		for range 8 {
			if _, err := s.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
	}
	if cap(s.text) > 2*DefaultKeep || cap(s.path) > 4096 {
		t.Errorf("kept %d and %d bytes", cap(s.text), cap(s.path))
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"é\ud83d"}],"c":null}`, `[[[1e5]]]`, `"\u00`, `{"a":1,"a":2}`, `0`, ` `} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || n > 1<<20 {
			n = 1
		}
		whole, err := scan(t, &Scanner{SumPath: "/a"}, text, len(text)+1)
		pieces, err2 := scan(t, &Scanner{SumPath: "/a"}, text, n)
		if (err == nil) != (err2 == nil) || err == nil && whole != pieces {
			t.Fatalf("pieces of %d differ: %v %v\n%s\n%s", n, err, err2, whole, pieces)
		}
		valid := json.Valid([]byte(text))
		if valid && err != nil && !strings.Contains(err.Error(), "deeper") {
			t.Fatalf("%q is valid, we say %v", text, err)
		}
		// The grammar of numbers too long to be kept is not checked.
		if !valid && err == nil && len(text) <= maxNumber {
			t.Fatalf("%q is not valid, we say nothing", text)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	text := []byte(`{"hook_event_name":"PostToolUse","tool_response":"` + strings.Repeat("all work and no play\\n", 1<<16) + `"}`)
	b.SetBytes(int64(len(text)))
	s := &Scanner{Emit: func([]byte, Value) {}}
	for b.Loop() {
		s.Reset()
		if _, err := s.Write(text); err != nil {
			b.Fatal(err)
		}
	}
}
