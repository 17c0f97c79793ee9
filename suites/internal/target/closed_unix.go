//go:build unix

package target

import (
	"net"
	"syscall"
)

// closedByPeer looks, without waiting and without taking anything, whether the end of the stream is all that is left to
// read.
func closedByPeer(conn net.Conn) bool {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	closed := false
	// Control, not Read: a reader is waiting on this connection already.
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err == nil && n == 0 || err == syscall.ECONNRESET
	})
	return err == nil && closed
}
