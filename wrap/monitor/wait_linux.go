package monitor

import (
	"os"
	"os/signal"
	"syscall"
)

// waiter waits for the command by its SIGCHLD.
type waiter struct{ child chan os.Signal }

// listen begins to listen. What has happened to the command by then, wait finds
// all the same: it looks first.
func (w *waiter) listen() {
	w.child = make(chan os.Signal, 1)
	signal.Notify(w.child, syscall.SIGCHLD)
}

// wait waits until something has become of process pid.
func (w *waiter) wait(pid int, ws *syscall.WaitStatus) error {
	for {
		got, err := syscall.Wait4(pid, ws, syscall.WUNTRACED|syscall.WCONTINUED|syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case got == pid:
			return nil
		default:
			<-w.child
		}
	}
}
