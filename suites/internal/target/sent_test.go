package target_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// request is a request that a target received.
type request struct {
	method, path, body string
	header             http.Header
	length             int64
}

// startRecorder starts a target that records its requests. seen returns the new ones.
func startRecorder() (address string, seen func() []request) {
	requests := make(chan request, 100)
	address = startServer(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- request{r.Method, r.URL.EscapedPath(), string(body), r.Header, r.ContentLength}
	})
	return address, func() []request {
		var list []request
		for len(requests) > 0 {
			list = append(list, <-requests)
		}
		return list
	}
}

var _ = Describe("A request", func() {
	It("has the documented method, path and body, and a User-Agent with its ids", func(ctx SpecContext) {
		address, seen := startRecorder()
		c := clientFor(address)
		ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Status).To(Equal(200))
		Expect(ex.Proto).To(Equal("HTTP/1.1"))
		Expect(ex.Probe).To(Equal(wellFormed(schemas.GetUserAuth)))
		Expect(ex.Answered()).To(BeTrue())
		requests := seen()
		Expect(requests).To(HaveLen(1))
		r := requests[0]
		Expect(r.method).To(Equal("POST"))
		Expect(r.path).To(Equal("/api/v5/authenticator/getUserAuth"))
		Expect(r.body).To(Equal(`{"Id":"` + guid + `","UserId":"` + userID + `","AccessToken":"` + token +
			`","ApplicationId":"` + application + `"}`))
		Expect(r.header.Get("Content-Type")).To(Equal("application/json"))
		Expect(r.header.Get("Accept")).To(Equal("application/json"))
		Expect(r.header.Get("Accept-Encoding")).To(Equal("gzip"))
		Expect(r.header.Get("User-Agent")).To(Equal("authenticator-conformance/1.2.3 (run run-17; exchange e17)"))
		Expect(r.length).To(BeEquivalentTo(len(r.body)))
		Expect(c.Counts().Requests).To(BeEquivalentTo(1))
		Expect(c.Counts().Throttled).To(BeZero())
	})

	DescribeTable("goes to the path of its version and operation below the base URL",
		func(ctx SpecContext, prefix string, version schemas.Version, op schemas.Operation, path string) {
			address, seen := startRecorder()
			p := wellFormed(op)
			p.Version, p.Segment = version, string(version)
			sendProbe(ctx, clientFor(address+prefix), p)
			Expect(seen()[0].path).To(Equal(path))
		},
		Entry(nil, "", schemas.V6, schemas.GetUserAuth, "/api/v6/authenticator/getUserAuth"),
		Entry(nil, "", schemas.V5, schemas.FindByUserIDs, "/api/v5/authenticator/findByUserIds"),
		Entry(nil, "/a/b", schemas.V5, schemas.GetUserAuth, "/a/b/api/v5/authenticator/getUserAuth"),
		Entry(nil, "/a%20b", schemas.V6, schemas.FindByUserIDs, "/a%20b/api/v6/authenticator/findByUserIds"),
		Entry(nil, "/a%2Fb", schemas.V6, schemas.GetUserAuth, "/a%2Fb/api/v6/authenticator/getUserAuth"),
	)

	It("of each version goes to that version's URL", func(ctx SpecContext) {
		five, v5 := startRecorder()
		six, atSix := startRecorder()
		c := clientFor(five, func(s *settings.Settings) { s.URLs[schemas.V6], _ = url.Parse(six + "/six") })
		p := wellFormed(schemas.GetUserAuth)
		p.Version, p.Segment = schemas.V6, "v6"
		sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		sendProbe(ctx, c, p)
		Expect(v5()).To(HaveLen(1))
		Expect(atSix()[0].path).To(Equal("/six/api/v6/authenticator/getUserAuth"))
	})

	It("has the extra headers, which can't replace the suite's own", func(ctx SpecContext) {
		address, seen := startRecorder()
		sendProbe(ctx, clientFor(address, func(s *settings.Settings) {
			s.Headers = []settings.Header{{Name: "X-Tenant", Value: "seven"}, {Name: "User-Agent", Value: "another"},
				{Name: "Content-Type", Value: "text/html"}}
		}), wellFormed(schemas.GetUserAuth))
		header := seen()[0].header
		Expect(header.Get("X-Tenant")).To(Equal("seven"))
		Expect(header.Values("User-Agent")).To(HaveExactElements(HavePrefix("authenticator-conformance/")))
		Expect(header.Values("Content-Type")).To(Equal([]string{"application/json"}))
	})

	DescribeTable("of a mutation differs from a well-formed one in one thing",
		func(ctx SpecContext, a exchange.Kind, field, method, contentType, body string) {
			address, seen := startRecorder()
			p := wellFormed(schemas.FindByUserIDs)
			p.Kind, p.Field = a, field
			sendProbe(ctx, clientFor(address), p)
			r := seen()[0]
			Expect(r.method).To(Equal(method))
			Expect(r.header.Get("Content-Type")).To(Equal(contentType))
			Expect(r.body).To(Equal(body))
			Expect(r.length).To(BeEquivalentTo(len(body)))
		},
		Entry(nil, exchange.Absent, "UserId", "POST", "application/json",
			`{"AccessToken":"`+token+`","ApplicationId":"`+application+`"}`),
		Entry(nil, exchange.Null, "ApplicationId", "POST", "application/json",
			`{"UserId":"`+userID+`","AccessToken":"`+token+`","ApplicationId":null}`),
		Entry(nil, exchange.EmptyToken, "AccessToken", "POST", "application/json",
			`{"UserId":"`+userID+`","AccessToken":"","ApplicationId":"`+application+`"}`),
		Entry(nil, exchange.WrongType, "UserId", "POST", "application/json",
			`{"UserId":12345,"AccessToken":"`+token+`","ApplicationId":"`+application+`"}`),
		Entry(nil, exchange.NotJSON, "", "POST", "application/json", `This body is no JSON.`),
		Entry(nil, exchange.EmptyBody, "", "POST", "application/json", ``),
		Entry(nil, exchange.ContentType, "", "POST", "text/plain",
			`{"UserId":"`+userID+`","AccessToken":"`+token+`","ApplicationId":"`+application+`"}`),
		Entry(nil, exchange.WrongMethod, "", "GET", "", ``),
	)
})

var _ = Describe("TLS (J18)", func() {
	secure := func() *httptest.Server {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Names", peerName(r))
		}))
		server.EnableHTTP2 = true
		server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		server.StartTLS()
		DeferCleanup(server.Close)
		return server
	}
	It("is verified: a certificate of an unknown authority is a fault that suggests --ca", func(ctx SpecContext) {
		ex := sendProbe(ctx, clientFor(secure().URL), wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).NotTo(BeNil())
		Expect(ex.Fault.Kind).To(Equal(exchange.Transport))
		Expect(ex.Fault.Detail).To(ContainSubstring("--ca"))
		Expect(ex.Answered()).To(BeFalse())
	})
	It("requires version 1.2 or later", func(ctx SpecContext) {
		for version, requests := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false,
			tls.VersionTLS12: true} {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.TLS = &tls.Config{MinVersion: version, MaxVersion: version}
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			DeferCleanup(server.Close)
			c := clientFor(server.URL, func(s *settings.Settings) {
				s.CA = x509.NewCertPool()
				s.CA.AddCert(server.Certificate())
			})
			Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault == nil).To(Equal(requests),
				tls.VersionName(version))
		}
	})
	It("accepts a private CA, sends a client certificate, and uses HTTP/2", func(ctx SpecContext) {
		server := secure()
		c := clientFor(server.URL, func(s *settings.Settings) {
			s.CA = x509.NewCertPool()
			s.CA.AddCert(server.Certificate())
			s.ClientCertificate = &server.TLS.Certificates[0]
		})
		ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Proto).To(Equal("HTTP/2.0"))
		Expect(ex.Header.Get("X-Names")).NotTo(BeEmpty())
	})
	It("accepts the configuration of a Go program, and does not modify it", func(ctx SpecContext) {
		server, given := secure(), &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com",
			MinVersion: tls.VersionTLS10}
		given.RootCAs.AddCert(server.Certificate())
		given.Certificates = server.TLS.Certificates
		c := clientFor(server.URL, func(s *settings.Settings) { s.TLS = given })
		ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Proto).To(Equal("HTTP/2.0"))
		Expect(ex.Header.Get("X-Names")).NotTo(BeEmpty())
		Expect(given.NextProtos).To(BeEmpty())

		given.ServerName = "another.example"
		refused := sendProbe(ctx, clientFor(server.URL, func(s *settings.Settings) { s.TLS = given }),
			wellFormed(schemas.GetUserAuth))
		Expect(refused.Fault.Detail).To(ContainSubstring("certificate is for another name"))
	})
})

// peerName returns the name in the client certificate.
func peerName(r *http.Request) string {
	if len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	return r.TLS.PeerCertificates[0].Subject.String()
}

var _ = DescribeTable("The tokens that a target must refuse",
	func(real string) {
		for range 20 {
			tokens := exchange.BadTokens(real)
			Expect(tokens.Real).To(Equal(real))
			Expect(tokens.Random).NotTo(Equal(real))
			Expect([]rune(tokens.Random)).To(HaveLen(len([]rune(real))))
			changed, runes := []rune(tokens.Changed), []rune(real)
			Expect(changed).To(HaveLen(len(runes)))
			var places []int
			for i := range runes {
				if runes[i] != changed[i] {
					places = append(places, i)
				}
			}
			Expect(places).To(Equal([]int{len(runes) / 2}),
				"in the middle, so that a signature breaks and no padding hides it")
		}
	},
	Entry("a usual one", token), Entry("one that has an x in the middle", "abxcd"), Entry("one character", "q"),
	Entry("an x", "x"), Entry("two characters", "ab"), Entry("beyond ASCII", "jürgen-日本-😀-token"),
)

var _ = Describe("The shown form of a probe", func() {
	It("has the random token unchanged, because it is no secret", func() {
		c := clientFor("http://127.0.0.1:1")
		p := wellFormed(schemas.GetUserAuth)
		p.Kind, p.Field = exchange.RandomToken, exchange.AccessToken
		Expect(c.Unknown).To(HaveLen(len(token)))
		Expect(c.Shown(p)).To(ContainSubstring(c.Unknown))
		Expect(c.Curl(p, strings.Clone)).To(ContainSubstring(c.Unknown))
	})
	It("has a placeholder for the token", func() {
		c := clientFor("http://127.0.0.1:1")
		for _, a := range []exchange.Kind{exchange.NoMutation, exchange.ChangedToken} {
			p := wellFormed(schemas.GetUserAuth)
			p.Kind, p.Field = a, exchange.AccessToken
			changed := exchange.BadTokens(token).Changed
			Expect(c.Shown(p)).To(And(ContainSubstring("$"), Not(ContainSubstring(token)),
				Not(ContainSubstring(changed))))
			Expect(c.Curl(p, strings.Clone)).To(And(ContainSubstring("$"), Not(ContainSubstring(token)),
				Not(ContainSubstring(changed))))
		}
	})
	It("names the extra headers, and has variables in place of their values", func() {
		c := clientFor("http://127.0.0.1:1", func(s *settings.Settings) {
			s.Headers = []settings.Header{{Name: "X-Api.Key", Value: "q9W2-zK71-tenant"}}
			s.Secrets = append(s.Secrets, "q9W2-zK71-tenant")
		})
		Expect(c.Curl(wellFormed(schemas.GetUserAuth), strings.Clone)).To(
			And(ContainSubstring(`X-Api.Key: $HEADER_X_API_KEY`), Not(ContainSubstring("q9W2"))))
	})
})
