package target

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// connections chooses a connection for each probe.
//
// Well-formed requests share kept-alive connections, which are given up now and then. A probe that should be refused
// gets its own: if the target closes it, no other request is lost. From the first of these probes on no connection is
// kept, so that its controls go the same way: what refuses new connections must refuse them, too (J23). Most bad
// tokens go over the connection of the control before them: who checks a token only once for each connection serves
// them there.
//
// A server may close a kept connection after an answer without notice (RFC 9112 §9.3). That is no fault of the target,
// but retrying every failed request would hide real ones. So the first reuse of a connection is delayed by
// idleCheckDelay, and each connection is checked before a request. If the other end has closed it, another connection
// is used, and from then on each request has its own. If the target closes while requests are on their way, those on
// reused connections are sent again: the first at which it is seen, and all that are in flight then. This happens once
// in a run, as no later request has a reused connection (J19).
//
// A target can block net/http for ever: if an HTTP/2 stream's window overflows, the client deadlocks (Go 1.26). Then no
// request over that transport ends, whatever its context. So a request that may use HTTP/2 is abandoned closeGrace
// after its deadline, and its transport is replaced by a new one.
type connections struct {
	transport func() *http.Transport
	current   atomic.Pointer[transports]
	closes    *closes
	sent      atomic.Int64 // requests on kept connections
	http1     atomic.Bool  // the target takes no HTTP/2
	// asksForCertificate is true if the target asked for a client certificate and there is none.
	asksForCertificate atomic.Bool
}

// closes is what is known of the closing of kept connections, of all targets of a run.
type closes struct {
	seen     atomic.Bool
	repeated atomic.Int64 // requests that were sent again because of it
}

// transports are those in use: reused keeps connections, unpooled opens one for each request, and control keeps that of
// the last control for a bad token.
type transports struct {
	reused, unpooled, control *http.Transport
	http1                     bool // they never use HTTP/2
}

func (t *transports) all() []*http.Transport {
	return []*http.Transport{t.reused, t.unpooled, t.control}
}

// answer is the result of a request.
type answer struct {
	*http.Response
	body    []byte // the received part, still encoded
	bodyErr error  // why the body is incomplete
	err     error  // why there is no response, or an engine.Defect
}

// newConnections returns connections that call transport for each new transport.
func newConnections(closes *closes, transport func(*connections) *http.Transport) *connections {
	c := &connections{closes: closes}
	c.transport = func() *http.Transport { return transport(c) }
	c.current.Store(c.newTransports())
	return c
}

func (c *connections) newTransports() *transports {
	t := &transports{c.transport(), c.transport(), c.transport(), c.http1.Load()}
	if t.http1 {
		for _, one := range t.all() {
			one.Protocols = &http.Protocols{}
			one.Protocols.SetHTTP1(true)
		}
	}
	t.unpooled.DisableKeepAlives = true
	t.reused.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &probedConn{Conn: conn, closes: &c.closes.seen}, nil
	}
	return t
}

// closeGrace is how long after its deadline a request may still end by itself.
var closeGrace = time.Second // a spec waits less for what never comes

// ask sends a request and reads its answer, without following redirects. The request must have the pooled context and
// GetBody.
func (c *connections) ask(p *pooledContext, req *http.Request, probe exchange.Probe) (a answer) {
	if a.Response, a.err = c.roundTrip(c.current.Load(), p, req, probe); a.err == nil {
		a.body, a.bodyErr = readBody(a.Response)
	}
	return a
}

// askOrAbandon is ask for a request that may use HTTP/2.
func (c *connections) askOrAbandon(p *pooledContext, req *http.Request, probe exchange.Probe) answer {
	t := c.current.Load()
	a, err := engine.Value(p.ctx, closeGrace, func() (answer, error) { return c.ask(p, req, probe), nil })
	switch {
	case errors.Is(err, engine.ErrGivenUp):
		c.current.CompareAndSwap(t, c.newTransports())
		return answer{err: context.Cause(p.ctx)}
	case err != nil: // it panicked
		return answer{err: err}
	}
	return a
}

// roundTrip sends a request. A target that requires HTTP/1.1 has not looked at it (RFC 9113, section 7): then it is
// sent again over HTTP/1.1, and so is every later one. IIS does so where it authenticates by Windows or by
// renegotiation.
func (c *connections) roundTrip(t *transports, p *pooledContext, req *http.Request,
	probe exchange.Probe) (*http.Response, error) {
	resp, err := c.sendOver(t, p, req, probe)
	if err == nil || t.http1 || p.ctx.Err() != nil || !strings.Contains(err.Error(), "HTTP_1_1_REQUIRED") {
		return resp, err
	}
	c.http1.Store(true)
	c.current.CompareAndSwap(t, c.newTransports())
	again := req.Clone(p.ctx)
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return c.sendOver(c.current.Load(), p, again, probe)
}

func (c *connections) sendOver(t *transports, p *pooledContext, req *http.Request,
	probe exchange.Probe) (*http.Response, error) {
	switch closes := c.closes.seen.Load(); {
	case closes && probe.Control:
		t.control.CloseIdleConnections()
		return t.control.RoundTrip(req)
	case probe.FollowsControl():
		req.Close = true // after it
		return t.control.RoundTrip(req)
	case closes, !probe.WellFormed():
		return t.unpooled.RoundTrip(req)
	}
	req.Close = isLastOnConnection(c.sent.Add(1))
	p.last.Store(req.Close)
	resp, err := t.reused.RoundTrip(req)
	if err == nil || !p.reused.Load() || p.begun.Load() || !hungUp(err) || p.ctx.Err() != nil {
		return resp, err
	}
	c.closes.seen.Store(true)
	again := req.Clone(p.ctx)
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	c.closes.repeated.Add(1)
	return t.unpooled.RoundTrip(again)
}

// isLastOnConnection reports whether a connection is given up after the n-th request on kept ones. A balancer may
// choose a node for each connection: so each node gets requests, also if they are sent one at a time, or over HTTP/2. A
// run has few requests, and a sweep many: one of 101 would take a tenth of its speed.
func isLastOnConnection(n int64) bool { return n < 500 && n%7 == 0 || n%1009 == 0 }

// idleCheckDelay is the pause before the second use of a connection. A server that closes connections after an answer
// usually does so within this time.
const idleCheckDelay = 3 * time.Millisecond

// gotConn notes the connection of a request, and whether its other end closes it after the answer. It waits for
// idleCheckDelay before the second use of a connection, and notes whether it was idle for long enough to be looked at
// before something is written.
func (p *pooledContext) gotConn(info httptrace.GotConnInfo) {
	p.reused.Store(info.Reused)
	conn := info.Conn
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	probed, ok := conn.(*probedConn)
	if !ok {
		return
	}
	if p.last.Load() {
		probed.givenUp.Store(true)
	}
	if !info.Reused {
		return
	}
	idle := info.IdleTime
	if probed.idleChecked.CompareAndSwap(false, true) {
		time.Sleep(idleCheckDelay)
		idle += idleCheckDelay
	}
	probed.rested.Store(idle > tooShort)
}

// hungUp reports whether the error means that the other end closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || // over TLS
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") // net/http does not export this one
}

// keepNone closes the kept connections. From now on each request has its own.
func (c *connections) keepNone() {
	c.closes.seen.Store(true)
	c.close()
}

// close closes the idle connections. It waits at most closeGrace, because a blocked transport can't be closed.
func (c *connections) close() {
	t, done := c.current.Load(), make(chan struct{})
	go func() {
		defer close(done)
		for _, one := range t.all() {
			one.CloseIdleConnections()
		}
	}()
	select {
	case <-done:
	case <-time.After(closeGrace):
	}
}

// probedConn is a connection whose Write fails if its other end has closed it. No byte is written then, so net/http
// retries on another connection.
type probedConn struct {
	net.Conn
	closes      *atomic.Bool
	idleChecked atomic.Bool
	rested      atomic.Bool // it was idle before the current request
	givenUp     atomic.Bool // by the current request
}

// tooShort is a pause in which no close can follow an answer and be seen: it is on its way as the request is.
const tooShort = 50 * time.Microsecond

func (p *probedConn) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		p.noteClose()
	}
	return n, err
}

func (p *probedConn) Write(b []byte) (int, error) {
	if p.rested.Load() && closedByPeer(p.Conn) {
		p.noteClose()
		return 0, syscall.EPIPE
	}
	return p.Conn.Write(b)
}

// noteClose notes that the other end closed the connection. One that was given up it closes as it was asked to.
func (p *probedConn) noteClose() {
	if !p.givenUp.Load() {
		p.closes.Store(true)
	}
}
