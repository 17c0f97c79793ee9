package target

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"

	"authenticator-conformance/suites/internal/exchange"
)

// connections decides over which connection a probe goes.
//
// Well-formed requests share connections that are kept open. A probe that is meant to be refused has one of its own: a
// target that hangs up on it takes nothing from the others.
//
// A server may close a kept connection at any time without saying so (RFC 9112 §9.3.1). A request sent into that moment
// dies before a byte of an answer, and tells nothing about the service: it is sent again, over a new connection, and from
// then on so is every request. That hides no defect: a service that hangs up on requests does so there too.
type connections struct {
	kept, fresh *http.Transport
	closes      atomic.Bool  // the target was seen to close a kept connection
	repeated    atomic.Int64 // requests that were sent again for it
}

func newConnections(kept *http.Transport) *connections {
	fresh := kept.Clone()
	fresh.DisableKeepAlives = true
	return &connections{kept: kept, fresh: fresh}
}

// roundTrip sends a request without following redirects; it must be able to give its body again.
func (c *connections) roundTrip(req *http.Request, p exchange.Probe) (*http.Response, error) {
	if !p.WellFormed() || c.closes.Load() {
		return c.fresh.RoundTrip(req)
	}
	var reused, begun bool
	traced := req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn:              func(info httptrace.GotConnInfo) { reused = info.Reused },
		GotFirstResponseByte: func() { begun = true },
	}))
	resp, err := c.kept.RoundTrip(traced)
	if err == nil || !reused || begun || !hungUp(err) || req.Context().Err() != nil {
		return resp, err
	}
	c.closes.Store(true)
	c.repeated.Add(1)
	again := req.Clone(req.Context())
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return c.fresh.RoundTrip(again)
}

// hungUp tells whether the other end closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") // net/http does not export this one
}

func (c *connections) close() {
	c.kept.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}
