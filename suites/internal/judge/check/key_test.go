package check_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/parity"
)

var _ = DescribeTable("The cause of a finding is told from others by its kind, its place and what is off there:",
	func(outcome check.Outcome, key check.Key) {
		var all check.Outcome
		all.Merge(outcome)
		Expect(all.Causes).To(HaveLen(1))
		Expect(all.Causes[0].Key).To(Equal(key))
	},
	Entry("two digits of a second", createdOn(`"2024-02-29T23:59:59.99Z"`), check.Key{Kind: "not in its form",
		Pointer: "/*/CreatedOn", Off: "two digits of a second, where exactly three are documented"}),
	Entry("another zone", createdOn(`"2024-02-29T23:59:59.999+02:00"`), check.Key{Kind: "not in its form",
		Pointer: "/*/CreatedOn", Off: "another zone than UTC, where Z or +00:00 is documented"}),
	Entry("no date", createdOn(`"yesterday"`), check.Key{Kind: "not in its form",
		Pointer: "/*/CreatedOn", Off: "another form than YYYY-MM-DDThh:mm:ss"}),
	Entry("another type", createdOn(`true`), check.Key{Kind: "not of its type: boolean", Pointer: "/*/CreatedOn"}),
	Entry("status 500", answered(500), check.Key{Kind: "status", Off: "status 500"}),
	Entry("status 404 of one version only", refusedByV6(404), check.Key{Kind: string(parity.Served),
		Off: "status 404"}),
	Entry("status 404", answered(404), check.Key{Kind: "status", Off: "status 404"}),
)

// createdOn is the outcome of the second record of a list, with this value.
func createdOn(value string) (outcome check.Outcome) {
	recordAnswer(`[{"Flags":1},{"CreatedOn":` + value + `}]`).Objects(func(record, _ *check.Object) {
		outcome.Merge(check.Member("CreatedOn", check.MatchesSchema)(record))
	})
	return outcome
}

// refusedByV6 is the outcome of a user whom v5 serves.
func refusedByV6(status int) check.Outcome {
	fault, _ := contract().Read(answerTo(schemas.GetUserAuth, status, "")).Fault()
	c := check.Comparison{Pair: pair, Unserved: map[schemas.Version]check.Finding{schemas.V6: fault}}
	c.Differences = []parity.Difference{{Kind: parity.Served, Left: "a record", Right: parity.Absent{}}}
	return c.Judge(check.HaveTheSameShape)
}

func answered(status int) check.Outcome {
	return check.IsServed(contract().Read(answerTo(schemas.GetUserAuth, status, "")), nil)
}
