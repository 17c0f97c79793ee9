package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"authenticator-conformance/suites/internal/exchange"
)

// connections decides over which connection a probe goes.
//
// Well-formed requests share connections that are kept open. A probe that is meant to be refused has one of its own: a
// target that hangs up on it takes nothing from the others.
//
// A server may close a kept connection after an answer without saying so (RFC 9112 §9.3). To accuse it of that would be
// wrong, and to repeat what failed would hide the faults of others. So a kept connection rests a moment before it is
// used for the second time, and is looked at before each request: one that its other end has closed is left alone, and
// from then on every request has a connection of its own. Where a close and a request cross on the way all the same,
// the request is sent again: once in a run.
//
// A target can bring net/http to a standstill: where an HTTP/2 stream's window overflows, its client waits for itself
// (Go 1.26), and neither this request nor a later one over the same transport ends for any context. So no request is
// waited for longer than a grace past its deadline; its transport is then left alone, and a new one takes its place.
type connections struct {
	transport func() *http.Transport
	current   atomic.Pointer[transports]
	closes    atomic.Bool  // the target was seen to close a kept connection
	repeated  atomic.Int64 // requests that were sent again for it
}

// transports are those in use.
type transports struct{ kept, fresh *http.Transport }

// answer is what a request brought.
type answer struct {
	*http.Response
	body     []byte // as far as it came, still encoded
	broke    error  // why the body is not whole
	err      error  // why there is no response
	panicked any
}

// newConnections takes a function that makes a transport.
func newConnections(transport func() *http.Transport) *connections {
	c := &connections{transport: transport}
	c.current.Store(c.newTransports())
	return c
}

func (c *connections) newTransports() *transports {
	t := &transports{kept: c.transport(), fresh: c.transport()}
	t.fresh.DisableKeepAlives = true
	t.kept.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &probedConn{Conn: conn, closes: &c.closes}, nil
	}
	return t
}

// grace is how long after its deadline a request may take to end by itself.
const grace = time.Second

// ask sends a request and reads its answer, without following redirects; the request must be able to give its body
// again. Another, if it is set, reports whether the request may be sent a second time.
func (c *connections) ask(p *pooledContext, req *http.Request, probe exchange.Probe,
	another func(context.Context) bool) answer {
	t := c.current.Load()
	done := p.done
	go func() {
		var a answer
		defer func() {
			if fault := recover(); fault != nil {
				a.panicked = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			done <- a
		}()
		if a.Response, a.err = c.roundTrip(t, p, req, probe, another); a.err == nil {
			a.body, a.broke = readBody(a.Response)
		}
	}()
	var a answer
	select {
	case a = <-done:
	case <-p.ctx.Done():
		select {
		case a = <-done:
		case <-time.After(grace):
			c.current.CompareAndSwap(t, c.newTransports())
			return answer{err: context.Cause(p.ctx)}
		}
	}
	if a.panicked != nil {
		panic(a.panicked)
	}
	return a
}

func (c *connections) roundTrip(t *transports, p *pooledContext, req *http.Request, probe exchange.Probe,
	another func(context.Context) bool) (*http.Response, error) {
	if !probe.WellFormed() || c.closes.Load() {
		return t.fresh.RoundTrip(req.WithContext(p.ctx))
	}
	resp, err := t.kept.RoundTrip(req.WithContext(p.ctx))
	if err == nil || !p.reused.Load() || p.begun.Load() || !hungUp(err) || p.ctx.Err() != nil {
		return resp, err
	}
	c.closes.Store(true)
	if !c.repeated.CompareAndSwap(0, 1) {
		return resp, err
	}
	if another != nil && !another(p.ctx) {
		c.repeated.Store(0)
		return resp, err
	}
	again := req.Clone(p.ctx)
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return t.fresh.RoundTrip(again)
}

// moment is how long a close may take to follow an answer.
const moment = 3 * time.Millisecond

// rest waits before the second use of a connection.
func rest(conn net.Conn) {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	if kept, ok := conn.(*probedConn); ok && kept.rested.CompareAndSwap(false, true) {
		time.Sleep(moment)
	}
}

// hungUp tells whether the other end closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") // net/http does not export this one
}

// close lets go of the connections that are not in use; what keeps it waiting is left alone.
func (c *connections) close() {
	t, done := c.current.Load(), make(chan struct{})
	go func() {
		defer close(done)
		t.kept.CloseIdleConnections()
		t.fresh.CloseIdleConnections()
	}()
	select {
	case <-done:
	case <-time.After(grace):
	}
}

// probedConn is a connection that refuses to be written to once its other end has closed it. As no byte was written
// then, net/http takes another connection for the request by itself.
type probedConn struct {
	net.Conn
	closes *atomic.Bool
	rested atomic.Bool
}

func (c *probedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		c.closes.Store(true)
	}
	return n, err
}

func (c *probedConn) Write(b []byte) (int, error) {
	if closedByPeer(c.Conn) {
		c.closes.Store(true)
		return 0, syscall.EPIPE
	}
	return c.Conn.Write(b)
}
