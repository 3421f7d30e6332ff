package session

import "golang.org/x/sys/unix"

// peerOf tells who is at the other end of a unix socket (unix(4) of macOS,
// LOCAL_PEERCRED and LOCAL_PEERPID).
func peerOf(fd int) (Peer, error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		pid = 0 // the peer has ended already
	}
	return Peer{UID: int(c.Uid), PID: pid}, nil
}
