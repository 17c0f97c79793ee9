package exchange_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
)

var _ = Describe("What is said of a body", func() {
	DescribeTable("is its first line", func(body, want string) {
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
			{Status: 200, Withheld: a, Dropped: true}, {Status: 200, Withheld: a, Fault: &exchange.Fault{}}} {
			Expect(one(200, "", a).SameAnswer(other)).To(BeFalse())
		}
		Expect(one(200, "", nil).Empty()).To(BeTrue())
		Expect(one(200, "", a).Empty()).To(BeFalse())
	})

	It("is little of a line without end", func() {
		ex := &exchange.Exchange{Body: []byte(strings.Repeat("a", 1<<24))}
		Expect(len(ex.FirstLine())).To(BeNumerically("<", 100<<10))
	})
})
