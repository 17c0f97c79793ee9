package run_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
)

const valuesOfRecord = "9.3/getUserAuth/values"

// differingCreator is a service whose v6 has another CreatedBy in each record.
func differingCreator() *stage {
	return &stage{twist: func(c call, value any) any {
		if record, ok := value.(map[string]any); ok && c.version == schemas.V6 {
			record["CreatedBy"] = "x"
		}
		return value
	}}
}

// What differs, and what changes between calls, is proved by the services of the fixtures (suites/proof). These specs
// are about the settings of the comparison.
var _ = Describe("Parity, by its settings (J14, J15)", func() {
	DescribeTable("a difference in values fails the row of values alone, or nothing",
		func(ctx SpecContext, change func(*settings.Settings), failed ...string) {
			r := readyRun(differingCreator(), change)
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(rowsNotPassing(r)).To(ConsistOf(failed))
		},
		Entry("values are compared", func(*settings.Settings) {}, valuesOfRecord+" v5=v6 fail"),
		Entry("shapes are compared", func(s *settings.Settings) { s.ParityMode = settings.ParityShape }),
		Entry("the place is ignored",
			func(s *settings.Settings) { s.Ignore = []settings.Ignore{{Pointer: "/CreatedBy", Reason: "known"}} }),
	)

	It("has a row for divergence at open points only if the setting says that it fails", func(ctx SpecContext) {
		undocumented := func(c call, value any) any {
			if record, ok := value.(map[string]any); ok && c.version == schemas.V5 {
				record["Extra"] = "x"
			}
			return value
		}
		r := readyRun(&stage{twist: undocumented}, failOnDivergence)
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(rowsNotPassing(r)).To(ConsistOf("9.3/getUserAuth/shape v5=v6 fail",
			"9.3/getUserAuth/divergence v5=v6 fail"))
		Expect(findRow(r, "9.3/getUserAuth/divergence", schemas.Parity).Causes).To(HaveExactElements(
			And(HaveField("Kind", "open/2/undocumented-members"), HaveField("Count", 1))))
		Expect(readyRun(&stage{twist: undocumented}).Ledger.Row(ledger.Key{ID: "9.3/getUserAuth/divergence",
			Version: schemas.Parity})).To(
			BeNil())
	})

	It("counts every user and keeps the first fifty findings", func(ctx SpecContext) {
		var users []fixtures.User
		for i := range 60 {
			users = append(users, fixtures.User{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
				UserID: fmt.Sprint("made-up-", i), Enrolled: true})
		}
		r := newRunFor(differingCreator(), users, withConcurrency(8))
		Expect(r.Execute(ctx)).To(Succeed())
		found := findRow(r, valuesOfRecord, schemas.Parity)
		Expect(found.Count).To(Equal(60))
		Expect(found.Findings).To(HaveLen(check.MaxFindings))
		Expect(found.Causes).To(HaveExactElements(And(HaveField("Pointer", "/CreatedBy"), HaveField("Count", 60))))
	}, NodeTimeout(limit))

	It("notes an ignored place that hid nothing, or is past its date and hides nothing any more",
		func(ctx SpecContext) {
			now := time.Now()
			r := readyRun(differingCreator(), func(s *settings.Settings) {
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

			known := readyRun(differingCreator(), func(s *settings.Settings) {
				s.Ignore = []settings.Ignore{{Pointer: "/CreatedBy", Reason: "known", Until: now, Where: "file:1"}}
			})
			Expect(known.Execute(ctx)).To(Succeed())
			Expect(known.Notes()).To(BeEmpty())
		})
})
