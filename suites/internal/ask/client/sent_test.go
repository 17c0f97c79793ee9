package client_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

// request is a request that a target received.
type request struct {
	method, path, contentType, body string
	length                          int64
	header                          http.Header
}

// startRecorder starts a target that records its requests. seen returns the new ones.
func startRecorder() (address string, seen func() []request) {
	requests := make(chan request, 100)
	address = startServer(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- request{r.Method, r.URL.EscapedPath(), r.Header.Get("Content-Type"), string(body), r.ContentLength,
			r.Header}
	})
	return address, func() []request {
		var list []request
		for len(requests) > 0 {
			list = append(list, <-requests)
		}
		return list
	}
}

// The bodies of all mutations are those of package exchange.
var _ = Describe("A request", func() {
	const path, path6 = "/api/v5/authenticator/getUserAuth", "/api/v6/authenticator/findByUserIds"
	const members = `"UserId":"u-1001","AccessToken":"` + token + `","ApplicationId":"` + application + `"}`
	const body, body6 = `{"Id":"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13",` + members, "{" + members
	identifiers := wellFormed
	identifiers.Operation, identifiers.Version, identifiers.Segment = schemas.FindByUserIDs, schemas.V6, "v6"

	DescribeTable("has the method, path and body of its probe, below the base URL of its version, and its ids",
		func(ctx SpecContext, p exchange.Probe, prefix, method, path, contentType, body string) {
			address, seen := startRecorder()
			ex := sendProbe(ctx, clientFor("http://127.0.0.1:1", func(s *settings.Settings) {
				s.Targets[p.Version].URL = testkit.Must(url.Parse(address + prefix))
			}), p)
			Expect(ex.Fault).To(BeNil())
			Expect(ex.Status).To(Equal(200))
			Expect(ex.Probe).To(Equal(p))
			got := seen()[0]
			Expect(got).To(Equal(request{method, prefix + path, contentType, body, int64(len(body)), got.header}))
			for name, value := range map[string]string{"Accept": "application/json", "Accept-Encoding": "gzip",
				"User-Agent": "authenticator-conformance/1.2.3 (run run-17; exchange e17)"} {
				Expect(got.header.Values(name)).To(Equal([]string{value}))
			}
		},
		Entry("well-formed", wellFormed, "", "POST", path, "application/json", body),
		Entry("of v6 and the other operation", identifiers, "", "POST", path6, "application/json", body6),
		Entry("below a prefix", wellFormed, "/a/b", "POST", path, "application/json", body),
		Entry("below a prefix with a space", identifiers, "/a%20b", "POST", path6, "application/json", body6),
		Entry("below a prefix with a slash", wellFormed, "/a%2Fb", "POST", path, "application/json", body),
		Entry("without a body", changedBy(exchange.EmptyBody, ""), "", "POST", path, "application/json", ""),
		Entry("of another type", changedBy(exchange.ContentType, ""), "", "POST", path, "text/plain", body),
		Entry("by another method", changedBy(exchange.WrongMethod, ""), "", "GET", path, "", ""),
	)

	It("has the extra headers as they are given, which can replace Accept, and no other of the suite's own",
		func(ctx SpecContext) {
			address, seen := startRecorder()
			sendProbe(ctx, clientFor(address, testkit.EachTarget(func(t *settings.Target) {
				t.Headers = []settings.Header{{Name: "X-Tenant", Value: "seven"},
					{Name: "User-Agent", Value: "another"},
					{Name: "Content-Type", Value: "text/html"}, {Name: "accept", Value: "application/json; v=2"}}
			})), wellFormed)
			header := seen()[0].header
			Expect(header.Get("X-Tenant")).To(Equal("seven"))
			Expect(header.Values("Accept")).To(Equal([]string{"application/json; v=2"}))
			Expect(header.Values("User-Agent")).To(HaveExactElements(HavePrefix("authenticator-conformance/")))
			Expect(header.Values("Content-Type")).To(Equal([]string{"application/json"}))
		})
})

var _ = Describe("TLS (J18)", func() {
	// startSecured starts a target that answers with the number of certificates of its client.
	startSecured := func(config *tls.Config) *httptest.Server {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(r.TLS.PeerCertificates) == 0 {
				w.WriteHeader(http.StatusForbidden)
			}
		}))
		server.TLS, server.EnableHTTP2 = config, true
		config.ClientAuth = tls.RequestClientCert
		startTLS(server)
		return server
	}

	It("is verified: a certificate of an unknown authority is a fault that suggests --ca", func(ctx SpecContext) {
		ex := sendProbe(ctx, clientFor(startSecured(&tls.Config{}).URL), wellFormed)
		expectFault(ex, exchange.Transport, "--ca")
		Expect(ex.Fault.Plain).To(ContainSubstring("TLS: the target's certificate or handshake was refused"))
	})

	It("requires version 1.2 or later", func(ctx SpecContext) {
		for version, accepted := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false,
			tls.VersionTLS12: true} {
			server := startSecured(&tls.Config{MinVersion: version, MaxVersion: version})
			ex := sendProbe(ctx, clientFor(server.URL, trustOf(server)), wellFormed)
			Expect(ex.Fault == nil).To(Equal(accepted), tls.VersionName(version))
		}
	})

	It("sends a client certificate", func(ctx SpecContext) {
		server := startSecured(&tls.Config{})
		c := clientFor(server.URL, trustOf(server), testkit.EachTarget(func(t *settings.Target) {
			t.ClientCertificate = &server.TLS.Certificates[0]
		}))
		Expect(sendProbe(ctx, c, wellFormed).Status).To(Equal(200))
	})

	It("accepts the configuration of a Go program, and does not modify it", func(ctx SpecContext) {
		server := startSecured(&tls.Config{})
		trusted := testkit.Settings(nil, nil, trustOf(server)).Targets[schemas.V5].CA
		given := &tls.Config{RootCAs: trusted, ServerName: "example.com", MinVersion: tls.VersionTLS10,
			Certificates: server.TLS.Certificates}
		c := clientFor(server.URL, testkit.EachTarget(func(t *settings.Target) { t.TLS = given }))
		ex := sendProbe(ctx, c, wellFormed)
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Proto).To(Equal("HTTP/2.0"))
		Expect(ex.Status).To(Equal(200), "it has the client certificate")
		Expect(given.NextProtos).To(BeEmpty())

		given.ServerName = "another.example"
		c = clientFor(server.URL, testkit.EachTarget(func(t *settings.Target) { t.TLS = given }))
		expectFault(sendProbe(ctx, c, wellFormed), exchange.Transport, "certificate is for another name")
	})
})
