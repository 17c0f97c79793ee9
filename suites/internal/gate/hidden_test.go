package gate_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("A run with hidden values that is compared with a baseline", func() {
	// hidden returns a report with the key "one" or "other". A row fails at an undocumented member, and it has an
	// observed value.
	hidden := func(key, member string, more ...report.Cause) *report.Report {
		values := sanitize.NewValues([]byte(key))
		cause := report.Cause{Kind: "value", Pointer: "/" + values.Name(member), Count: 1}
		words := "1 different value, " + values.Digest("3")
		r := reportOf(failingRow("2.1/CreatedOn", append(more, cause)...), passingRow("2.1/Id"))
		r.Values, r.Key = settings.ValuesHide, values.Fingerprint()
		r.Observations = []report.Observation{{ID: "open/2/flags", Section: "2", Shows: "values",
			Operation: schemas.GetUserAuth,
			Compared:  true, Seen: report.Seen{schemas.V5: {Text: words}, schemas.V6: {Text: words}}}}
		return r
	}
	DescribeTable("knows what fails by the digest of the member or, with another key, without it",
		func(baseline, run *report.Report, verdict ledger.Verdict, fresh, stale int) {
			gate.Compare(baseline, run, true)
			Expect(run.Verdict).To(Equal(verdict))
			Expect(run.Gate.New).To(HaveLen(fresh))
			Expect(run.Gate.Stale).To(HaveLen(stale))
			Expect(run.Gate.Changed).To(BeEmpty())
		},
		Entry("the same", hidden("one", "a"), hidden("one", "a"), ledger.Pass, 0, 0),
		Entry("another member", hidden("one", "a"), hidden("one", "b"), ledger.Fail, 1, 1),
		Entry("another key", hidden("one", "a"), hidden("other", "a"), ledger.Pass, 0, 0),
		Entry("another key, and a new cause", hidden("one", "a"), hidden("other", "a", wrongForm), ledger.Fail, 1, 0),
	)
})
