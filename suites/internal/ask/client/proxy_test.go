package client_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

const credentials = "Basic Y2FsbGVyOm9wZW4tc2VzYW1l"

// withProxy sets a proxy with credentials. Only the proxy knows the name of the target.
func withProxy(address, variable string) func(*settings.Settings) {
	GinkgoHelper()
	proxy := testkit.Must(url.Parse(address))
	proxy.User = url.UserPassword("caller", "open-sesame")
	p := &settings.Proxy{URL: proxy, Shown: address, Variable: variable}
	return testkit.EachTarget(func(t *settings.Target) { t.Proxy = p })
}

// tunnelTo returns a proxy that connects to one address, whatever host is requested.
func tunnelTo(place string) http.HandlerFunc {
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
		go func() { _, _ = io.Copy(there, begun) }() // a part may have arrived already
		_, _ = io.Copy(here, there)
	}
}

// recordedExchanges records sequential exchanges.
type recordedExchanges struct{ sent []*exchange.Exchange }

func (r *recordedExchanges) Sending() int { return len(r.sent) }

func (r *recordedExchanges) Sent(_ int, _ *requests.Requests, ex *exchange.Exchange, _ string) {
	r.sent = append(r.sent, ex)
}

// refuseWith starts a server that answers everything with a status and asks for one of these logins.
func refuseWith(status int, offers ...string) string {
	return startServer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Proxy-Authenticate"] = offers
		w.WriteHeader(status)
	})
}

// That it gets all requests for an http target, with its credentials, is shown by the binary (suites/test/selftest).
var _ = Describe("A proxy", func() {
	const plain, secured = "http://access.example.test", "https://access.example.test"

	It("connects to an https target, and any answer is the target's, 407 too", func(ctx SpecContext) {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			Expect(req.Header).NotTo(HaveKey("Proxy-Authorization"))
			w.WriteHeader(http.StatusProxyAuthRequired)
		}))
		startTLS(server)
		proxy := withProxy(startServer(tunnelTo(server.Listener.Addr().String())), "HTTPS_PROXY")
		ex := sendProbe(ctx, clientFor("https://example.com", proxy, trustOf(server)), wellFormed)
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Status).To(Equal(http.StatusProxyAuthRequired))
	})

	DescribeTable("that refuses the request ends the run with an error that names it and its variable",
		func(ctx SpecContext, target, variable string, status int, says string, offers ...string) {
			proxy := refuseWith(status, offers...)
			c, recorded := clientFor(target, withProxy(proxy, variable)), &recordedExchanges{}
			c.Recorder = recorded
			_, err := c.Send(ctx, wellFormed)
			Expect(err).To(MatchError(And(HavePrefix("the proxy "+proxy+" ("+variable+") "), ContainSubstring(says),
				Not(ContainSubstring("sesame")))))
			Expect(recorded.sent).To(HaveLen(1))
			Expect(recorded.sent[0].Fault.Kind).To(Equal(exchange.Ended), "it is no answer of the target")
		},
		Entry("407 for http", plain, "HTTP_PROXY", 407, "needs credentials"),
		Entry("407 for https that offers no Basic", secured, "HTTPS_PROXY", 407, "does not offer Basic; let it pass "+
			"this host",
			"Negotiate", "NTLM"),
		Entry("407 for https", secured, "https_proxy", 407, "in https_proxy"),
		Entry("403 for https", secured, "HTTPS_PROXY", 403,
			"answered 403 to CONNECT access.example.test:443: let it allow this host"),
	)

	DescribeTable("that can't reach the target causes a fault that names it once",
		func(ctx SpecContext, target string, status int, says string) {
			proxy := "http://127.0.0.1:1"
			if status > 0 {
				proxy = refuseWith(status)
			}
			ex := sendProbe(ctx, clientFor(target, withProxy(proxy, "HTTPS_PROXY")), wellFormed)
			expectFault(ex, exchange.Transport, says)
			Expect(ex.Fault.Detail).To(ContainSubstring("the proxy " + proxy + " (HTTPS_PROXY)"))
			Expect(strings.Count(ex.Fault.Detail, "HTTPS_PROXY")).To(Equal(1))
			Expect(ex.Fault.Advised).To(BeTrue(), "nothing else is to check")
		},
		Entry("502 to CONNECT", secured, 502,
			"answered 502 to CONNECT access.example.test:443: it can't reach that host"),
		Entry("because the proxy is not running", plain, 0, "connection refused; it is the proxy that can't be "+
			"reached"),
		Entry("because the proxy is not running, for https", secured, 0,
			"connection refused; it is the proxy that can't be reached"),
	)

	It("is not blamed for a 403, which may be the target's, or for a 407 without a proxy", func(ctx SpecContext) {
		through := clientFor(plain, withProxy(refuseWith(403), "HTTP_PROXY"))
		Expect(sendProbe(ctx, through, wellFormed).Status).To(Equal(403))
		Expect(sendProbe(ctx, clientFor(refuseWith(407)), wellFormed).Status).To(Equal(407))
	})
})
