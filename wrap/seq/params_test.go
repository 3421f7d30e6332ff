package seq

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseCSI(t *testing.T) {
	tests := []struct {
		body string
		want string // prefix, parameters, intermediates, final
	}{
		{"m", `0 [] "" m`},
		{"0m", `0 [0] "" m`},
		{"1;31m", `0 [1 31] "" m`},
		{";5H", `0 [-1 5] "" H`},
		{";H", `0 [-1 -1] "" H`},
		{"5;;H", `0 [5 -1 -1] "" H`},
		{"?25h", `63 [25] "" h`},
		{"?1049;2026h", `63 [1049 2026] "" h`},
		{">1u", `62 [1] "" u`},
		{"<u", `60 [] "" u`},
		{"=5;1u", `61 [5 1] "" u`},
		{"?2026$p", `63 [2026] "$" p`},
		{"2 q", `0 [2] " " q`},
		{"! p", `0 [] "! " p`},
		{"38:2::1:2:3m", `0 [38] "" m colon`},
		{"4:3;1m", `0 [4 1] "" m colon`},
		{":3m", `0 [-1] "" m colon`},
		{"99999999999999999999b", `0 [2147483647] "" b`},
		{"2147483647b", `0 [2147483647] "" b`},
		{"2147483648b", `0 [2147483647] "" b`},
		{"65536b", `0 [65536] "" b`},
		{"007m", `0 [7] "" m`},
		{"", "bad"},
		{"1", "bad"},
		{"-5P", "bad"}, // an intermediate before a parameter
		{"1?h", "bad"},
		{"?>1h", "bad"},
		{" 5q", "bad"},
		{"5\x7f", "bad"},
		{"5é", "bad"},
	}
	for _, tt := range tests {
		c, ok := ParseCSI([]byte(tt.body))
		got := "bad"
		if ok {
			args := []int{}
			for i := range c.Len() {
				args = append(args, c.Arg(i))
			}
			got = fmt.Sprintf("%d %v %q %c", c.Prefix, args, c.Inter, c.Final)
			if c.Colon {
				got += " colon"
			}
		}
		if got != tt.want {
			t.Errorf("ParseCSI(%q) = %s, want %s", tt.body, got, tt.want)
		}
	}
}

func TestParseCSIMany(t *testing.T) {
	c, ok := ParseCSI([]byte(strings.Repeat("7;", 3*MaxParams) + "8m"))
	if !ok || c.Len() != MaxParams || c.Arg(MaxParams-1) != 7 {
		t.Errorf("%v, %d parameters, the last %d", ok, c.Len(), c.Arg(MaxParams-1))
	}
	if c.Arg(-1) != -1 || c.Arg(MaxParams) != -1 {
		t.Error("a parameter that is not there has a value")
	}
}

func TestOSCNumber(t *testing.T) {
	tests := []struct {
		body, data string
		num        int
		ok         bool
	}{
		{"0;title", "title", 0, true},
		{"9;4;3", "4;3", 9, true},
		{"104", "", 104, true},
		{"8;;", ";", 8, true},
		{"0;", "", 0, true},
		{"999999999;x", "x", 999999999, true},
		{"9999999999;x", "", 0, false},
		{"", "", 0, false},
		{";x", "", 0, false},
		{"lhello", "", 0, false},
		{"1x;y", "", 0, false},
		{"-1;y", "", 0, false},
	}
	for _, tt := range tests {
		num, data, ok := OSCNumber([]byte(tt.body))
		if num != tt.num || string(data) != tt.data || ok != tt.ok {
			t.Errorf("OSCNumber(%q) = %d, %q, %v", tt.body, num, data, ok)
		}
	}
}

func FuzzParams(f *testing.F) {
	for _, s := range []string{"m", "1;2H", "?25h", "38:2::1m", "0;title", "9;4;1;50"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := slices.Clone(body)
		if c, ok := ParseCSI(body); ok {
			if c.Len() < 0 || c.Len() > MaxParams {
				t.Fatalf("%d parameters", c.Len())
			}
			for i := range c.Len() {
				if a := c.Arg(i); a < -1 || a > MaxParam {
					t.Fatalf("parameter %d is %d", i, a)
				}
			}
		}
		if num, data, ok := OSCNumber(body); ok && (num < 0 || len(data) > len(body)) {
			t.Fatalf("OSCNumber(%q) = %d, %q", body, num, data)
		}
		if !slices.Equal(before, body) {
			t.Fatal("the body was written to")
		}
	})
}
