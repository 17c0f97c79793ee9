package selftest_test

import (
	"fmt"
	"path/filepath"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exitCodes are the exit codes by verdict, of a run and of a sweep (DESIGN section 3).
func exitCodes() map[string]int {
	return map[string]int{"pass": 0, "fail": 1, "error": 2, "inconclusive": 3}
}

// exitStopped is the exit code of a sweep that a signal stopped. Its verdict is error.
const exitStopped = 4

// checkRun asserts what holds for every run, whatever its target does, and returns its report: it ends in time, its
// exit code and its reports agree, and nothing that it prints can move the cursor of a terminal.
func checkRun(r *result) *report {
	GinkgoHelper()
	checkStreams(r)
	report, err := readReport(r.reports())
	Expect(err).NotTo(HaveOccurred(), "%s", r)
	junit, err := readJUnit(r.reports())
	Expect(err).NotTo(HaveOccurred(), "%s", r)
	Expect(r.exitCode).To(Equal(exitCodes()[report.Verdict]), "the verdict is %s\n%s", report.Verdict, r)
	Expect(junit.cases).To(BeNumerically(">", 0), "junit.xml has no test case")
	isError := report.Verdict == "error"
	Expect(junit.errors > 0).To(Equal(isError), "junit.xml has %d errors, the verdict is %s", junit.errors,
		report.Verdict)
	Expect(report.Error != nil).To(Equal(isError), "report.json has an error if and only if the verdict is error")
	switch report.Verdict {
	case "pass":
		Expect(junit.failures).To(BeZero())
	case "fail":
		Expect(junit.failures).To(BeNumerically(">", 0))
	case "error":
		Expect(report.Complete).To(BeFalse())
	}
	return report
}

// checkStreams asserts that a process ended in time and printed only what a terminal or a log can show.
func checkStreams(r *result) {
	GinkgoHelper()
	Expect(r.err).NotTo(HaveOccurred())
	Expect(r.timedOut).To(BeFalse(), "the process did not end in time\n%s", r)
	Expect(unprintable(r.stdout)).To(BeEmpty(), "on the standard output")
	Expect(unprintable(r.stderr)).To(BeEmpty(), "on the standard error")
}

// checkNoDefect asserts that a process did not panic, and did not find a defect of the suite.
func checkNoDefect(r *result) {
	GinkgoHelper()
	for _, word := range []string{"panic", "defect", "goroutine"} {
		Expect(r.output()).NotTo(ContainSubstring(word))
	}
}

// unprintable lists what must not reach a terminal, a log or the page of a CI server: control characters except line
// feed and tab, marks that change the direction of text, and invalid UTF-8.
func unprintable(text string) []string {
	var list []string
	if !utf8.ValidString(text) {
		list = append(list, "invalid UTF-8")
	}
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
		case r < ' ', r >= 0x7f && r <= 0x9f,
			r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			list = append(list, fmt.Sprintf("%U", r))
		}
		if len(list) > 10 {
			break
		}
	}
	return list
}

// writePass writes the reports of an earlier run that passed, into the folder of the run to come.
func writePass(reports string) {
	writeFile(reports, "report.json", `{"verdict":"pass","complete":true,"error":null}`)
	writeFile(reports, "junit.xml",
		`<testsuites tests="1"><testsuite tests="1"><testcase name="passed"></testcase></testsuite></testsuites>`)
}

// checkPassReplaced asserts that the reports of an earlier run that passed were replaced by an error with these words.
func checkPassReplaced(reports string, words ...string) {
	GinkgoHelper()
	report, err := readReport(reports)
	Expect(err).NotTo(HaveOccurred())
	Expect(report.Verdict).To(Equal("error"))
	Expect(report.Complete).To(BeFalse())
	for _, text := range words {
		Expect(report.Error).To(HaveValue(ContainSubstring(text)), filepath.Base(reports))
	}
	junit, err := readJUnit(reports)
	Expect(err).NotTo(HaveOccurred())
	Expect([]int{junit.errors, junit.failures}).To(Equal([]int{1, 0}))
}

// earlierEvidence is the evidence of an earlier run.
const earlierEvidence = "what an earlier run saw"

// writePassWithEvidence writes the reports of an earlier run into a working folder, and returns the report folder.
func writePassWithEvidence(working string) string {
	reports := filepath.Join(working, defaultReports)
	writePass(reports)
	writeFile(reports, "evidence.har", earlierEvidence)
	return reports
}
