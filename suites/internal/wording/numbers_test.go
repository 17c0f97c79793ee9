package wording_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/wording"
)

var _ = Describe("Words", func() {
	DescribeTable("of a number", func(n int64, want string) { Expect(wording.Number(n)).To(Equal(want)) },
		Entry(nil, int64(0), "0"), Entry(nil, int64(999), "999"), Entry(nil, int64(1000), "1,000"),
		Entry(nil, int64(-1234567), "-1,234,567"),
		Entry(nil, int64(math.MinInt64), "-9,223,372,036,854,775,808"),
	)

	DescribeTable("of a count", func(n int64, want string) { Expect(wording.Count(n, "user")).To(Equal(want)) },
		Entry(nil, int64(0), "0 users"), Entry(nil, int64(1), "1 user"), Entry(nil, int64(20_000), "20,000 users"),
	)

	DescribeTable("of how often", func(n int64, want string) { Expect(wording.Times(n)).To(Equal(want)) },
		Entry(nil, int64(0), "never"), Entry(nil, int64(1), "once"), Entry(nil, int64(2000), "2,000 times"),
	)

	DescribeTable("of a part", func(n, total int64, want string) { Expect(wording.Percent(n, total)).To(Equal(want)) },
		Entry(nil, int64(333), int64(20_000), "1.7 %"),
		Entry(nil, int64(0), int64(7), "0 %"),
		Entry(nil, int64(7), int64(7), "100 %"),
		Entry(nil, int64(1), int64(1_000_000), "0.0001 %"),
		Entry(nil, int64(99_999), int64(100_000), "99.999 %"),
		Entry(nil, int64(0), int64(0), "–"),
	)
})
