// Package session is the place where the wrapped sessions of one person are
// known: a directory with a state file and sockets for each, and the protocol
// spoken on them.
//
// It carries what others say and understands none of it: states and kinds are
// words here, a hook's event is a JSON object that is handed on. It knows no
// agents, no screens and no terminals.
//
// # The directory
//
// One directory per user, mode 0700, owned by the user and no symbolic link
// (see [Dir]). A session with the identifier ID, which is the wrapper's PID,
// has in it
//
//	ID.json    the state file: what "fwrap list" shows, replaced by rename
//	ID.report  the report socket: takes reports and nothing else
//	ID.d/      files that live as long as the session (an agent's settings)
//
// and has room for further sockets beside these, such as one to ask and to
// type, whose address is never put into the wrapped command's environment.
// What a killed session left behind is swept when its process is gone and
// nobody listens on its socket.
//
// # The report protocol, version 1
//
// A unix stream socket. The client writes lines, each a JSON object of at most
// [MaxLine] bytes with its newline; the server answers each with one line,
// "ok" or "error: " and the reason, in order. The answer makes the order of
// reports certain: an agent that waits for one hook before it runs the next
// has its reports taken in that order. A client may as well not wait for it.
//
//	{"v":1,"from":"claude","seq":18274,"event":{…}}
//	{"v":1,"from":"script","state":"blocked","kind":"question","text":"Deploy?"}
//
//	v      1; a server refuses a version that it does not know
//	from   who reports: an agent's name or any word, [a-z0-9._-], 1 to 32 bytes
//	seq    grows with the time at which the reporter started; 0 or absent: unknown
//	event  an agent's event, an object; its form depends on from
//	state  working, blocked, idle or none: a plain report; exclusive with event
//	kind   refines state: [a-z] up to 16 bytes, may be absent
//	text   what is asked or done, UTF-8 up to 4096 bytes, may be absent
//
// Unknown fields are ignored. The server closes a connection on which a line
// is too long, nothing arrives for two seconds, or more than 1024 lines have
// come. It takes at most 32 connections, closing the oldest for a new one. A
// client of another user than the server's or root is closed unread.
//
// A client gives the whole exchange 250 ms, prints nothing and never fails:
// agents wait for their hooks, and take a hook's exit status 2 as a veto.
package session
