package target

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// keeping learns whether the target keeps its connections open. A server may close a connection after an answer without
// saying so (RFC 9112 §9.3); a request sent into that moment would come back as a transport fault, and a right service
// would be accused. Sending it again would hide the faults of wrong ones. So the first answer of a host is followed by a
// short rest in which such a close is seen, and from then on each request has a connection of its own.
type keeping struct {
	closes atomic.Bool
	rested sync.Map // host → *sync.Once
}

// settled is how long the first answer of a host is given for a close to follow it.
const settled = 3 * time.Millisecond

// settle rests once after the first answer of a host.
func (k *keeping) settle(host string) {
	once, _ := k.rested.LoadOrStore(host, &sync.Once{})
	once.(*sync.Once).Do(func() { time.Sleep(settled) })
}

func (k *keeping) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &watched{Conn: conn, keeping: k}, nil
}

// watched is a connection that notes when its other end closes it.
type watched struct {
	net.Conn
	keeping *keeping
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		w.keeping.closes.Store(true)
	}
	return n, err
}
