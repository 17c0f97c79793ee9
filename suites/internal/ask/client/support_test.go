package client_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

func TestTarget(t *testing.T) { testkit.Specs(t, "target") }

const (
	token       = "administrator-token-8Fk2Qw7Zp1Xc5Vb9"
	application = "calling-module"
	bound       = 16 << 20
	limit       = 30 * time.Second // ends a spec that hangs because the client is broken
)

var (
	wellFormed = exchange.Probe{ID: "e17", Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5", Round: 1,
		User: exchange.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}}
	// withoutID is a request that a target should refuse.
	withoutID = changedBy(exchange.Absent, "Id")
	// control is a request that was served before.
	control = exchange.Probe{ID: "c1", Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5",
		User: wellFormed.User, Control: true}
)

func changedBy(kind exchange.Kind, field string) exchange.Probe {
	p := wellFormed
	p.Kind, p.Field = kind, field
	return p
}

// clientFor returns a client for a target at a URL. change modifies its settings.
func clientFor(address string, change ...func(*settings.Settings)) *client.Client {
	GinkgoHelper()
	s := testkit.Settings(testkit.Must(url.Parse(address)), nil,
		append([]func(*settings.Settings){func(s *settings.Settings) {
			s.Secrets, s.Concurrency = []string{token}, 4
			testkit.EachTarget(func(t *settings.Target) { t.AccessToken, t.ApplicationID = token, application })(s)
		}}, change...)...)
	c := client.New(s, testkit.Contract(), "1.2.3", "run-17", client.Options{})
	DeferCleanup(c.Close)
	return c
}

// sendProbe sends a probe and expects an exchange.
func sendProbe(ctx SpecContext, c *client.Client, p exchange.Probe) *exchange.Exchange {
	GinkgoHelper()
	return testkit.Must(c.Send(ctx, p))
}

// expectFault expects an exchange to have a fault of a kind that says this.
func expectFault(ex *exchange.Exchange, kind exchange.FaultKind, says string) {
	GinkgoHelper()
	Expect(ex.Fault).To(HaveValue(And(HaveField("Kind", kind), HaveField("Detail", ContainSubstring(says)))))
	Expect(ex.Body).To(BeNil())
	Expect(ex.Answered()).To(Equal(kind == exchange.Bound || kind == exchange.Encoding))
}

// startServer starts a target with a handler, and returns its URL.
func startServer(handler http.HandlerFunc) string { return testkit.Serve(handler).String() }

// startRaw starts a target that writes a text, which need not be HTTP, for each request, and closes each connection
// without notice after so many.
func startRaw(times int, text string) string {
	GinkgoHelper()
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))
	serveConnections(listener, func(conn net.Conn) {
		received := bufio.NewReader(conn)
		for range times {
			req, err := http.ReadRequest(received)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body) // the rest of a broken request is not checked
			_, _ = io.WriteString(conn, text)
		}
	})
	return "http://" + listener.Addr().String()
}

// serveConnections calls serve for each connection to a listener, until the spec ends, and closes it then.
func serveConnections(listener net.Listener, serve func(net.Conn)) {
	DeferCleanup(listener.Close)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
}

// mode is a way in which a target is served.
type mode struct {
	protocol string
	secured  bool
}

var overHTTP2 = mode{protocol: "HTTP/2.0", secured: true}

// modes are the entries of a table whose specs hold for every target.
var modes = []TableEntry{
	Entry("over HTTP/1.1", mode{protocol: "HTTP/1.1"}, NodeTimeout(limit)),
	Entry("over HTTP/1.1 and TLS", mode{protocol: "HTTP/1.1", secured: true}, NodeTimeout(limit)),
	Entry("over HTTP/2", overHTTP2, NodeTimeout(limit)),
}

type connKey struct{}

// connOf returns the connection below TLS of a request to such a target.
func connOf(r *http.Request) net.Conn {
	conn := r.Context().Value(connKey{}).(net.Conn)
	if secured, ok := conn.(*tls.Conn); ok {
		return secured.NetConn()
	}
	return conn
}

// startTarget starts a target with a handler. It returns a client for it, and counts its connections.
func (m mode) startTarget(handler http.HandlerFunc,
	change ...func(*settings.Settings)) (c *client.Client, connections *atomic.Int64) {
	GinkgoHelper()
	server := httptest.NewUnstartedServer(handler)
	connections = &atomic.Int64{}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	server.EnableHTTP2 = m.protocol == "HTTP/2.0"
	if m.secured {
		startTLS(server)
		change = append(change, trustOf(server))
	} else {
		server.Start()
		DeferCleanup(server.Close)
	}
	return clientFor(server.URL, change...), connections
}

// startTLS starts a server, which logs no refused handshakes.
func startTLS(server *httptest.Server) {
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	DeferCleanup(server.Close)
}

// trustOf is the setting of a private CA that has signed the certificate of a server.
func trustOf(server *httptest.Server) func(*settings.Settings) {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return testkit.EachTarget(func(t *settings.Target) { t.CA = pool })
}
