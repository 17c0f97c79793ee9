package run_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
)

const valuesOfRecord = "9.3/getUserAuth/values"

// differingCreator is a service whose v6 has another CreatedBy in each record.
func differingCreator() *stage {
	return changeRecords(func(s sent) bool { return s.version == schemas.V6 },
		func(_ sent, record map[string]any) { record["CreatedBy"] = "x" })
}

// What differs, and what changes between calls, is proved by the services of the fixtures (suites/proof). These specs
// are about the settings of the comparison.
var _ = Describe("Parity, by its settings (J14, J15)", func() {
	DescribeTable("a difference in values fails the row of values alone, or nothing",
		func(ctx SpecContext, change func(*settings.Settings), failed ...string) {
			r := prepareRun(differingCreator(), change)
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(rowsNotPassing(r)).To(ConsistOf(failed))
		},
		Entry("values are compared", func(*settings.Settings) {}, valuesOfRecord+" v5=v6 fail"),
		Entry("shapes are compared", func(s *settings.Settings) { s.ParityMode = settings.ParityShape }),
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

	It("notes an ignored place that hid nothing, or is past its date and hides nothing any more",
		func(ctx SpecContext) {
			now := time.Now()
			r := prepareRun(differingCreator(), func(s *settings.Settings) {
				s.Ignore = []settings.Ignore{
					{Pointer: "/CreatedBy", Reason: "past", Until: now.AddDate(0, 0, -2), Where: "file:1"},
					{Pointer: "/Description", Reason: "nothing", Where: "file:2"},
				}
			})
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(rowsNotPassing(r)).To(Equal([]string{valuesOfRecord + " v5=v6 fail"}))
			Expect(r.Notes()).To(HaveExactElements(
				And(ContainSubstring("/CreatedBy"), ContainSubstring("file:1"), ContainSubstring("ended")),
				And(ContainSubstring("/Description"), ContainSubstring("file:2"), ContainSubstring("hid nothing"))))
			Expect(r.UsedIgnores()).To(BeEmpty())

			known := prepareRun(differingCreator(), func(s *settings.Settings) {
				s.Ignore = []settings.Ignore{{Pointer: "/CreatedBy", Reason: "known", Until: now, Where: "file:1"}}
			})
			Expect(known.Execute(ctx)).To(Succeed())
			Expect(rowsNotPassing(known)).To(BeEmpty())
			Expect(known.Notes()).To(BeEmpty())
			Expect(known.UsedIgnores()).To(Equal([]string{"/CreatedBy"}))
		})
})
