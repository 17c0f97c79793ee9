package summary_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/summary"
)

// reportOfManyFailures is a run that failed in two thousand ways, each with a long explanation.
func reportOfManyFailures(text string) *report.Report {
	r := reportOfEverything()
	r.Verdict, r.Error = ledger.Fail, nil
	for i := range 2_000 {
		reportedTo := fmt.Sprint(i, text)
		r.Requirements = append(r.Requirements, report.Row{ID: reportedTo, Version: schemas.V5, Verdict: ledger.Fail,
			FindingCount: 1, Causes: []report.Cause{{Kind: reportedTo, Pointer: reportedTo, Count: 1,
				Example: reportedTo}}})
		r.Gate.New = append(r.Gate.New, report.Entry{Requirement: reportedTo, Version: schemas.V5, Kind: reportedTo,
			Pointer: reportedTo})
		r.Gate.Stale = append(r.Gate.Stale, report.Entry{Requirement: reportedTo, Version: schemas.V5, Kind: reportedTo,
			Pointer: reportedTo})
		r.Gate.Changed = append(r.Gate.Changed, report.Changed{ID: reportedTo, Was: reportedTo, Is: reportedTo})
		r.Notes, r.Stale, r.Missing = append(r.Notes, reportedTo), append(r.Stale, reportedTo),
			append(r.Missing, reportedTo)
		differ := false
		r.Observations = append(r.Observations, report.Observation{ID: reportedTo,
			Seen:  report.Seen{schemas.V5: {Text: reportedTo}, schemas.V6: {Text: reportedTo}},
			Agree: &differ})
		r.Requirements = append(r.Requirements, report.Row{ID: reportedTo, Version: schemas.V5, Verdict: ledger.Fail,
			Waiver: &report.Waiver{Reason: reportedTo, Until: reportedTo}})
		reason := ledger.NoWitness
		r.Requirements = append(r.Requirements,
			report.Row{ID: reportedTo, Version: schemas.V6, Verdict: ledger.Inconclusive,
				Reason: &reason, Notes: []string{reportedTo}})
	}
	return r
}

var _ = Describe("A summary", func() {
	It("shows of a row only the causes that the baseline lacks", func() {
		r := gatedReport()
		failRow(r, "2.1/Flags", schemas.V6, "kept from before", "/Flags", 1)
		r.Gate.Known = append(r.Gate.Known, report.Entry{Requirement: "2.1/Flags", Version: schemas.V6,
			Kind: "kept from before", Pointer: "/Flags", Count: 99})
		_, failures, _ := strings.Cut(string(summary.Render(r.Document())), "### What failed\n")
		failures, _, _ = strings.Cut(failures, "###")
		Expect(failures).To(And(ContainSubstring("2.1/Flags in v6"), Not(ContainSubstring("kept from before"))))
	})

	It("repeats a finding like the example where the example itself was not kept", func() {
		r := failingReport()
		created := findRow(r, "2.1/CreatedOn", schemas.V5)
		created.Causes[0].Example = "another one"
		created.Findings = append(created.Findings, created.Findings[0])
		created.Findings[0].Repeat, created.Findings[1].Repeat = "curl like-it", "curl like-it-too"
		Expect(string(summary.Render(r.Document()))).To(
			And(ContainSubstring("  ```sh\n  curl like-it\n  ```\n"), Not(ContainSubstring("like-it-too"))))
		created.Findings[0].Kind, created.Findings[1].Pointer = "something else", "/Device/CreatedOn"
		Expect(string(summary.Render(r.Document()))).NotTo(ContainSubstring("curl like-it"))
	})

	It("shows as inconclusive neither what is waived nor what was left out, and nothing where the run broke off",
		func() {
			r := passingReport()
			openRow(r, "2.1/Id", schemas.V5, ledger.NoWitness).Waiver = &report.Waiver{Reason: "none here",
				Until: "2027-01-31"}
			findRow(r, "2.1/Id", schemas.V5).Notes = []string{"a note on what is waived"}
			openRow(r, "2.1/Flags", schemas.V5, ledger.NotRun).Notes = []string{"a note on what was left out"}
			Expect(string(summary.Render(r.Document()))).To(
				And(ContainSubstring("### What could not be decided\n\n- `not-run`: `1 check left out"),
					ContainSubstring("### Waived\n\n- `2.1/Id v5`: `inconclusive until"),
					Not(ContainSubstring("a note on"))))
			why := "interrupted"
			r.Error = &why
			Expect(string(summary.Render(r.Document()))).NotTo(ContainSubstring("### What could not be decided"))
		})

	It("names fifty open requirements of a version in a line", func() {
		r := passingReport()
		for i := range 60 {
			reason := ledger.NoWitness
			r.Requirements = append(r.Requirements, report.Row{ID: fmt.Sprintf("2.1/Field%02d", i), Version: schemas.V5,
				Verdict: ledger.Inconclusive, Reason: &reason})
		}
		Expect(string(summary.Render(r.Document()))).To(
			And(ContainSubstring("2.1/Field49`\n"), ContainSubstring("  - `v5: 2.1/Field50, ")))
	})

	It("shows all rows that are waived or inconclusive, in the room that other parts leave", func() {
		r := passingReport()
		long := strings.Repeat("x", 200)
		for i := range 80 {
			row := report.Row{ID: fmt.Sprintf("2.1/Field%02d", i), Version: schemas.V5, Verdict: ledger.Fail}
			row.Waiver = &report.Waiver{Reason: long, Until: "2027-01-31"}
			r.Requirements = append(r.Requirements, row)
			row.ID, row.Verdict, row.Waiver, row.Notes = fmt.Sprintf("2.2/Field%02d", i), ledger.Inconclusive, nil,
				[]string{long}
			reason := ledger.NoWitness
			row.Reason = &reason
			r.Requirements = append(r.Requirements, row)
		}
		made := string(summary.Render(r.Document()))
		Expect(made).NotTo(ContainSubstring("left out here"))
		Expect(strings.Count(made, "until 2027-01-31: "+long)).To(Equal(80))
		Expect(strings.Count(made, "- `note on 2.2/Field")).To(Equal(80))
	})

	DescribeTable("stays under 60 KB and says how much it leaves out",
		func(text string) {
			r := reportOfManyFailures(text)
			made := summary.Render(r.Document())
			expectHarmless(made)
			Expect(string(made)).To(And(ContainSubstring("left out here; `report.html` has all."),
				ContainSubstring("### Where v5 and v6 diverge"), ContainSubstring("### Notes")))
			shown, omitted := 0, 0
			_, failures, _ := strings.Cut(string(made), "### What failed\n")
			failures, _, _ = strings.Cut(failures, "###")
			for _, line := range strings.Split(failures, "\n") {
				if strings.HasPrefix(line, "- ") {
					shown++
				}
				_, _ = fmt.Sscanf(strings.ReplaceAll(line, ",", ""), "%d entries are left out here;", &omitted)
			}
			Expect(shown).To(BeNumerically(">", 0))
			Expect(shown + omitted).To(Equal(2_001))
		},
		Entry("short ones", ""),
		Entry("long ones", strings.Repeat("a", 5000)),
		Entry("of four bytes a character", strings.Repeat("😀", 5000)),
		Entry("backticks", strings.Repeat("`", 5000)),
		Entry("backticks and others", strings.Repeat("` ", 5000)),
	)

	It("counts the lines of an error that it leaves out", func() {
		r := failedReport()
		why := strings.Repeat("goroutine 1 [running]\n", 5000) + "end"
		r.Error = &why
		made := string(summary.Render(r.Document()))
		more := 0
		_, last, _ := strings.Cut(made, "… and ")
		_, err := fmt.Sscanf(strings.ReplaceAll(last, ",", ""), "%d more lines\n```\n", &more)
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(made, "goroutine 1 [running]\n") + more).To(Equal(5001))
	})

	DescribeTable("cuts an error at the end of a line, and says how many there are",
		func(why string, expected string) {
			r := failedReport()
			r.Error = &why
			made := summary.Render(r.Document())
			expectHarmless(made)
			Expect(string(made)).To(ContainSubstring(expected))
		},
		Entry("a long line", strings.Repeat("😀", 50_000), "… (50000 characters in all)"),
		Entry("long lines of backticks", strings.Repeat(strings.Repeat("`", 500)+"\n", 500), "more lines"),
		Entry("lines that end a block of code", "```\n# x\n```\n````\n<b>",
			"`````text\n```\n# x\n```\n````\n<b>\n`````\n"),
	)
})
