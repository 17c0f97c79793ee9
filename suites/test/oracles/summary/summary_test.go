package summary_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/markdown"
	"authenticator-conformance/suites/internal/testkit"
)

// reportOfManyFailures is a run that failed in so many ways, each with a long explanation.
func reportOfManyFailures(count int, text string) *report.Report {
	r := reportOf("everything")
	r.Verdict, r.Error = ledger.Fail, nil
	differ, reason := false, ledger.NoWitness
	for i := range count {
		name := fmt.Sprint(i, text)
		r.Requirements = append(r.Requirements, report.Row{ID: name, Version: schemas.V5, Verdict: ledger.Fail,
			FindingCount: 1, Causes: []report.Cause{{Key: check.Key{Kind: name, Pointer: name}, Count: 1,
				Example: name}}},
			report.Row{ID: name, Version: schemas.V5, Verdict: ledger.Fail,
				Waiver: &report.Waiver{Reason: name, Until: name}},
			report.Row{ID: name, Version: schemas.V6, Verdict: ledger.Inconclusive, Reason: &reason,
				Notes: []string{name}})
		entry := report.Entry{Requirement: name, Version: schemas.V5, Key: check.Key{Kind: name, Pointer: name}}
		r.Gate.New, r.Gate.Stale = append(r.Gate.New, entry), append(r.Gate.Stale, entry)
		r.Gate.Changed = append(r.Gate.Changed, report.Changed{ID: name, Was: name, Is: name})
		r.Notes, r.Stale, r.Missing = append(r.Notes, name), append(r.Stale, name), append(r.Missing, name)
		r.Observations = append(r.Observations, report.Observation{ID: name, Agree: &differ,
			Seen: report.Seen{schemas.V5: {name}, schemas.V6: {name}}})
	}
	return r
}

// sectionOf is a section of a summary without its heading.
func sectionOf(r *report.Report, heading string) string {
	return sectionIn(string(markdown.Render(r.Document())), heading)
}

// sectionIn is a section of a text in Markdown without its heading.
func sectionIn(text, heading string) string {
	_, section, _ := strings.Cut(text, "### "+heading+"\n")
	section, _, _ = strings.Cut(section, "###")
	return section
}

var _ = Describe("A summary", func() {
	It("repeats a finding like the example where the example itself was not kept", func() {
		r := reportOf("failing")
		created := findRow(r, "2.1/CreatedOn", schemas.V5)
		created.Causes[0].Example = "another one"
		created.Findings = append(created.Findings, created.Findings[0])
		created.Findings[0].Repeat, created.Findings[1].Repeat = "curl like-it", "curl like-it-too"
		Expect(sectionOf(r, "What failed")).To(
			And(ContainSubstring("  ```sh\n  curl like-it\n  ```\n"), Not(ContainSubstring("like-it-too"))))
		created.Findings[0].Kind, created.Findings[1].Pointer = "something else", "/Device/CreatedOn"
		Expect(sectionOf(r, "What failed")).NotTo(ContainSubstring("curl like-it"))
	})

	It("leaves a line to copy that would not be the same to the page", func() {
		for _, argument := range []string{strings.Repeat("`", longestCopied+1), strings.Repeat("a", 3000)} {
			r, line := reportOf("failing"), "curl "+argument
			findRow(r, "2.1/CreatedOn", "v5").Findings[0].Repeat = line
			Expect(sectionOf(r, "What failed")).To(And(ContainSubstring("does not fit here"),
				Not(ContainSubstring(line[:20]))))
		}
	})

	It("shows all rows that are waived or inconclusive, fifty in a line, in the room that other parts leave", func() {
		r := reportOf("passing")
		long, reason := strings.Repeat("x", 200), ledger.NoWitness
		for i := range 80 {
			r.Requirements = append(r.Requirements, report.Row{ID: fmt.Sprintf("2.1/Field%02d", i), Version: schemas.V5,
				Verdict: ledger.Fail, Waiver: &report.Waiver{Reason: long, Until: "2027-01-31"}},
				report.Row{ID: fmt.Sprintf("2.2/Field%02d", i), Version: schemas.V5, Verdict: ledger.Inconclusive,
					Reason: &reason, Notes: []string{long}})
		}
		made := string(markdown.Render(r.Document()))
		Expect(made).To(And(Not(ContainSubstring("left out here")), ContainSubstring("2.2/Field49`\n"),
			ContainSubstring("  - `v5: 2.2/Field50, ")))
		Expect(strings.Count(made, "until 2027-01-31 (UTC): "+long)).To(Equal(80))
		Expect(strings.Count(made, "- `note on 2.2/Field")).To(Equal(80))
	})

	DescribeTable("stays under 60 KB and says how much it leaves out", func(count int, text string) {
		made := markdown.Render(reportOfManyFailures(count, text).Document())
		expectHarmless(made)
		Expect(string(made)).To(And(ContainSubstring("left out here; `report.html` has all."),
			ContainSubstring("### Where v5 and v6 diverge"), ContainSubstring("### Notes")))
		failures := sectionIn(string(made), "What failed")
		shown := strings.Count(failures, "\n- ")
		omitted := regexp.MustCompile(`(\d+) entries are left out here`).FindStringSubmatch(failures)
		Expect(shown).To(BeNumerically(">", 0))
		Expect(shown + testkit.Must(strconv.Atoi(omitted[1]))).To(Equal(count + 1))
	},
		Entry("of short ones", 400, ""), Entry("of long ones", 100, strings.Repeat("a", 1500)),
		Entry("of four bytes a character", 100, strings.Repeat("😀", 1500)),
		Entry("of backticks", 100, strings.Repeat("`", 1500)),
		Entry("of backticks and others", 100, strings.Repeat("` ", 1500)),
	)

	It("of a sweep keeps to the groups that there is room for, and counts the others", func() {
		Expect(markdown.Render(sweptOf(900, strings.Repeat("x", 300)).Document())).To(
			MatchRegexp("\\d+ entries are left out here; `sweep.html` has all"))
	})

	DescribeTable("cuts an error at the end of a line, and says how many there are", func(why, expected string) {
		r := reportOf("error")
		r.Error = &why
		made := markdown.Render(r.Document())
		expectHarmless(made)
		Expect(string(made)).To(ContainSubstring(expected))
	},
		Entry("of a long line", strings.Repeat("😀", 50_000), "… (50000 characters in all)"),
		Entry("of many lines", strings.Repeat("goroutine 1 [running]\n", 999)+"end",
			"goroutine 1 [running]\n… and 800 more lines\n```\n"),
		Entry("of long lines of backticks", strings.Repeat(strings.Repeat("`", 500)+"\n", 500), "more lines"),
		Entry("of lines that end a block of code", "```\n# x\n```\n````\n<b>",
			"`````text\n```\n# x\n```\n````\n<b>\n`````\n"),
	)
})
