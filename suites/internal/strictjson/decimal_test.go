package strictjson_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

func parseDecimal(text string) strictjson.Decimal { return strictjson.ParseDecimal(json.Number(text)) }

var _ = Describe("A Decimal", func() {
	DescribeTable("is the same for", func(a, b string) {
		Expect(parseDecimal(a)).To(Equal(parseDecimal(b)))
		Expect(parseDecimal(a).Compare(parseDecimal(b))).To(Equal(0))
		Expect(parseDecimal(a).String()).To(Equal(parseDecimal(b).String()))
	},
		Entry("zero and minus zero", "0", "-0"),
		Entry("zeros of any form", "0.000e5", "-0E-10000"),
		Entry("one and one point zero", "1", "1.0"),
		Entry("one and ten tenths", "1", "10e-1"),
		Entry("a hundred, three ways", "100", "1e2"),
		Entry("a hundred and 1.00E+2", "100", "1.00E+2"),
		Entry("a fraction and its exponent", "-0.00125", "-125e-5"),
		Entry("over 2^53", "9007199254740993", "9007199254740993.0"),
		Entry("huge ones", "1e10000", "0.1e10001"),
		Entry("tiny ones", "10e-10000", "1e-9999"),
	)

	DescribeTable("orders by value", func(less, more string) {
		Expect(parseDecimal(less).Compare(parseDecimal(more))).To(Equal(-1))
		Expect(parseDecimal(more).Compare(parseDecimal(less))).To(Equal(1))
		Expect(parseDecimal(less)).NotTo(Equal(parseDecimal(more)))
		Expect(parseDecimal(less).String()).NotTo(Equal(parseDecimal(more).String()))
	},
		Entry("zero and one", "0", "1"),
		Entry("a negative one and zero", "-1e-10000", "0"),
		Entry("a negative and a positive", "-5", "3"),
		Entry("two negatives", "-2", "-1.5"),
		Entry("a negative huge and a negative small", "-1e10000", "-1e-10000"),
		Entry("neighbours over 2^53", "9007199254740992", "9007199254740993"),
		Entry("digits that begin alike", "12", "123"),
		Entry("digits that begin alike at one place", "1.2", "1.23"),
		Entry("more digits but less", "1.23", "1.3"),
		Entry("exponents", "9e9999", "1e10000"),
		Entry("a huge one and the next", "1e10000", "1.0000001e10000"),
		Entry("past an int32 exponent", "1e2147483", "1e2147484"),
	)

	DescribeTable("is written shortly", func(text, want string) {
		Expect(parseDecimal(text).String()).To(Equal(want))
	},
		Entry(nil, "-0", "0"),
		Entry(nil, "1.50e1", "15"),
		Entry(nil, "-1200", "-1200"),
		Entry(nil, "12.50", "12.5"),
		Entry(nil, "-125e-5", "-0.00125"),
		Entry(nil, "1e-1", "0.1"),
		Entry("30 digits", "1e29", "1"+strings.Repeat("0", 29)),
		Entry("31 digits", "1e30", "1e30"),
		Entry("30 digits with a point", "-123456789012345.6789012345678910", "-123456789012345.678901234567891"),
		Entry("31 digits with a point", "1234567890123456.789012345678901", "1.234567890123456789012345678901e15"),
		Entry("30 digits after a zero", "1e-29", "0."+strings.Repeat("0", 28)+"1"),
		Entry("31 digits after a zero", "1e-30", "1e-30"),
		Entry(nil, "-15e9999", "-1.5e10000"),
	)

	It("takes a text that is no number without a panic", func() {
		many := strings.Repeat("9", 5000)
		for _, text := range []string{"", "-", "e", "abc", "1e", "--1", "1e" + many, "1e-" + many} {
			Expect(func() { _ = parseDecimal(text).Compare(parseDecimal("1")) }).NotTo(Panic())
			Expect(func() { _ = parseDecimal(text).String() }).NotTo(Panic())
		}
	})
})
