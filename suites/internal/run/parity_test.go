package run_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
)

// differingCreator is a service whose v6 has another CreatedBy in each record.
func differingCreator() *stage {
	return changeRecords(func(s sent) bool { return s.version == schemas.V6 },
		func(_ sent, record map[string]any) { record["CreatedBy"] = "x" })
}

// What differs, and what changes between calls, is proved by the services of the fixtures (suites/proof).
var _ = Describe("Parity (J14, J15)", func() {
	valuesFail := []string{"9.3/getUserAuth/values v5=v6 fail"}
	ignore := func(pointer string, days int) func(*settings.Settings) {
		until := time.Now().AddDate(0, 0, days)
		return func(s *settings.Settings) {
			s.Ignore = []settings.Ignore{{Pointer: pointer, Reason: "r", Until: until, Where: "file:1"}}
		}
	}

	DescribeTable("of a service whose v6 has another CreatedBy is judged by its settings",
		func(ctx SpecContext, change func(*settings.Settings), failed, used, noted []string) {
			r := prepareRun(differingCreator(), change)
			Expect(r.Execute(ctx)).To(Succeed())
			Expect([][]string{rowsNotPassing(r), r.UsedIgnores()}).To(Equal([][]string{failed, used}))
			Expect(r.Notes()).To(HaveLen(min(1, len(noted))))
			for _, words := range noted {
				Expect(r.Notes()).To(ContainElement(ContainSubstring(words)))
			}
		},
		Entry("values are compared", func(*settings.Settings) {}, valuesFail, nil, nil),
		Entry("shapes are compared", func(s *settings.Settings) { s.ParityMode = settings.ParityShape }, []string{},
			nil, nil),
		Entry("the place is ignored until today", ignore("/CreatedBy", 0), []string{}, []string{"/CreatedBy"}, nil),
		Entry("the place was ignored until a day that is past, which is noted", ignore("/CreatedBy", -2), valuesFail,
			nil, []string{"/CreatedBy", "file:1", "ended"}),
		Entry("another place is ignored, which is noted", ignore("/Description", 2), valuesFail, nil,
			[]string{"/Description", "file:1", "hid nothing"}),
	)

	It("has a row for divergence at open points only if the setting says that it fails", func(ctx SpecContext) {
		undocumented := changeRecords(func(s sent) bool { return s.version == schemas.V5 },
			func(_ sent, record map[string]any) { record["Extra"] = "x" })
		r := prepareRun(undocumented, failOnDivergence)
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(rowsNotPassing(r)).To(ConsistOf("9.3/getUserAuth/shape v5=v6 fail",
			"9.3/getUserAuth/divergence v5=v6 fail"))
		Expect(findRow(r, "9.3/getUserAuth/divergence", schemas.Parity).Causes).To(HaveExactElements(
			And(HaveField("Kind", "open/2/undocumented-members"), HaveField("Count", 1))))
		Expect(prepareRun(&stage{}).Ledger.Row(ledger.Key{ID: "9.3/getUserAuth/divergence",
			Version: schemas.Parity})).To(BeNil())
	})
})
