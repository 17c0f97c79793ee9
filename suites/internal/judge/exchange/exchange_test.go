package exchange_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/exchange"
)

var _ = Describe("An exchange", func() {
	DescribeTable("was answered or not", func(fault *exchange.Fault, answered bool) {
		Expect((&exchange.Exchange{Fault: fault}).Answered()).To(Equal(answered))
	},
		Entry("whole", nil, true), Entry("past a bound", &exchange.Fault{Kind: exchange.Bound}, true),
		Entry("in an unknown coding", &exchange.Fault{Kind: exchange.Encoding}, true),
		Entry("a transport fault", &exchange.Fault{Kind: exchange.Transport}, false),
		Entry("a timeout", &exchange.Fault{Kind: exchange.Timeout}, false),
	)

	It("is a success if its status is 2xx", func() {
		for status, success := range map[int]bool{200: true, 204: true, 299: true, 199: false, 300: false, 0: false} {
			Expect((&exchange.Exchange{Status: status}).Success()).To(Equal(success), "%d", status)
		}
	})

	DescribeTable("is described by the first line of its body", func(body, want string) {
		ex := &exchange.Exchange{Body: []byte(body)}
		Expect(string(ex.Says())).To(Equal(want))
	},
		Entry("that is not blank", " \r\n\t\n  not here \r\nrest", "not here"),
		Entry("of nothing", " \n ", ""),
		Entry("or its size and digest, where it can't be read", "\x01\xff\xfe",
			"a body of 3 bytes, not shown as it is not UTF-8 text ("+exchange.DigestOf([]byte("\x01\xff\xfe"))+")"),
		Entry("or the title of a page", "<!DOCTYPE html>\n<html><title>Runtime\n Error</title><h1>x</h1>",
			"Runtime Error"),
		Entry("or its heading", "\ufeff<html><h2>403 - <b>Forbidden</b></h2>", "403 - Forbidden"),
		Entry("or its first line, if it has neither", "<html>\nx", "<html>"),
		Entry("or title and detail of a problem", `{"title":"Unauthorized","detail":"no seat left","status":401}`,
			"Unauthorized: no seat left"),
		Entry("or the message of a Web API", `{"Message":"denied"}`, "denied"),
		Entry("or JSON of another form as it is", `{"title":7}`, `{"title":7}`),
	)

	DescribeTable("is described by its header, too", func(name, value, want string) {
		ex := &exchange.Exchange{Header: http.Header{name: {value}}, Body: []byte("no")}
		Expect(string(ex.Says())).To(Equal(want + "; no"))
	},
		Entry("an error of a token", "Www-Authenticate",
			`Bearer realm="x", error="invalid_token", error_description="ended at \"9\""`,
			`invalid_token: ended at "9"`),
		Entry("an error alone", "Www-Authenticate", `Bearer error="invalid_token"`, "invalid_token"),
		Entry("a scheme alone", "Www-Authenticate", `Basic realm="x"`, "WWW-Authenticate: Basic"),
		Entry("a login of Windows", "Www-Authenticate", "NTLM",
			"it asks for Windows authentication (Negotiate, NTLM), which this suite does not speak"),
		Entry("a wait", "Retry-After", "30", "Retry-After: 30"),
	)

	It("names Windows authentication once, whatever schemes it has", func() {
		ex := &exchange.Exchange{Header: http.Header{"Www-Authenticate": {"Negotiate", "NTLM"}}}
		Expect(string(ex.Says())).To(HavePrefix("it asks for Windows authentication"))
		Expect(string(ex.Says())).NotTo(ContainSubstring(";"))
	})

	It("is the same answer only with the same status and body, kept or not", func() {
		one := func(status int, body string, withheld *exchange.Withheld) *exchange.Exchange {
			return &exchange.Exchange{Status: status, Body: []byte(body), Withheld: withheld}
		}
		a, b := &exchange.Withheld{Digest: "sha256:a"}, &exchange.Withheld{Digest: "sha256:b"}
		Expect(one(200, "x", nil).SameAnswer(one(200, "x", nil))).To(BeTrue())
		Expect(one(200, "", a).SameAnswer(one(200, "", &exchange.Withheld{Digest: "sha256:a"}))).To(BeTrue())
		for _, other := range []*exchange.Exchange{one(201, "", a), one(200, "", b), one(200, "", nil),
			{Status: 200, Withheld: a, Fault: &exchange.Fault{}}} {
			Expect(one(200, "", a).SameAnswer(other)).To(BeFalse())
		}
		Expect(one(200, "", nil).Empty()).To(BeTrue())
		Expect(one(200, "", a).Empty()).To(BeFalse())
	})

	It("is described by little of a line without end", func() {
		ex := &exchange.Exchange{Body: []byte(strings.Repeat("a", 1<<17))}
		Expect(len(ex.Says())).To(BeNumerically("<", 100<<10))
	})
})

var _ = DescribeTable("The cookies that an answer sets are named", func(values []string, names string) {
	ex := exchange.Exchange{Header: http.Header{"Set-Cookie": values}}
	Expect(ex.Cookies()).To(Equal(names))
},
	Entry("not, if there are none", nil, ""),
	Entry("without their values", []string{"AMLB=secret; path=/", "S=1", "AMLB=2"}, "AMLB and S"),
	Entry("up to three", []string{"a=1", "b=1", "c=1", "d=1"}, "a, b and c"),
	Entry("only if they are names", []string{"[redacted]=1", "=1", "a b=1", "%2574oken=1", ""}, ""),
)
