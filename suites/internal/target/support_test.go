package target_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	token       = "administrator-token-8Fk2Qw7Zp1Xc5Vb9"
	application = "calling-module"
	userID      = "u-1001"
	guid        = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	bound       = 16 << 20
)

// clientFor returns a client for a target at a URL. change modifies its settings.
func clientFor(address string, change ...func(*settings.Settings)) *target.Client {
	GinkgoHelper()
	s := testkit.Settings(testkit.Must(url.Parse(address)), nil,
		append([]func(*settings.Settings){func(s *settings.Settings) {
			s.AccessToken, s.ApplicationID, s.Secrets, s.Concurrency = token, application, []string{token}, 4
		}}, change...)...)
	c := target.New(s, testkit.Contract(), "1.2.3", "run-17")
	DeferCleanup(c.Close)
	return c
}

// startServer starts a target with a handler, and returns its URL.
func startServer(handler http.HandlerFunc) string {
	server := httptest.NewServer(handler)
	DeferCleanup(server.Close)
	return server.URL
}

// startCounting starts a target that answers each request by its number, from 1. asked counts the requests.
func startCounting(answer func(w http.ResponseWriter, number int)) (address string, asked *atomic.Int64) {
	asked = &atomic.Int64{}
	return startServer(func(w http.ResponseWriter, _ *http.Request) { answer(w, int(asked.Add(1))) }), asked
}

// startRaw starts a target that reads a request and passes its connection to a function, which need not answer HTTP.
func startRaw(answer func(net.Conn, *http.Request)) string {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(listener.Close)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, req.Body) // the rest of a broken request is not checked
				answer(conn, req)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// respondWith writes an answer to a connection.
func respondWith(conn net.Conn, text string) { _, _ = io.WriteString(conn, text) }

func wellFormed(op schemas.Operation) exchange.Probe {
	return exchange.Probe{ID: "e17", Operation: op, Version: schemas.V5, Segment: "v5", Round: 1,
		User: settings.User{ID: guid, UserID: userID, Enrolled: true}}
}

func withoutField(field string) exchange.Probe {
	p := wellFormed(schemas.GetUserAuth)
	p.Kind, p.Field = exchange.Absent, field
	return p
}

// sendProbe sends a probe and expects an exchange.
func sendProbe(ctx SpecContext, c *target.Client, p exchange.Probe) *exchange.Exchange {
	GinkgoHelper()
	ex, err := c.Do(ctx, p)
	Expect(err).NotTo(HaveOccurred())
	return ex
}
