package target_test

import (
	"io"
	"net"
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

// through asks a target by a proxy with credentials. The name of the target is one that only the proxy knows.
func through(address, variable string) func(*settings.Settings) {
	GinkgoHelper()
	proxy, err := url.Parse(address)
	Expect(err).NotTo(HaveOccurred())
	proxy.User = url.UserPassword("caller", "open-sesame")
	p := &settings.Proxy{URL: proxy, Shown: address, Variable: variable}
	return func(s *settings.Settings) {
		s.Proxies = map[schemas.Version]*settings.Proxy{schemas.V5: p, schemas.V6: p}
	}
}

const credentials = "Basic Y2FsbGVyOm9wZW4tc2VzYW1l"

// tunnel is a proxy that connects to one place, whatever host is asked for.
func tunnel(place string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodConnect || req.Header.Get("Proxy-Authorization") != credentials {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		there, err := net.Dial("tcp", place)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer there.Close()
		w.WriteHeader(http.StatusOK)
		here, begun, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		go func() { _, _ = io.Copy(there, begun) }() // some of it may have come already
		_, _ = io.Copy(here, there)
	}
}

// noted keeps what was sent, of requests that follow each other.
type noted struct{ sent []*exchange.Exchange }

func (r *noted) Sending() int { return len(r.sent) }

func (r *noted) Sent(_ int, ex *exchange.Exchange, _ string) { r.sent = append(r.sent, ex) }

var _ = Describe("A proxy", func() {
	const plain, secured = "http://access.example.test", "https://access.example.test"
	status := func(code int) string {
		return serving(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}

	It("is given every request of a target that is asked by http, with its credentials", func(ctx SpecContext) {
		proxy := serving(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.WriteString(w, req.URL.String()+" "+req.Header.Get("Proxy-Authorization"))
		})
		c := clientFor(plain, through(proxy, "HTTP_PROXY"))
		for _, p := range []exchange.Probe{read(schemas.GetUserAuth), without("Id")} {
			Expect(string(done(ctx, c, p).Body)).To(Equal(plain + "/api/v5/authenticator/getUserAuth " + credentials))
		}
	})

	It("connects to a target that is asked by https, and what that answers is the target's, 407 too",
		func(ctx SpecContext) {
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				Expect(req.Header).NotTo(HaveKey("Proxy-Authorization"))
				w.WriteHeader(http.StatusProxyAuthRequired)
			}))
			DeferCleanup(server.Close)
			proxy := serving(tunnel(server.Listener.Addr().String()))
			trusting := func(s *settings.Settings) {
				s.CA = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			}
			c := clientFor("https://example.com", through(proxy, "HTTPS_PROXY"),
				trusting) // that name is in the certificate
			ex := done(ctx, c, read(schemas.GetUserAuth))
			Expect(ex.Fault).To(BeNil())
			Expect(ex.Status).To(Equal(http.StatusProxyAuthRequired))
		})

	DescribeTable("that does not let it through ends the run, with its name and variable",
		func(ctx SpecContext, target, variable string, code int, says string) {
			proxy := status(code)
			c := clientFor(target, through(proxy, variable))
			reused := &noted{}
			c.Recorder = reused
			_, err := c.Do(ctx, read(schemas.GetUserAuth))
			Expect(err).To(MatchError(And(ContainSubstring("the proxy "+proxy+" ("+variable+")"),
				ContainSubstring(says))))
			Expect(err.Error()).NotTo(ContainSubstring("sesame"))
			Expect(reused.sent).To(HaveLen(1))
			Expect(reused.sent[0].Fault.Kind).To(Equal(exchange.Ended), "it is no answer of the target")
		},
		Entry("407 for http", plain, "HTTP_PROXY", 407, "wants credentials"),
		Entry("407 for https", secured, "https_proxy", 407, "in https_proxy"),
		Entry("403 for https", secured, "HTTPS_PROXY", 403,
			"answered 403 to CONNECT access.example.test:443: let it allow this host"),
	)

	DescribeTable("that can't reach the target leaves a fault that names it",
		func(ctx SpecContext, target string, code int, says string) {
			proxy := "http://127.0.0.1:1"
			if code > 0 {
				proxy = status(code)
			}
			c := clientFor(target, through(proxy, "HTTPS_PROXY"))
			ex := done(ctx, c, read(schemas.GetUserAuth))
			Expect(ex.Fault.Kind).To(Equal(exchange.Transport))
			Expect(ex.Fault.Detail).To(And(ContainSubstring(says),
				ContainSubstring("the proxy "+proxy+" (HTTPS_PROXY)")))
			Expect(strings.Count(ex.Fault.Detail, "HTTPS_PROXY")).To(Equal(1))
		},
		Entry("502 to CONNECT", secured, 502, "answered 502 to CONNECT"),
		Entry("as it is not there", plain, 0, "connection refused"),
	)

	It("leaves a 403 for http to the target, which may have sent it", func(ctx SpecContext) {
		Expect(done(ctx, clientFor(plain, through(status(403), "HTTP_PROXY")), read(schemas.GetUserAuth)).Status).To(
			Equal(403))
	})

	It("leaves a 407 to a target that is asked directly", func(ctx SpecContext) {
		Expect(done(ctx, clientFor(status(407)), read(schemas.GetUserAuth)).Status).To(Equal(407))
	})
})
