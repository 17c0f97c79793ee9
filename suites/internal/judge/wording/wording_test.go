package wording_test

import (
	"math"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/wording"
)

func TestWording(t *testing.T) { RegisterFailHandler(Fail); RunSpecs(t, "wording") }

var _ = Describe("A number in a text", func() {
	DescribeTable("Has its thousands apart, and the right noun", func(n int64, number, count, plural, times string) {
		Expect([]string{wording.Number(n), wording.Count(n, "user"), wording.Plural(n, "entry", "entries"),
			wording.Times(n)}).To(Equal([]string{number, count, plural, times}))
	},
		EntryDescription("%d"),
		Entry(nil, int64(0), "0", "0 users", "0 entries", "never"),
		Entry(nil, int64(1), "1", "1 user", "1 entry", "once"),
		Entry(nil, int64(999), "999", "999 users", "999 entries", "999 times"),
		Entry(nil, int64(20_000), "20,000", "20,000 users", "20,000 entries", "20,000 times"),
	)

	It("Has a sign if it is negative", func() {
		Expect(wording.Number(int64(-1234567))).To(Equal("-1,234,567"))
		Expect(wording.Number(int64(math.MinInt64))).To(Equal("-9,223,372,036,854,775,808"))
	})

	DescribeTable("Is a share that is 0 % or 100 % only if it is", func(n, total int64, want string) {
		Expect(wording.Percent(n, total)).To(Equal(want))
	},
		EntryDescription("%d of %d is %s"),
		Entry(nil, int64(333), int64(20_000), "1.7 %"), Entry(nil, int64(0), int64(7), "0 %"),
		Entry(nil, int64(7), int64(7), "100 %"), Entry(nil, int64(1), int64(1_000_000), "0.0001 %"),
		Entry(nil, int64(99_999), int64(100_000), "99.999 %"), Entry(nil, int64(0), int64(0), "–"),
	)
})
