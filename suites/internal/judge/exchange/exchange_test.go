package exchange_test

import (
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
		Expect(string(ex.FirstLine())).To(Equal(want))
	},
		Entry("that is not blank", " \r\n\t\n  not here \r\nrest", "not here"),
		Entry("of nothing", " \n ", ""),
		Entry("or its size and digest, where it can't be read", "\x01\xff\xfe",
			"a body of 3 bytes, not shown as it is not UTF-8 text ("+exchange.DigestOf([]byte("\x01\xff\xfe"))+")"),
	)

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
		Expect(len(ex.FirstLine())).To(BeNumerically("<", 100<<10))
	})
})
