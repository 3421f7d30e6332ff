package process

import (
	"encoding/binary"
	"testing"
)

func TestParseProcargs(t *testing.T) {
	b := binary.NativeEndian.AppendUint32(nil, 3)
	b = append(b, "/usr/local/bin/node\x00\x00\x00\x00node\x00/x/claude\x00-c\x00HOME=/x\x00"...)
	exe, args := parseProcargs(b)
	if exe != "/usr/local/bin/node" || len(args) != 3 || args[1] != "/x/claude" || args[2] != "-c" {
		t.Errorf("%q %q", exe, args)
	}
	for _, bad := range [][]byte{nil, {1}, {1, 0, 0, 0}, {255, 255, 255, 255, 'x', 0}} {
		if exe, args := parseProcargs(bad); len(args) != 0 {
			t.Errorf("%v: %q %q", bad, exe, args)
		}
	}
}
