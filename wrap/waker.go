package wrap

import "golang.org/x/sys/unix"

// waker ends another goroutine's wait in poll: a pipe to itself.
type waker struct{ r, w int }

func newWaker() (waker, error) {
	r, w, err := pipe()
	return waker{r, w}, err
}

// wake may be called by anyone. A full pipe is as good as one more byte.
func (k waker) wake() { _, _ = unix.Write(k.w, []byte{0}) }

// clear takes what wake has written.
func (k waker) clear() {
	var b [64]byte
	for {
		if n, err := unix.Read(k.r, b[:]); n < len(b) && err != unix.EINTR {
			return
		}
	}
}

func (k waker) close() {
	unix.Close(k.r)
	unix.Close(k.w)
}
