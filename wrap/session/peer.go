package session

import (
	"net"
	"os"
)

// Peer is the process at the other end of a connection, as the kernel says.
type Peer struct {
	UID int
	PID int // 0 if it is not known, or lives in another PID namespace
}

func peer(c *net.UnixConn) (Peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var p Peer
	var perr error
	if err := raw.Control(func(fd uintptr) { p, perr = peerOf(int(fd)) }); err != nil {
		return Peer{}, err
	}
	return p, perr
}

// trusted reports whether p is the user itself, or root, who could be anybody:
// the hooks of "sudo claude" run as root.
func (p Peer) trusted() bool { return p.UID == os.Geteuid() || p.UID == 0 }
