package session

import "golang.org/x/sys/unix"

// peerOf tells who is at the other end of a unix socket (unix(7), SO_PEERCRED):
// the user and process that connected or listened.
func peerOf(fd int) (Peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	return Peer{UID: int(c.Uid), PID: int(c.Pid)}, nil
}
