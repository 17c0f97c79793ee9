package advice_test

import (
	"net/url"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "authenticator-conformance/suites/internal/ask/advice"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestAdvice(t *testing.T) { testkit.Specs(t, "advice") }

// example is what was seen for one line of the list, and how what is to be checked begins.
type example struct {
	line string
	seen Seen
	says string
}

var (
	target   = &settings.Target{URL: &url.URL{Scheme: "http", Host: "x"}}
	proxied  = &settings.Target{Proxy: &settings.Proxy{Shown: "http://p:3128", Variable: "HTTP_PROXY"}}
	cookies  = Form{Cookies: "AMLB"}
	page     = Form{Page: true}
	empty    = Form{Empty: true}
	refused  = func() string { return "' is in 2" }
	advised  = &exchange.Fault{Kind: exchange.Transport, Advised: true}
	timeout  = &exchange.Fault{Kind: exchange.Timeout}
	broken   = &exchange.Fault{Kind: exchange.Transport}
	yearsAgo = time.Date(2020, 9, 13, 12, 26, 40, 0, time.UTC)
)

// examples has one for each line of the list, in its order. None mentions a setting that the look does not point to.
var examples = []example{
	{"an answer that began and broke off", Seen{Whom: Nobody, Status: 200, Fault: broken}, "see the log"},
	{"a fault that names what to do", Seen{Whom: Nobody, Fault: advised}, ""},
	{"a time-out", Seen{Whom: Nobody, Fault: timeout}, "see why it is slow or silent, or raise --timeout"},
	{"a connection to http:// that is closed, or an answer that is no HTTP",
		Seen{Whom: Nobody, Fault: broken, Closed: true, Clear: true}, "does the server there speak TLS?"},
	{"no answer for any other reason", Seen{Whom: Nobody, Fault: broken}, "check the setting target.url"},

	{"a base URL that ends with what the suite appends", Seen{Whom: Everybody, Status: 404, Doubled: "/api",
		Path: "/api/v5/x"},
		"the end of the base URL: leave /api out, as the suite appends /api/v5/x; the base URL with"},
	{"400 to http://, with a text that names HTTPS", Seen{Whom: Everybody, Status: 400, Clear: true, NamesHTTPS: true},
		"the beginning of the base URL: the server there speaks TLS"},
	{"a proxy in use, and 403, 407, 502 to 504, or a page that is not 2xx",
		Seen{Whom: Everybody, Status: 502, Target: proxied}, "whether the proxy http://p:3128 (HTTP_PROXY) answered"},
	{"a challenge of Windows", Seen{Whom: Everybody, Status: 401, Windows: true},
		"what is in front of the service, or IIS"},
	{"2xx that says nothing, of all versions", Seen{Whom: Everybody, Status: 204, Form: empty},
		"the users file, if the target does not know them or they have no authenticators"},
	{"403 while another version serves", Seen{Whom: Everybody, Status: 403, OthersServe: true},
		"the access token (AUTHN_ACCESS_TOKEN or --access-token-file); what limits requests in front of it: send less"},
	{"401 or 403", Seen{Whom: Everybody, Status: 401, Form: cookies},
		"the access token (AUTHN_ACCESS_TOKEN or --access-token-file); whether a balancer"},
	{"a redirect, 404, 405 or 410", Seen{Whom: Everybody, Status: 302}, "the base URL with its path prefix"},
	{"400 or 422", Seen{Whom: Everybody, Status: 422}, "the application id (--application-id); the base URL"},
	{"429", Seen{Whom: Everybody, Status: 429}, "what limits requests in front of it: send less (--rate)"},
	{"503", Seen{Whom: Everybody, Status: 503},
		"whether the service works at all: its log says why it answers so; what"},
	{"any other 5xx", Seen{Whom: Everybody, Status: 500}, "whether the service works at all: its log says why it " +
		"answers so; the base URL"},
	{"a page in 2xx", Seen{Whom: Everybody, Status: 200, Form: page}, "the base URL with its path prefix"},
	{"a refusal that sets a cookie", Seen{Whom: Everybody, Status: 418, Form: cookies}, "whether a balancer or a " +
		"session wants back the cookie that was set (AMLB), as this suite keeps none: give it as a header Cookie " +
		"(target.headers); the access token"},
	{"any refusal", Seen{Whom: Everybody, Status: 200},
		"the access token (AUTHN_ACCESS_TOKEN or --access-token-file); " +
			"the application id (--application-id); the base URL with its path prefix (--target-url); the client " +
			"certificate and the headers, if a gateway asks for them (--client-cert, target.headers); the users " +
			"file, if the target does not know them (--users)"},

	{"a token whose exp has passed", Seen{Whom: EverybodySince, Status: 500, TokenEnd: yearsAgo},
		"the access token, which ended at 2020-09-13T12:26:40Z: get a new one (AUTHN_ACCESS_TOKEN or"},
	{"401", Seen{Whom: EverybodySince, Status: 401}, "whether the access token has ended or its account is locked out"},
	{"403, 429 or 503", Seen{Whom: EverybodySince, Status: 403}, "a limit in front of the service (send less: --rate)"},
	{"404, 405 or 410", Seen{Whom: EverybodySince, Status: 404}, "whether the operation is still deployed there"},
	{"a refusal that sets a cookie", Seen{Whom: EverybodySince, Status: 418, Form: cookies}, "whether a balancer or"},
	{"any refusal", Seen{Whom: EverybodySince, Status: 500}, "whether the service still runs: see its log; a limit"},

	{"an object around what was expected", Seen{Whom: SomeUsers, Status: 200, Form: Form{Envelope: true}},
		"something wraps each answer"},
	{"served at first, and 404 or 410 in all versions from then on", Seen{Whom: SomeUsers, Status: 404, Gone: true,
		NowAndThen: true}, "gone meanwhile? Run again"},
	{"refused at one call and served at another, by an answer that sets a cookie", Seen{Whom: SomeUsers, Status: 401,
		NowAndThen: true, Form: cookies}, "do nodes differ?; whether a balancer or a session wants back the cookie"},
	{"refused at one call and served at another", Seen{Whom: SomeUsers, Status: 401, NowAndThen: true},
		"do nodes differ?"},
	{"a page, 401, 403, 502 or 504", Seen{Whom: SomeUsers, Status: 404, Form: page, Unknown: true, Common: refused},
		"see what is in front of the service, and what it refuses in these requests: ' is in 2"},
	{"any other 5xx", Seen{Whom: SomeUsers, Status: 500, Unknown: true}, "whether the service works at all"},
	{"2xx that says nothing, of a user whom no version served", Seen{Whom: SomeUsers, Status: 200, Unknown: true,
		Form: empty}, "if they have no authenticators, mark them enrolled: false"},
	{"another refusal of a user whom no version served, such as 404", Seen{Whom: SomeUsers, Status: 404, Unknown: true},
		"perhaps unknown to the target"},

	{"nothing but answers that can mean that there is no data", Seen{Whom: HalfOfUsers, Form: empty},
		"the users file may be old or of another installation, so check it (--users)"},

	{"getUserAuth served fewer than findByUserIds, which is sent no Id", Seen{Whom: TooMany, Lags: "getUserAuth"},
		"the ids in the users file, as findByUserIds, which needs none, serves more users (--users)"},
	{"findByUserIds served fewer than getUserAuth", Seen{Whom: TooMany, Lags: "findByUserIds"},
		"whether the service works at all: its log says why it answers so"},
	{"nothing but answers that can mean that there is no data", Seen{Whom: TooMany, Form: empty},
		"the users file: user ids without their leading zeros, users without authenticators who are not marked"},
}

var _ = Describe("What is to check if a target does not serve", func() {
	for i, e := range examples {
		It("is found for line "+e.line, func() {
			if e.seen.Target == nil {
				e.seen.Target = target
			}
			look, is := Line(i, e.seen)
			Expect(look).To(Equal(e.line), "the examples are in the order of the lines")
			Expect(is).To(BeTrue())
			check := ToCheck(e.seen, &settings.Settings{})
			Expect(check).To(HavePrefix(e.says))
			if e.says == "" {
				Expect(check).To(BeEmpty())
			}
		})
	}

	It("has an example for each line", func() { Expect(examples).To(HaveLen(Lines)) })

	It("marks nobody as not enrolled for 401, 403, 5xx or a page, however often it is asked (D4)", func() {
		for _, whom := range []Whom{Everybody, EverybodySince, SomeUsers} {
			for _, status := range []int{200, 302, 401, 403, 404, 407, 429, 500, 502, 503, 504} {
				for _, form := range []Form{page, {}, cookies} {
					if status == 404 && !form.Page {
						continue // it can mean that the target has nothing for the user
					}
					seen := Seen{Whom: whom, Status: status, Form: form, Unknown: true, Target: target}
					Expect(ToCheck(seen, &settings.Settings{})).NotTo(ContainSubstring("enrolled: false"), "%+v", seen)
				}
			}
		}
	})

	It("names no cookie if values are hidden, as a target may name one after a user", func() {
		seen := Seen{Whom: Everybody, Status: 401, Form: cookies, Target: target}
		Expect(ToCheck(seen, &settings.Settings{Values: settings.ValuesHide})).To(And(ContainSubstring("the cookie "+
			"that was set, as"), Not(ContainSubstring("AMLB"))))
	})
})

var _ = DescribeTable("What refused user ids have in common is", func(refused, served []string, says string) {
	Expect(Common(refused, served)).To(Equal(says))
},
	Entry("the characters of no id that was served", []string{"O'Brien", "D'Arcy", "a.b"}, []string{"u-1", "u_2"},
		"' is in 2 and . is in 1 of the 3 user ids that were refused, and in none that was served"),
	Entry("nothing, if those who were served have them too", []string{"O'Brien"}, []string{"D'Arcy"}, ""),
	Entry("nothing, if nobody was served", []string{"O'Brien"}, nil, ""),
	Entry("named by number, if it can't be seen", []string{"a\u0301"}, []string{"b"},
		"U+0301 is in 1 of the 1 user id that was refused, and in none that was served"),
)
