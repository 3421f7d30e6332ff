package monitor

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

func TestDecodeStop(t *testing.T) {
	stop := func(sig syscall.Signal) syscall.WaitStatus { return syscall.WaitStatus(int(sig)<<8 | 0x7f) }
	for _, tt := range []struct {
		ws    syscall.WaitStatus
		sig   syscall.Signal
		state WaitState
	}{
		{stop(syscall.SIGTSTP), syscall.SIGTSTP, StateStopped},
		{stop(syscall.SIGSTOP), syscall.SIGSTOP, StateStopped},
		{stop(syscall.SIGTTIN), syscall.SIGTTIN, StateStopped},
		{stop(syscall.SIGCONT), 0, StateContinued},
		{0xffff, 0, StateContinued},
		{0, 0, StateEnded},
		{7 << 8, 0, StateEnded},
		{9, 0, StateEnded},
	} {
		if sig, state := DecodeStop(tt.ws); sig != tt.sig || state != tt.state {
			t.Errorf("%#x: %v, %v", uint32(tt.ws), sig, state)
		}
	}
}

func TestLaunch(t *testing.T) {
	for _, want := range []Launch{
		{Path: "/bin/true", Argv: []string{"true"}},
		{Foreground: true, Path: "", Argv: []string{"", "a b", "\xff\n"}, Env: []string{"A=1", "A=2", ""}},
		{Path: strings.Repeat("p", 4096), Argv: []string{strings.Repeat("x", 1<<20)}, Env: []string{"E=\x00"}},
	} {
		b := want.Encode()
		// What follows belongs to whoever reads next.
		r := bytes.NewReader(append(b, Foreground))
		got, err := readLaunch(iotest.OneByteReader(r))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %.200v, %v; want %.200v", got, err, want)
		}
		if r.Len() != 1 {
			t.Errorf("%d bytes are left, want 1", r.Len())
		}
	}
}

func TestLaunchBroken(t *testing.T) {
	whole := Launch{Path: "/bin/true", Argv: []string{"true", "x"}, Env: []string{"A=1"}}.Encode()
	if _, err := readLaunch(bytes.NewReader(nil)); err != io.EOF {
		t.Errorf("nothing: %v", err)
	}
	for n := 1; n < len(whole); n++ {
		if _, err := readLaunch(bytes.NewReader(whole[:n])); err != io.ErrUnexpectedEOF {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	for i := range whole {
		for _, x := range []byte{0, 1, 0x7f, 0xff} {
			b := bytes.Clone(whole)
			b[i] = x
			_, _ = readLaunch(bytes.NewReader(b)) // no panic, no growth
		}
	}
}

func TestScript(t *testing.T) {
	path, argv := Script("-x", []string{"a", "b"})
	if path != "/bin/sh" || !reflect.DeepEqual(argv, []string{"/bin/sh", "./-x", "b"}) {
		t.Errorf("%q %q", path, argv)
	}
}
