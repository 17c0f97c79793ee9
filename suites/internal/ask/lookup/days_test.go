package lookup_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/lookup"
)

var _ = DescribeTable("The days of two answers are told only if a record is of another day",
	func(from, to string, days map[schemas.Version]string) {
		answers := answersOf(a, b)
		for i, at := range []string{from, to} {
			answers[i].Started, _ = time.Parse(time.RFC3339, at)
		}
		Expect(newReader().With(lookup.Lookup{}, answers).Compared[0].Days).To(Equal(days))
	},
	Entry("hours apart on one day", "2026-03-01T01:00:00Z", "2026-03-01T23:00:00Z", nil),
	Entry("minutes apart at midnight", "2026-03-01T23:30:01Z", "2026-03-02T00:30:00Z", nil),
	Entry("one hour apart at midnight", "2026-03-01T23:30:00Z", "2026-03-02T00:30:00Z",
		map[schemas.Version]string{schemas.V5: "2026-03-01", schemas.V6: "2026-03-02"}),
	Entry("the same day in another zone", "2026-03-01T00:30:00+02:00", "2026-02-28T23:59:00Z", nil),
)
