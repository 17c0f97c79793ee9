package client

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/settings"
)

// connections sends requests to one target, over connections that are kept.
//
// A server may close a kept connection after an answer without notice (RFC 9112 §9.3). The HTTP library sends a
// request again that met such a close before a byte of an answer came (J19).
type connections struct {
	target    *settings.Target
	most      int // that are kept without a request
	transport atomic.Pointer[http.Transport]
	other     atomic.Pointer[http.Transport] // with the other one of two connections; nil: it has none
	http1     atomic.Bool                    // the target takes no HTTP/2
	sent      atomic.Int64                   // well-formed requests
	// asksForCertificate is true if the target asked for a client certificate and there is none.
	asksForCertificate atomic.Bool
}

// answer is the result of a request.
type answer struct {
	*http.Response
	body    []byte // the received part, still encoded
	bodyErr error  // why the body is incomplete
}

// leastKept is how many connections a run keeps at most, which asks four requests side by side (J15).
const leastKept = 8

func newConnections(t *settings.Target, most int) *connections {
	c := &connections{target: t, most: most}
	c.transport.Store(c.newTransport())
	return c
}

// reconnect lets the next request open a new connection. It takes a new transport for that: one of HTTP/2 counts as in
// use for some microseconds after an answer, so that it would not be closed.
func (c *connections) reconnect() {
	for _, before := range []*http.Transport{c.transport.Swap(c.newTransport()), c.other.Swap(nil)} {
		if before != nil {
			go before.CloseIdleConnections() // it never returns if the HTTP library hangs
		}
	}
}

// alternate lets the next request go over the other one of two connections.
func (c *connections) alternate() {
	next := c.other.Swap(c.transport.Load())
	if next == nil {
		next = c.newTransport()
	}
	c.transport.Store(next)
}

// idleTimeout is how long a connection is kept without a request. Firewalls forget connections that are idle for
// minutes without a word: a request over one would get no answer.
var idleTimeout = 20 * time.Second // a spec waits less

// newTransport returns a transport with the proxy and TLS files of the target, and the limits of the suite.
func (c *connections) newTransport() *http.Transport {
	t := c.target
	secured := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.CA}
	if t.ClientCertificate != nil {
		secured.Certificates = []tls.Certificate{*t.ClientCertificate}
	}
	if t.TLS != nil {
		secured = t.TLS.Clone() // a clone, because a transport modifies its configuration
		secured.MinVersion = max(secured.MinVersion, tls.VersionTLS12)
	}
	switch hasCertificate := len(secured.Certificates) > 0 || secured.GetClientCertificate != nil; {
	case !hasCertificate:
		secured.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			c.asksForCertificate.Store(true)
			return &tls.Certificate{}, nil
		}
	case secured.Renegotiation == tls.RenegotiateNever:
		// IIS asks for the certificate once it knows the path of the request, by renegotiation (TLS 1.2).
		secured.Renegotiation = tls.RenegotiateOnceAsClient
	}
	transport := &http.Transport{
		TLSClientConfig:        secured,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    c.most,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // this package decodes, to limit the decoded body too
	}
	if t.Proxy != nil {
		transport.Proxy, transport.OnProxyConnectResponse = http.ProxyURL(t.Proxy.URL), checkConnect(t.Proxy)
	}
	if c.http1.Load() {
		transport.Protocols = &http.Protocols{}
		transport.Protocols.SetHTTP1(true)
	}
	return transport
}

// askWithin is ask, and gives up what hangs. An HTTP/2 server can make the client deadlock: if the window of a stream
// overflows (Go 1.26), no request over that connection ends, whatever its context. Over HTTP/1.1 the context is the
// end, so that no goroutine is needed, which costs as much as a twentieth of a sweep.
func (c *connections) askWithin(ctx context.Context, grace time.Duration, req *http.Request) (answer, error) {
	if req.URL.Scheme == "http" || c.http1.Load() {
		return c.ask(req)
	}
	return bounded.Value(ctx, grace, func() (answer, error) { return c.ask(req) })
}

// ask sends a request, which must have GetBody, and reads its answer, without following redirects.
func (c *connections) ask(req *http.Request) (a answer, err error) {
	if a.Response, err = c.roundTrip(req); err == nil {
		a.body, a.bodyErr = readBody(a.Response)
	}
	return a, err
}

// roundTrip sends a request. A target that requires HTTP/1.1 has not looked at it (RFC 9113, section 7): then it is
// sent again over HTTP/1.1, and so is every later one. IIS does so where it authenticates by Windows or by
// renegotiation.
func (c *connections) roundTrip(req *http.Request) (*http.Response, error) {
	transport := c.transport.Load()
	resp, err := transport.RoundTrip(req) // not http.Client, which follows redirects
	if err == nil || transport.Protocols != nil || !strings.Contains(err.Error(), "HTTP_1_1_REQUIRED") {
		return resp, err
	}
	c.http1.Store(true)
	c.reconnect()
	again := req.Clone(req.Context())
	again.Body, _ = req.GetBody() // it never fails
	return c.transport.Load().RoundTrip(again)
}

// isLastOnConnection reports whether the n-th well-formed request gives up its connection: 71 of the first 500, then
// one of 1,009. So behind a balancer each node gets requests, also if they are sent one at a time, or over HTTP/2. More
// would cost a sweep a tenth of its speed.
func isLastOnConnection(n int64) bool { return n < 500 && n%7 == 0 || n%1009 == 0 }
