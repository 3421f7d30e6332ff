package wrap

import (
	"log/slog"
	"syscall"
)

// Options says what to run and who is told about it.
type Options struct {
	// Path is the file to execute, as [LookPath] found it; Argv is its whole
	// argument vector, Argv[0] included, and reaches it byte for byte.
	Path string
	Argv []string
	// Env returns the command's environment. It is called once by [Start], as
	// soon as the pty exists: tty is the device name of the command's terminal
	// ("/dev/pts/7"). With a nil Env the command gets this process's own.
	Env func(tty string) []string

	// Ready, if not nil, is called with the session before the command can run, by
	// the goroutine that calls Start. What the session does can be asked for then:
	// the first thing that a command writes may be a query.
	Ready func(*Session)

	// Pure leaves the stream alone in every way: no prefix, no OSC hook, no
	// injection, no answer, and leftover modes stay.
	Pure bool
	// ResetAlways resets the modes that the command left on whatever its exit
	// status. Without it that is done after death by a signal and after a status
	// other than 0 only, so that the likes of "tput smcup" keep their effect.
	ResetAlways bool
	// KeepModes leaves the modes that the command left on as they are.
	KeepModes bool

	// OSCNumbers are the operating system commands that OSC decides about, also
	// in the DCS by which tmux passes one on. Such a sequence is held back from
	// its ESC until it is complete, at most [MaxHeld] bytes; nothing else is ever
	// held back. One that aborts another sequence passes.
	OSCNumbers []int
	// OSC is asked about each complete OSC whose number is in OSCNumbers. data
	// is what follows "number;" and is valid during the call. It is called by
	// the output pump and must return at once.
	OSC func(num int, data []byte) Verdict

	// ReplyNumber is the OSC whose replies from the terminal Reply decides
	// about, in the time after [Session.AwaitReply]; 0: none. Reply gets what
	// follows "number;" of each, and says whether it is kept from the command.
	// It is called with nil when the terminal has answered CSI c, the fence of a
	// batch of queries. It is called by the input pump and must return at once.
	ReplyNumber int
	Reply       func(data []byte) (drop bool)

	// Tap hears what happens.
	Tap Tap

	// Log gets what goes wrong inside the relay; nil discards it. It must not
	// write to the terminal. Neither input nor output bytes are ever logged.
	Log *slog.Logger
}

// Verdict is what becomes of an OSC in the command's output. The zero Verdict
// lets it pass.
type Verdict struct {
	// Drop takes the sequence out.
	Drop bool
	// Replace, if not empty, is written in the place of the sequence. It must
	// consist of complete sequences.
	Replace []byte
	// Take, if not nil, is called with the whole sequence as it was written: by
	// who drops it and may want to send it later. The bytes are valid during
	// the call only.
	Take func(sequence []byte)
}

// Winsize is a terminal's size: rows and columns in cells, X and Y in pixels.
// X and Y are 0 where the terminal does not say.
type Winsize struct {
	Rows, Cols, X, Y uint16
}

// InputKind is what kind of act of the person an input was.
type InputKind uint8

const (
	// InputKey is a key, or text from an input method.
	InputKey InputKind = iota
	// InputPaste is a bracketed paste.
	InputPaste
	// InputMouse is a mouse button or the wheel; mere motion is not reported.
	InputMouse
)

// Tap hears what happens in a session. Any field may be nil.
//
// The functions are called by the goroutines that carry the person's bytes, so
// they must return at once: copy under a short lock, or send to a channel with
// a default case, and drop what finds no room. A function that panics is logged
// and not called again. Read and Output are called by one goroutine, Input, Typed
// and Focus by a second, the others by a third.
type Tap struct {
	// Started: the command runs as process pid, which leads its own process
	// group, on the pty whose device is tty.
	Started func(pid int, tty string)
	// Read: something that the command wrote has been read, and the terminal
	// does not have it yet. Output follows with it.
	Read func()
	// Output is a copy of what the command wrote, before any change made to it
	// and after the terminal has it. p is valid during the call only.
	Output func(p []byte)
	// Input: the person did something. No bytes are given, only the fact;
	// replies of the terminal to queries, focus reports and mouse motion are no
	// input.
	Input func(kind InputKind)
	// Typed is a copy of what the command gets from the terminal: keys, pastes,
	// and the terminal's reports and replies. It is there for who records a
	// session with the person's consent; p is valid during the call only.
	Typed func(p []byte)
	// Focus: the terminal reported that it gained or lost the focus (CSI I and
	// CSI O), which it does while the command has mode 1004 on.
	Focus func(in bool)
	// Resize: the command's terminal has a new size. Called first with the size
	// at the start, before Started.
	Resize func(size Winsize)
	// Stopped: the command was stopped by sig, and so is about to be this
	// process. Its output has been written as far as it had got.
	Stopped func(sig syscall.Signal)
	// Continued: the command runs again, in the foreground or not.
	Continued func(foreground bool)
	// Exited: the command is over and all its output has been through Output.
	// What is given to [Session.Inject] before Exited returns is still written.
	Exited func(status Status)
}
