package monitor

import "syscall"

// waiter waits for the command in wait4. Whether macOS sends SIGCHLD for a child
// that was continued is not documented.
type waiter struct{}

func (waiter) listen() {}

// wait waits until something has become of process pid.
func (waiter) wait(pid int, ws *syscall.WaitStatus) error {
	for {
		if _, err := syscall.Wait4(pid, ws, syscall.WUNTRACED|syscall.WCONTINUED, nil); err != syscall.EINTR {
			return err
		}
	}
}
