package realagent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// adapter is the ACP adapter's command, by which fwrap knows it.
const adapter = "claude-agent-acp"

// tapEnv makes this program stand between fwrap and the adapter and write down
// what passes: it names a directory for the files "in", "out", "err" and "pid",
// and, after a colon, the adapter.
const tapEnv = "FWRAP_TEST_ACP"

// standBetween runs the adapter on the standard streams it was given, keeps a
// copy of each, and ends as the adapter does.
func standBetween(spec string, args []string) int {
	dir, path, _ := strings.Cut(spec, ":")
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "between fwrap and the adapter:", err)
		return 99
	}
	cmd := exec.Command(path, args...)
	streams := map[string]*os.File{}
	for _, name := range []string{"in", "out", "err"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return fail(err)
		}
		streams[name] = f
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return fail(err)
	}
	cmd.Stdout = io.MultiWriter(streams["out"], os.Stdout)
	cmd.Stderr = io.MultiWriter(streams["err"], os.Stderr)
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, syscall.SIGTERM, syscall.SIGINT)
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		return fail(err)
	}
	go func() { // ends with the process
		for s := range sigs {
			cmd.Process.Signal(s)
		}
	}()
	go func() { // ends at the end of input, at the latest with the process
		io.Copy(in, io.TeeReader(os.Stdin, streams["in"]))
		in.Close()
	}()
	var ee *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ee) {
		return fail(err)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		signal.Reset()
		syscall.Kill(os.Getpid(), ws.Signal())
		select {} // until it comes
	}
	return cmd.ProcessState.ExitCode()
}
