//go:build unix

package target

import (
	"net"
	"syscall"
)

// closedByPeer reports whether the other end has closed the connection and no data is left to read. It neither blocks
// nor reads any data.
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
	// Control, not Read: net/http already reads from this connection.
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err == nil && n == 0 || err == syscall.ECONNRESET
	})
	return err == nil && closed
}
