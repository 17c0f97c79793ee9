//go:build !unix

package target

import "net"

// closedByPeer returns false: this system can't check for a close without reading from the connection.
func closedByPeer(net.Conn) bool { return false }
