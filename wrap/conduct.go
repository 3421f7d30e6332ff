package wrap

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fwrap/wrap/monitor"
)

// errMonitor says that the monitor is gone without a word about the command.
var errMonitor = errors.New("the monitor process was killed")

// conduct runs the session to its end.
func (s *Session) conduct(resetAlways bool) {
	defer close(s.ended)
	defer s.release()
	defer func() {
		if r := recover(); r != nil {
			s.tty.restore()
			s.log.Error("relay panicked", "in", "conductor", "panic", r, "stack", string(debug.Stack()))
			s.hangUp()
			s.status, s.err = Status{Code: ExitFailure}, fmt.Errorf("internal error: %v", r)
		}
	}()
	go func() {
		defer s.protect("listen")
		s.listen()
	}()
	go func() {
		defer close(s.outDone)
		defer s.protect("output")
		if err := s.out.run(); err != nil {
			s.hung <- err
		}
	}()
	s.status, s.err = s.attend(resetAlways)
}

// attend handles what happens until the command is over.
func (s *Session) attend(resetAlways bool) (Status, error) {
	s.tap.resize(s.Size())
	for {
		select {
		case sig := <-s.sigs:
			s.onSignal(sig)
		case <-s.in.regain:
			s.resume()
		case err := <-s.hung:
			s.log.Info("hanging up the command", "why", err)
			s.hangUp()
		case err := <-s.broken:
			s.hangUp()
			s.tty.restore()
			return Status{Code: ExitFailure}, err
		case r, ok := <-s.reports:
			if !ok {
				r.kind = 0
			}
			switch r.kind {
			case monitor.Started:
				s.pid.Store(int32(r.value))
				s.startInput()
				s.tap.started(int(r.value), s.name)
				for _, sig := range s.pending {
					s.signal(sig)
				}
				s.pending = nil
			case monitor.Stopped:
				s.suspend(syscall.Signal(r.value))
			case monitor.NoExec:
				s.tty.restore()
				return s.noExec(syscall.Errno(r.value))
			case monitor.Exited:
				return s.finish(statusOf(syscall.WaitStatus(r.value)), resetAlways), nil
			default:
				s.finish(Status{Code: ExitFailure}, true)
				return Status{Code: ExitFailure}, errMonitor
			}
		}
	}
}

// startInput starts the pump for the input, when the command has its terminal
// and not earlier: until then a Ctrl-C would become a signal for the monitor.
// What is typed ahead waits in the person's terminal.
func (s *Session) startInput() {
	go func() {
		defer s.protect("input")
		if err := s.in.run(); err != nil {
			s.hung <- err
		}
	}()
}

func (s *Session) noExec(errno syscall.Errno) (Status, error) {
	name := s.path
	if len(s.argv) > 0 {
		name = s.argv[0]
	}
	err := &ExecError{name, errno}
	return Status{Code: err.ExitCode()}, err
}

func (s *Session) onSignal(sig os.Signal) {
	switch sig {
	case syscall.SIGWINCH:
		s.syncSize()
	case syscall.SIGCONT:
		// Somebody had stopped this process by SIGSTOP, which cannot be caught,
		// and the shell may have changed the modes; or the shell has sent the job
		// to the background or brought it back while it ran.
		s.resume()
	case syscall.SIGHUP:
		if hungUp() {
			s.hangUp()
			return
		}
		s.signal(syscall.SIGHUP)
	default:
		s.signal(sig.(syscall.Signal))
	}
}

// resume takes the terminal if it is ours, and lets the command go on as what
// this process is, a foreground or a background job.
func (s *Session) resume() {
	fg := s.tty.makeRaw()
	s.out.hold.Store(!fg)
	if fg {
		s.tty.passModes(s.out.master)
		s.syncSize()
		s.order(monitor.Foreground)
	} else {
		s.order(monitor.Background)
	}
	s.in.src.interruptRead()
	s.out.pty.interruptRead()
	s.tap.continued(fg)
}

// suspend stops this process, because sig has stopped the command, and returns
// when somebody has continued it.
func (s *Session) suspend(sig syscall.Signal) {
	if (sig == syscall.SIGTTIN || sig == syscall.SIGTTOU) && s.tty.foreground() {
		// The command wants its terminal, and it is ours to give: this process was
		// started in the background and is not any more.
		s.resume()
		return
	}
	if sig != syscall.SIGSTOP && leadsSession() {
		// Nobody could continue us: a session leader's group is orphaned, and the
		// kernel ignores these signals there. Without us the command would not have
		// been stopped either.
		s.resume()
		return
	}
	s.out.hold.Store(true)
	s.flushOutput()
	s.tap.stopped(sig)
	s.tty.restore()
	s.stopSelf(sig)
	s.resume()
}

// flushOutput waits until what the command has written is on the terminal: its
// goodbye to the screen must not come after the shell's prompt.
func (s *Session) flushOutput() {
	done := make(chan struct{})
	select {
	case s.out.pauses <- done:
	default:
		return
	}
	s.out.pty.interruptRead()
	t := time.NewTimer(flushTime)
	defer t.Stop()
	select {
	case <-done:
	case <-s.outDone:
	case <-t.C:
	}
}

// stopSelf stops this process's whole group by sig, as the terminal would have:
// a script that runs us, or a pipeline that we are part of, stops with us. A
// SIGSTOP was meant for one process only. Where the group is orphaned in other
// ways the kernel ignores all but SIGSTOP, and the command goes on.
func (s *Session) stopSelf(sig syscall.Signal) {
	caught := sig == syscall.SIGTSTP && !ignored(sig)
	if caught {
		// Ignore first: only after that does Notify bring the runtime's handler
		// back in the place of the default action.
		signal.Ignore(sig)
		defer signal.Notify(s.sigs, sig)
		if err := defaultAction(sig); err != nil {
			s.log.Warn("cannot stop as the command did", "err", err)
			sig = syscall.SIGSTOP
		}
	}
	if sig == syscall.SIGSTOP {
		_ = syscall.Kill(os.Getpid(), sig)
	} else {
		_ = syscall.Kill(0, sig)
	}
	// The kernel may stop this thread a little later than kill returns, so the
	// notice of SIGCONT is the only proof that it has happened and is over.
	t := time.NewTimer(stopTime)
	defer t.Stop()
	for {
		select {
		case got := <-s.sigs:
			switch got {
			case syscall.SIGCONT:
				return
			case syscall.SIGWINCH:
			default:
				s.signal(got.(syscall.Signal))
			}
		case <-t.C:
			return
		}
	}
}

func leadsSession() bool {
	sid, err := unix.Getsid(0)
	return err == nil && sid == os.Getpid()
}

// hangUp lets the command know that its terminal is gone. The master is closed
// first, so that the command's reads and writes fail when it hears of it, as
// they would without us; then come SIGHUP, and SIGCONT in case it is stopped.
func (s *Session) hangUp() {
	if !s.gone {
		s.gone = true
		s.in.stop()
		s.out.abort.Store(true)
		s.out.pty.interruptRead()
		t := time.NewTimer(flushTime)
		defer t.Stop()
		select {
		case <-s.outDone:
		case <-t.C: // it hangs in a write to what is left of the terminal
		}
		s.closeMaster()
	}
	s.signal(syscall.SIGHUP)
	s.signal(syscall.SIGCONT)
}

// closeMaster closes the pty's master: whoever has the other side open is hung
// up. The descriptor is put to another use in the same moment, since the input
// pump may be about to write to it and the number must not become some other
// file's.
func (s *Session) closeMaster() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		s.log.Warn("cannot hang up the pty", "err", err)
		return
	}
	defer unix.Close(null)
	if err := replace(s.out.master, null); err != nil {
		s.log.Warn("cannot hang up the pty", "err", err)
	}
}

// finish is called when the command is over: it lets the rest of the output
// through and gives the terminal back.
func (s *Session) finish(status Status, resetAlways bool) Status {
	s.pid.Store(0)
	s.in.stop()
	s.out.quit.Store(true)
	s.out.pty.interruptRead()
	if s.drained() {
		s.tap.exited(status)
		if err := s.out.finish(resetAlways || !status.Success()); err != nil {
			s.log.Info("cannot finish the output", "err", err)
		}
	} else {
		s.tap.exited(status)
	}
	s.tty.restore()
	return status
}

// drained waits for the output pump to end. The terminal may have been stopped
// by Ctrl-S for hours, so it does so as long as nobody sends a signal that
// would have killed a program which writes to that terminal.
func (s *Session) drained() bool {
	for {
		select {
		case <-s.outDone:
			return true
		case err := <-s.broken:
			s.log.Error("output is incomplete", "err", err)
		case sig := <-s.sigs:
			switch sig {
			case syscall.SIGCONT:
				s.tty.makeRaw()
			case syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT:
				s.out.abort.Store(true)
				return false
			}
		}
	}
}

// release reaps the monitor, which ends by itself or is of no more use, and
// closes the pty. The few descriptors that other goroutines may use until the
// end of the process stay.
func (s *Session) release() {
	go signal.Stop(s.sigs) // takes as long as all the rest here
	reap(s.monitor)
	s.out.inject.close()
	s.in.answers.close()
	s.back.Close()
	s.closeMaster()
}
