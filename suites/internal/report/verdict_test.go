package report_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// runOf is a run whose rows all pass, but for 2.1/Id of v5, with a waiver of a verdict of that requirement.
func runOf(state, waived string, days int) *run.Run {
	GinkgoHelper()
	r := passedRun(func(s *settings.Settings) {
		if waived != "" {
			s.Waivers = []ledger.Waiver{{Requirement: "2.1/Id", Verdict: ledger.Verdict(waived),
				Reason: "the owner knows",
				Until:  end.AddDate(0, 0, days), Where: "conformance.yaml:7"}}
		}
	})
	switch state {
	case "fails":
		addAnswer(r, `{"Id":1}`, nil)
	case "is open":
		r.Ledger.Row(ledger.Key{ID: "2.1/Id", Version: schemas.V5}).Witnesses = 0
	case "is left out":
		keys := map[ledger.Key]bool{}
		for _, row := range r.Ledger.Rows() {
			keys[row.Key] = row.ID != "2.1/Id"
		}
		r.Select(keys)
	case "is an open point, and all others are left out":
		selectRow(r, "open/2/flags")
	}
	return r
}

var _ = Describe("The verdict of a run", func() {
	DescribeTable("Follows from its rows, waivers and end, with what is said of the waivers",
		func(state, waived string, days int, interrupted, verdict, stale, note string) {
			err := error(nil)
			if interrupted != "" {
				err = errors.New(interrupted)
			}
			r := closeRun(runOf(state, waived, days), err)
			Expect(string(r.Verdict)).To(Equal(verdict))
			for list, expected := range map[*[]string]string{&r.Stale: stale, &r.Notes: note} {
				if expected == "" {
					Expect(*list).To(BeEmpty())
				} else {
					Expect(*list).To(HaveExactElements(ContainSubstring(expected)))
				}
			}
		}, testkit.Entries("verdicts"))

	It("Leaves the verdict of a row that is waived, and shows the waiver in the versions that it is of", func() {
		r := closeRun(runOf("fails", "fail", 0), nil)
		Expect(findRow(r, "2.1/Id", schemas.V5).Waiver).To(
			Equal(&report.Waiver{Reason: "the owner knows", Until: "2026-06-15"}))
		Expect(findRow(r, "2.1/Id", schemas.V5).Verdict).To(Equal(ledger.Fail))
		Expect(findRow(r, "2.1/Id", schemas.V6).Waiver).To(BeNil())
	})
})

var _ = Describe("What a report certifies", func() {
	DescribeTable("Is nothing unless it is a complete pass of a deployed service with nothing set aside",
		func(change func(*report.Report), word string) {
			r := &report.Report{Complete: true, Requirements: []report.Row{
				{ID: "2.1/Id", Version: schemas.V5, Verdict: ledger.Pass},
				{ID: "2.1/Flags", Version: schemas.V5, Verdict: ledger.Pass},
			}}
			change(r)
			r.Judge()
			Expect(r.State().Word).To(Equal(word))
			Expect(r.Certifies).To(Equal(word == "pass"))
		},
		Entry("A pass", func(*report.Report) {}, "pass"),
		Entry("A failure", func(r *report.Report) { r.Requirements[0].Verdict = ledger.Fail }, "fail"),
		Entry("An open row", func(r *report.Report) { r.Requirements[0].Verdict = ledger.Inconclusive },
			"inconclusive"),
		Entry("An error", func(r *report.Report) { r.Error = new(string) }, "error"),
		Entry("A run that was narrowed", func(r *report.Report) { r.Complete = false }, "pass, but not complete"),
		Entry("The built-in reference", func(r *report.Report) { r.Embedded = true },
			"pass, but the built-in reference, no deployed service was asked"),
		Entry("A run that was judged again", func(r *report.Report) { r.JudgedAgain = &report.JudgedAgain{} },
			"pass, but judged again from evidence"),
		Entry("A failure that is waived", func(r *report.Report) {
			r.Requirements[0].Verdict, r.Requirements[0].Waiver = ledger.Fail, &report.Waiver{Until: "9999-12-31"}
		}, "pass, but 1 check waived (until 9999-12-31 UTC)"),
		Entry("A failure that is known", func(r *report.Report) {
			r.Requirements[0].Verdict, r.Requirements[0].Known = ledger.Fail, true
		}, "pass, but 1 check known from the baseline"),
		Entry("All of it", func(r *report.Report) {
			r.Complete = false
			notRun := ledger.NotRun
			r.Requirements = append(r.Requirements,
				report.Row{ID: "2.1/ModeId", Verdict: ledger.Fail, Waiver: &report.Waiver{Until: "2027-01-31"}},
				report.Row{ID: "2.1/ModeType", Verdict: ledger.Inconclusive,
					Waiver: &report.Waiver{Until: "2026-12-31"}},
				report.Row{ID: "2.2/Id", Verdict: ledger.Fail, Known: true},
				report.Row{ID: "2.2/Model", Verdict: ledger.Inconclusive, Reason: &notRun})
		}, "pass, but not complete; 2 checks waived (until 2026-12-31, 2027-01-31 UTC); 1 check known from the "+
			"baseline"),
	)

	It("Is about the users whose digest it has, which is the same for the same users only", func() {
		first, second := closeRun(readyRun(), nil), readyRun()
		Expect(closeRun(readyRun(), nil).Users).To(Equal(first.Users))
		second.Settings.Users[0].Enrolled = !second.Settings.Users[0].Enrolled
		Expect(closeRun(second, nil).Users.Digest).NotTo(Equal(first.Users.Digest))
	})
})

var _ = It("What is stale fails a run, unless it is only to be reported", func() {
	for reported, verdict := range map[bool]ledger.Verdict{false: ledger.Fail, true: ledger.Pass} {
		r := &report.Report{StaleReported: reported, Stale: []string{"the waiver"},
			Gate:         &report.Gate{Stale: []report.Entry{{Requirement: "2.1/Id"}}},
			Requirements: []report.Row{{ID: "2.1/Id", Verdict: ledger.Pass}}}
		r.Judge()
		Expect(r.Verdict).To(Equal(verdict))
		Expect(r.StaleEntries() == "").To(Equal(reported))
		Expect(testkit.ItemsOf(r.Document(), "stale")).To(HaveLen(1))
	}
})
