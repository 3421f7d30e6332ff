package desktop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"fwrap/notify"
)

// helperName is the helper's argv[0]: what says that a process is one. Nothing
// is passed in arguments or environment, where ps shows it to others.
const helperName = "fwrap-notify"

// maxMessage bounds what either side reads from the other.
const maxMessage = 64 << 10

// request is what the helper reads from its standard input.
type request struct {
	Op     string        `json:"op"` // show, close or probe
	Notice notify.Notice `json:"notice"`
	Tag    string        `json:"tag,omitempty"`
	Up     Handle        `json:"up"` // what to replace or close
}

// reply is what the helper writes to descriptor 3: one when it is about to ask
// the service, so that a killed helper leaves word whether it had, and one at
// its end.
type reply struct {
	Asked   bool    `json:"asked,omitempty"`
	Outcome Outcome `json:"outcome"`
	Handle  Handle  `json:"handle"`
	Via     string  `json:"via,omitempty"`
	Server  string  `json:"server,omitempty"` // of a probe: the service's name and version
	Err     string  `json:"err,omitempty"`
}

// IsHelper reports whether a process with these arguments is the helper.
func IsHelper(argv []string) bool { return len(argv) == 1 && argv[0] == helperName }

// Helper is the helper's main function. It does the one request on standard
// input and returns the exit status. Whatever the notification service or the
// libraries do, they do it in this process: it has no terminal, and ends after
// 3 s even if fwrap is gone and cannot kill it.
func Helper() int {
	watchdog := time.AfterFunc(deadline, func() {
		syscall.Kill(0, syscall.SIGKILL) // with notify-send or osascript, which have no deadline either
	})
	defer watchdog.Stop()
	if syscall.Getpgrp() != os.Getpid() {
		return 2 // not started by run: killing the group would hit others
	}
	out := os.NewFile(3, "reply")
	var req request
	b, err := io.ReadAll(io.LimitReader(os.Stdin, maxMessage))
	if err == nil {
		err = json.Unmarshal(b, &req)
	}
	enc := json.NewEncoder(out)
	if err != nil {
		enc.Encode(reply{Err: fmt.Sprintf("reading the request: %v", err)})
		return 2
	}
	asked := func(via string) { enc.Encode(reply{Asked: true, Via: via}) }
	ctx, cancel := context.WithTimeout(context.Background(), deadline-deadline/6)
	defer cancel()
	r := deliver(ctx, req, asked)
	if enc.Encode(r) != nil || r.Err != "" {
		return 1
	}
	return 0
}

// run starts a helper for req and waits for it.
func run(ctx context.Context, h Host, req request) Result {
	start := time.Now()
	res := Result{}
	done := func(err error) Result {
		res.Err, res.Took = err, time.Since(start)
		return res
	}
	in, err := json.Marshal(req)
	if err != nil {
		return done(fmt.Errorf("writing the request: %w", err))
	}
	env, err := helperEnv(h.Environ)
	if err != nil {
		return done(err)
	}
	exe := h.Exe
	if exe == "" {
		if exe, err = self(); err != nil {
			return done(fmt.Errorf("finding fwrap's own file: %w", err))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	pr, pw, err := os.Pipe()
	if err != nil {
		return done(fmt.Errorf("making the helper's pipe: %w", err))
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{helperName}
	cmd.Env = env
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(in)
	cmd.ExtraFiles = []*os.File{pw}
	// A session of its own: no terminal to write to, and one group to kill.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	pw.Close()
	if err != nil {
		pr.Close()
		return done(fmt.Errorf("starting the notification helper: %w", err))
	}
	group := -cmd.Process.Pid
	kill := context.AfterFunc(ctx, func() { syscall.Kill(group, syscall.SIGKILL) })
	replies := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(pr, maxMessage))
		pr.Close() // who writes more than that gets SIGPIPE
		replies <- b
	}()
	waitErr := cmd.Wait()
	kill()
	// What it started may live on without it and hold the pipe open.
	syscall.Kill(group, syscall.SIGKILL)
	b := <-replies
	var last reply
	asked := false
	for dec := json.NewDecoder(bytes.NewReader(b)); ; {
		var r reply
		if dec.Decode(&r) != nil {
			break
		}
		last, asked = r, asked || r.Asked
	}
	res.Outcome, res.Handle, res.Via, res.Server = last.Outcome, last.Handle, last.Via, last.Server
	if last.Err != "" {
		return done(errors.New(last.Err))
	}
	if last.Outcome == NotSent {
		if asked {
			res.Outcome = Unanswered
		}
		if ctx.Err() != nil {
			return done(fmt.Errorf("no answer from the notification service: %w", ctx.Err()))
		}
		return done(fmt.Errorf("the notification helper ended early: %v", waitErr))
	}
	return done(nil)
}

// keep are the variables that a notification program needs. Anything else that
// the person's environment holds does not concern it.
var keep = []string{
	"HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR",
	"XDG_RUNTIME_DIR", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "KDE_FULL_SESSION", "KDE_SESSION_VERSION",
	"__CF_USER_TEXT_ENCODING",
}

// helperEnv returns the helper's environment. The address of the session bus is
// always in it on systems that have one: without it the D-Bus libraries start a
// bus of their own with dbus-launch and leave it behind.
func helperEnv(environ []string) ([]string, error) {
	var env []string
	for _, k := range keep {
		if v := lookup(environ, k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	return platformEnv(env, environ)
}

// lookup returns the value of k in environ, the last one if there are several.
func lookup(environ []string, k string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], k+"="); ok {
			return v
		}
	}
	return ""
}
