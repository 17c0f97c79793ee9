package report_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

var _ = Describe("A report", func() {
	passed := func() *report.Report {
		return &report.Report{Complete: true, Requirements: []report.Row{
			{ID: "2.1/Id", Version: schemas.V5, Verdict: ledger.Pass},
			{ID: "2.1/Flags", Version: schemas.V5, Verdict: ledger.Pass},
		}}
	}

	It("certifies where the run passed, is complete, and set nothing aside", func() {
		r := passed()
		r.Judge()
		Expect(r.Certifies).To(BeTrue())
		Expect(r.State().Word).To(Equal("pass"))
	})

	DescribeTable("of a pass that certifies nothing says why",
		func(change func(*report.Report), headline string) {
			r := passed()
			change(r)
			r.Judge()
			Expect(r.Verdict).To(Equal(ledger.Pass))
			Expect(r.Certifies).To(BeFalse())
			Expect(r.State().Word).To(Equal(headline))
		},
		Entry("it was narrowed", func(r *report.Report) { r.Complete = false }, "pass, but not complete"),
		Entry("the built-in reference was asked", func(r *report.Report) { r.Embedded = true },
			"pass, but the built-in reference, no deployed service was asked"),
		Entry("it was judged again", func(r *report.Report) { r.JudgedAgain = &report.JudgedAgain{} },
			"pass, but judged again from evidence"),
		Entry("a waiver took effect", func(r *report.Report) {
			r.Requirements[0].Verdict, r.Requirements[0].Waiver = ledger.Fail, &report.Waiver{Until: "9999-12-31"}
		}, "pass, but 1 check waived (until 9999-12-31)"),
		Entry("a failure is known", func(r *report.Report) {
			r.Requirements[0].Verdict, r.Requirements[0].Known = ledger.Fail, true
		}, "pass, but 1 check known from the baseline"),
		Entry("all of it", func(r *report.Report) {
			r.Complete = false
			r.Requirements = append(r.Requirements,
				report.Row{ID: "2.1/ModeId", Verdict: ledger.Fail, Waiver: &report.Waiver{Until: "2027-01-31"}},
				report.Row{ID: "2.1/ModeType", Verdict: ledger.Inconclusive,
					Waiver: &report.Waiver{Until: "2026-12-31"}},
				report.Row{ID: "2.2/Id", Verdict: ledger.Fail, Known: true})
		}, "pass, but not complete; 2 checks waived (until 2026-12-31, 2027-01-31); 1 check known from the baseline"),
	)

	DescribeTable("that did not pass certifies nothing, and its headline is the verdict",
		func(change func(*report.Report), verdict ledger.Verdict) {
			r := passed()
			change(r)
			r.Judge()
			Expect(r.Verdict).To(Equal(verdict))
			Expect(r.Certifies).To(BeFalse())
			Expect(r.State().Word).To(Equal(string(verdict)))
		},
		Entry("fail", func(r *report.Report) { r.Requirements[0].Verdict = ledger.Fail }, ledger.Fail),
		Entry("inconclusive", func(r *report.Report) { r.Requirements[0].Verdict = ledger.Inconclusive },
			ledger.Inconclusive),
		Entry("error", func(r *report.Report) { reason := "x"; r.Error = &reason }, ledger.Fault),
	)

	It("has the same digest for the same users only", func() {
		first, second := closeRun(readyRun(), nil), readyRun()
		Expect(closeRun(readyRun(), nil).Users).To(Equal(first.Users))
		second.Settings.Users[0].Enrolled = !second.Settings.Users[0].Enrolled
		Expect(closeRun(second, nil).Users.Digest).NotTo(Equal(first.Users.Digest))
	})
})
