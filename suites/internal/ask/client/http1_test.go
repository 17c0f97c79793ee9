package client_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http2"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// startHTTP1Only starts a target that agrees on HTTP/2 and resets each stream with HTTP_1_1_REQUIRED, as IIS does if it
// authenticates by Windows. Over HTTP/1.1 it answers. It returns its URL, its authority and how many streams it reset.
func startHTTP1Only() (url string, authority *kit.Authority, resets *atomic.Int64) {
	GinkgoHelper()
	authority, config, err := kit.NewServerConfig(kit.Certificate{Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	Expect(err).NotTo(HaveOccurred())
	config.NextProtos = []string{"h2", "http/1.1"}
	listener := testkit.Must(tls.Listen("tcp", "127.0.0.1:0", config))
	resets = &atomic.Int64{}
	serveConnections(listener, func(conn net.Conn) {
		if secured := conn.(*tls.Conn); secured.Handshake() == nil &&
			secured.ConnectionState().NegotiatedProtocol == "h2" {
			resetStreams(conn, resets)
		} else {
			answerRequests(conn)
		}
	})
	return "https://" + listener.Addr().String(), authority, resets
}

// resetStreams speaks HTTP/2 just enough to reset each stream.
func resetStreams(conn net.Conn, resets *atomic.Int64) {
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	for err := framer.WriteSettings(); err == nil; {
		var frame http2.Frame
		if frame, err = framer.ReadFrame(); err != nil {
			return
		}
		if headers, is := frame.(*http2.HeadersFrame); is {
			resets.Add(1)
			err = framer.WriteRSTStream(headers.StreamID, http2.ErrCodeHTTP11Required)
		}
	}
}

// answerRequests answers each request of HTTP/1.1 with 200.
func answerRequests(conn net.Conn) {
	for in := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
	}
}

var _ = It("A target that requires HTTP/1.1 is asked again over it, once, and from then on; a warning says so",
	func(ctx SpecContext) {
		url, authority, resets := startHTTP1Only()
		c := clientFor(url, testkit.EachTarget(func(t *settings.Target) { t.CA = authority.Pool }))
		for _, p := range []exchange.Probe{wellFormed, control, changedBy(exchange.Null, "Id"), wellFormed} {
			ex := sendProbe(ctx, c, p)
			Expect(ex.Fault).To(BeNil())
			Expect([]any{ex.Status, ex.Proto}).To(Equal([]any{200, "HTTP/1.1"}))
		}
		Expect(resets.Load()).To(BeEquivalentTo(1))
		Expect(c.Warnings()).To(ContainElement(HavePrefix("v5 required HTTP/1.1")))
	})

var _ = Describe("What to do about a failed handshake (J18)", func() {
	address := kit.Certificate{Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	// fault returns the fault of a target with this configuration of TLS, whose authority is trusted. Its server closes
	// the connection after the handshake.
	fault := func(ctx SpecContext, certificate kit.Certificate, change func(*kit.Authority, *tls.Config),
		changes ...func(*settings.Target)) *exchange.Fault {
		GinkgoHelper()
		authority, config, err := kit.NewServerConfig(certificate)
		Expect(err).NotTo(HaveOccurred())
		if change != nil {
			change(authority, config)
		}
		listener := testkit.Must(tls.Listen("tcp", "127.0.0.1:0", config))
		server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })}
		go func() { _ = server.Serve(listener) }()
		DeferCleanup(server.Close)
		c := clientFor("https://"+listener.Addr().String(), testkit.EachTarget(func(t *settings.Target) {
			t.CA = authority.Pool
			for _, change := range changes {
				change(t)
			}
		}))
		ex := sendProbe(ctx, c, wellFormed)
		Expect(ex.Fault).NotTo(BeNil())
		return ex.Fault
	}

	It("names the cause", func(ctx SpecContext) {
		other := testkit.Must(kit.NewAuthority())
		for _, c := range []struct {
			says        string
			certificate kit.Certificate
			change      func(*kit.Authority, *tls.Config)
			target      func(*settings.Target)
		}{
			{says: "has no subjectAltName"},
			{says: "is for another name", certificate: kit.Certificate{Names: []string{"other.example"}}},
			{says: "is not valid now", certificate: kit.Certificate{Addresses: address.Addresses, Expired: true}},
			{says: "must not be used for this server", certificate: kit.Certificate{Addresses: address.Addresses,
				Client: true}},
			{says: "not in the file of the private CA", certificate: address,
				target: func(t *settings.Target) { t.CA = other.Pool }},
			{says: "give a private CA with --ca", certificate: address,
				target: func(t *settings.Target) { t.CA = nil }},
			{says: "in the wrong order", certificate: address, change: func(a *kit.Authority, c *tls.Config) {
				c.Certificates = []tls.Certificate{{PrivateKey: a.Pair.PrivateKey, Certificate: [][]byte{
					a.Pair.Certificate[0], c.Certificates[0].Certificate[0]}}}
			}},
			{says: "asks for a client certificate: give --client-cert", certificate: address,
				change: func(a *kit.Authority, c *tls.Config) {
					c.ClientAuth, c.ClientCAs, c.MaxVersion = tls.RequireAndVerifyClientCert, a.Pool, tls.VersionTLS12
				}},
			{says: "refuses the client certificate", certificate: address,
				change: func(a *kit.Authority, c *tls.Config) {
					c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, a.Pool
				}, target: func(t *settings.Target) {
					client := testkit.Must(other.Issue(kit.Certificate{Client: true}))
					t.ClientCertificate = &client.Pair
				}},
			{says: "enable TLS 1.2", certificate: address, change: func(_ *kit.Authority, c *tls.Config) {
				c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			}},
			{says: "enable ECDHE suites", certificate: address, change: func(_ *kit.Authority, c *tls.Config) {
				c.CipherSuites, c.MaxVersion = []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256}, tls.VersionTLS12
			}},
		} {
			changes := []func(*settings.Target){}
			if c.target != nil {
				changes = append(changes, c.target)
			}
			found := fault(ctx, c.certificate, c.change, changes...)
			Expect(found.Detail).To(ContainSubstring(c.says))
			Expect(found.Advised).To(BeTrue(), "nothing else is to check: %s", found.Detail)
		}
	})

	It("guesses the cause if the connection is closed after the handshake", func(ctx SpecContext) {
		issued := testkit.Must(testkit.Must(kit.NewAuthority()).Issue(kit.Certificate{Client: true}))
		client := func(t *settings.Target) { t.ClientCertificate = &issued.Pair }
		without, with := fault(ctx, address, nil), fault(ctx, address, nil, client)
		Expect(without.Detail).To(ContainSubstring("does so, too: give --client-cert"))
		Expect(with.Detail).To(And(ContainSubstring("can't give it then with TLS 1.3: let the server use TLS 1.2"),
			Not(ContainSubstring("give --client-cert"))))
		Expect([]bool{without.Advised, with.Advised}).To(Equal([]bool{false, false}))
	})

	It("names a server without TLS", func(ctx SpecContext) {
		plain := startServer(func(http.ResponseWriter, *http.Request) {})
		ex := sendProbe(ctx, clientFor(strings.Replace(plain, "http:", "https:", 1)), wellFormed)
		expectFault(ex, exchange.Transport, "does not use TLS: give the URL as http://, if that is meant")
	})
})
