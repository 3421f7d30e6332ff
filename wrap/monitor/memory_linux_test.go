package monitor

import (
	"os"
	"reflect"
	"testing"
)

func TestImageMappings(t *testing.T) {
	const smaps = `00400000-00905000 r-xp 00000000 fe:00 4242 /usr/bin/fwrap
Size:               5140 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00905000-00d00000 r--p 00505000 fe:00 4242 /usr/bin/fwrap
Anonymous:             8 kB
00d00000-00d57000 rw-p 00900000 fe:00 4242 /usr/bin/fwrap
Anonymous:             0 kB
00d57000-00d58000 r--p 00900000 fe:00 4242 /usr/bin/fwrap
Anonymous:             0 kB
7f0000000000-7f0000001000 r-xp 00000000 fe:00 4243 /usr/lib/libc.so.6
Anonymous:             0 kB
7f0000001000-7f0000002000 r-xp 00000000 00:00 0
Anonymous:             0 kB
`
	want := []mapping{{0x400000, 0x905000}, {0xd57000, 0xd58000}}
	if got := imageMappings(smaps, "/usr/bin/fwrap"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	own, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got := imageMappings(string(own), exe); len(got) == 0 {
		t.Error("none found of this process")
	}
	ReleaseImage() // and the process goes on
}
