package requests_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// answered returns an answer of v6 to the first request.
func answered(status int, body string, headers ...string) *exchange.Exchange {
	ex := &exchange.Exchange{Status: status, Body: []byte(body), Header: http.Header{}, Probe: exchange.Probe{ID: "e1",
		Operation: schemas.GetUserAuth, Version: schemas.V6, Segment: "v6"}}
	for i := 0; i < len(headers); i += 2 {
		ex.Header.Add(headers[i], headers[i+1])
	}
	return ex
}

// preparedBy returns the requests of settings that are changed.
func preparedBy(change ...func(*settings.Settings)) *requests.Requests {
	base := &url.URL{Scheme: "http", Host: "target.example", Path: "/am"}
	return requests.New(testkit.Settings(base, nil, change...), testkit.Contract())
}

func throughProxy(s *settings.Settings) {
	testkit.EachTarget(func(t *settings.Target) {
		t.Proxy = &settings.Proxy{Shown: "http://proxy.example:3128", Variable: "HTTP_PROXY"}
	})(s)
}

// refuse returns the error of v6 that refused the first users alike. serving are the versions that served them.
func refuse(r *requests.Requests, ex *exchange.Exchange, serving ...schemas.Version) string {
	return r.Refused(slices.Repeat([]*exchange.Exchange{ex}, 5), "5 users", 2, serving).Error()
}

var _ = Describe("What is to check if the first users are refused (J19)", func() {
	DescribeTable("begins with what the answer speaks of:", func(ex *exchange.Exchange, first string) {
		text := refuse(preparedBy(), ex)
		Expect(text).To(ContainSubstring("; check, in this order: " + first))
		for _, other := range []string{"base URL", "access token", "application id", "client certificate",
			"the users file"} {
			Expect(text).To(ContainSubstring(other))
		}
		Expect(text).NotTo(ContainSubstring("?"))
	},
		Entry("a redirect", answered(301, ""), "the base URL"),
		Entry("400", answered(400, ""), "the application id"), Entry("422", answered(422, ""), "the application id"),
		Entry("401", answered(401, ""), "the access token"),
		Entry("404", answered(404, ""), "the base URL with its path prefix (--target-url); the users file, if the "+
			"target does not know them or they have no authenticators: then mark them enrolled: false, or list "+
			"others first (--users)"),
		Entry("405", answered(405, ""), "the base URL"), Entry("410", answered(410, ""), "the base URL"),
		Entry("429", answered(429, ""), "what limits requests in front of it: send less (--rate"),
		Entry("500", answered(500, ""), "whether the service works"),
		Entry("503", answered(503, "<title>Service Unavailable</title>"), "whether the service works"),
		Entry("204", answered(204, ""), "the users file"),
		Entry("an empty list", answered(200, " []\n"), "the users file"),
		Entry("null", answered(200, "null"), "the users file"),
		Entry("an error in 200", answered(200, `{"error":"x"}`), "the access token"),
		Entry("a login of Windows", answered(401, "", "WWW-Authenticate", "Negotiate", "WWW-Authenticate", "NTLM"),
			"what is in front of the service, or IIS itself: let it allow anonymous authentication"),
	)

	It("are the settings of the version that refuses, if the other one served the users, who are then enrolled",
		func() {
			text := refuse(preparedBy(), answered(404, ""), schemas.V5)
			Expect(text).To(And(HavePrefix("v6 refuses everything: none of 5 well-formed requests of getUserAuth for "+
				"5 users was served, but answered with 404 (5 times), so nothing else was sent; e1 to "+
				"http://target.example/am/api/v6/"),
				ContainSubstring("; v5 serves one of these users, so check the settings of v6, in this order: the "+
					"base URL with its path prefix (--target-url-v6); the users file, if the target does not know "+
					"them (--users); the access token (AUTHN_ACCESS_TOKEN_V6 or"),
				Not(ContainSubstring("enrolled: false"))))
			Expect(refuse(preparedBy(), answered(200, "[]"), schemas.V5)).To(ContainSubstring("order: the access " +
				"token"))
		})

	DescribeTable("begins with a proxy in use if it may have answered in the target's place:",
		func(ex *exchange.Exchange, first bool) {
			text := refuse(preparedBy(throughProxy), ex)
			Expect(text).To(ContainSubstring("/api/v6/authenticator/getUserAuth through the proxy " +
				"http://proxy.example:3128 (HTTP_PROXY) got "))
			Expect(strings.Contains(text, "in this order: whether the proxy http://proxy.example:3128 (HTTP_PROXY) "+
				"answered instead of the target")).To(Equal(first))
		},
		Entry("403", answered(403, ""), true), Entry("407", answered(407, ""), true),
		Entry("502", answered(502, ""), true),
		Entry("503", answered(503, ""), true), Entry("504", answered(504, ""), true),
		Entry("401", answered(401, ""), false),
		Entry("a page with 400", answered(400, "\n<html><title>Blocked</title>"), true),
		Entry("a page with 404", answered(404, "<!DOCTYPE html><html>"), true),
		Entry("a page with 200, a login", answered(200, "<html><title>Login</title>"), false),
	)
})

// faulted returns a request to v6 without an answer.
func faulted(status int, advised bool, detail string) *exchange.Exchange {
	ex := answered(status, "")
	ex.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: detail, Advised: advised}
	return ex
}

var _ = Describe("A target that has not answered one request", func() {
	DescribeTable("is reported with what is to check:", func(ex *exchange.Exchange, says string,
		change ...func(*settings.Settings)) {
		Expect(preparedBy(change...).Unreachable("v6", ex)).To(MatchError(says))
	},
		Entry("the URL of all versions", faulted(0, false, "connection refused"), "v6 can't be reached: no request "+
			"was answered; e1 to http://target.example/am/api/v6/authenticator/getUserAuth ended with: connection "+
			"refused; check the setting target.url (--target-url, AUTHN_TARGET_URL) and the network, proxy and TLS "+
			"settings"),
		Entry("the URL of its own", faulted(0, false, "connection refused"), "v6 can't be reached: no request was "+
			"answered; e1 to http://target.example/am/api/v6/authenticator/getUserAuth ended with: connection "+
			"refused; check the setting target.v6.url (--target-url-v6, AUTHN_TARGET_URL_V6) and the network, proxy "+
			"and TLS settings",
			func(s *settings.Settings) { s.Targets[schemas.V6].HasOwnURL = true }),
		Entry("nothing else, if the cause is known", faulted(0, true, "it has expired; renew it"), "v6 can't be "+
			"reached: no request was answered; e1 to http://target.example/am/api/v6/authenticator/getUserAuth ended "+
			"with: it has expired; renew it"),
		Entry("the service, if its answer breaks off", faulted(200, false, "the body broke off: unexpected EOF"),
			"v6 gave no "+
				"whole answer: e1 to http://target.example/am/api/v6/authenticator/getUserAuth got status 200, and "+
				"then: the body broke off: unexpected EOF; see the log of the service and of what is in front of it"),
		Entry("the proxy, which the fault names", faulted(0, true, "the proxy http://proxy.example:3128 answered 502 "+
			"to CONNECT"), "v6 can't be reached: no request was answered; e1 to "+
			"http://target.example/am/api/v6/authenticator/getUserAuth ended with: the proxy "+
			"http://proxy.example:3128 answered 502 to CONNECT", throughProxy),
	)
})
