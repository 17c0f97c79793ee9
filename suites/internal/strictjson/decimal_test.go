package strictjson_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

func parseDecimal(text string) strictjson.Decimal { return strictjson.ParseDecimal(json.Number(text)) }

var _ = Describe("A Decimal", func() {
	DescribeTable("is the same for", func(a, b string) {
		Expect(parseDecimal(a)).To(Equal(parseDecimal(b)))
		Expect(parseDecimal(a).Compare(parseDecimal(b))).To(Equal(0))
		Expect(parseDecimal(a).String()).To(Equal(parseDecimal(b).String()))
	},
		testkit.Entries("equal"),
	)

	DescribeTable("orders by value", func(less, more string) {
		Expect(parseDecimal(less).Compare(parseDecimal(more))).To(Equal(-1))
		Expect(parseDecimal(more).Compare(parseDecimal(less))).To(Equal(1))
		Expect(parseDecimal(less)).NotTo(Equal(parseDecimal(more)))
		Expect(parseDecimal(less).String()).NotTo(Equal(parseDecimal(more).String()))
	},
		testkit.Entries("ordered"),
	)

	DescribeTable("is written shortly", func(text, want string) {
		Expect(parseDecimal(text).String()).To(Equal(want))
	},
		testkit.Entries("written"),
		Entry("30 digits", "1e29", "1"+strings.Repeat("0", 29)),
		Entry("30 digits after a zero", "1e-29", "0."+strings.Repeat("0", 28)+"1"),
	)

	It("takes a text that is no number without a panic", func() {
		many := strings.Repeat("9", 5000)
		for _, text := range []string{"", "-", "e", "abc", "1e", "--1", "1e" + many, "1e-" + many} {
			Expect(func() { _ = parseDecimal(text).Compare(parseDecimal("1")) }).NotTo(Panic())
			Expect(func() { _ = parseDecimal(text).String() }).NotTo(Panic())
		}
	})
})
