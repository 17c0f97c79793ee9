package selftest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exitCodes returns the exit code of each verdict, for runs and sweeps (DESIGN section 3).
func exitCodes() map[string]int {
	return map[string]int{"pass": 0, "fail": 1, "error": 2, "inconclusive": 3}
}

// exitStopped is the exit code of a sweep that a signal stopped. Its verdict is error.
const exitStopped = 4

// checkRun asserts what holds for every run with any target, and returns its report. The run ends in time, its exit
// code and reports agree, and nothing that it prints can control a terminal.
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
	Expect(unprintableParts(r.stdout)).To(BeEmpty(), "on the standard output")
	Expect(unprintableParts(r.stderr)).To(BeEmpty(), "on the standard error")
}

// checkNoDefect asserts that a process did not panic and did not report a defect of the suite.
func checkNoDefect(r *result) {
	GinkgoHelper()
	for _, word := range []string{"panic", "defect", "goroutine"} {
		Expect(r.output()).NotTo(ContainSubstring(word))
	}
}

// unprintableParts lists what must not reach a terminal, a log or the page of a CI server: control characters except
// line feed and tab, bidirectional marks, and invalid UTF-8.
func unprintableParts(text string) []string {
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

// writePass writes the reports of an earlier run that passed.
func writePass(reports string) {
	writeFile(reports, "report.json", `{"verdict":"pass","complete":true,"error":null}`)
	writeFile(reports, "junit.xml",
		`<testsuites tests="1"><testsuite tests="1"><testcase name="passed"></testcase></testsuite></testsuites>`)
}

// checkPassReplaced asserts that the reports of an earlier pass were replaced by an error that contains these words.
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

// Where summary.md and report.html show the verdict.
var (
	summaryVerdict = regexp.MustCompile(`^## \S+ (pass|fail|inconclusive|error)\b`)
	pageVerdict    = regexp.MustCompile(`<section class="certificate (\w+)"`)
)

// checkWholeReports asserts that a run that was disturbed left complete reports that all say pass, or all say error,
// like its exit code. There must be no other files.
func checkWholeReports(r *result) {
	GinkgoHelper()
	pass, verdict := r.exitCode == 0, "error"
	if pass {
		verdict = "pass"
	}
	for name, content := range filesIn(r.reports()) {
		Expect(reportFiles()).To(ContainElement(name), "left behind")
		if info, err := os.Stat(filepath.Join(r.reports(), name)); err == nil && info.IsDir() {
			continue
		}
		Expect(checkFile(name, []byte(content))).To(Succeed(), name)
		switch name {
		case "report.json":
			var report struct{ Verdict string }
			Expect(json.Unmarshal([]byte(content), &report)).To(Succeed())
			Expect(report.Verdict).To(Equal(verdict), name)
		case "junit.xml":
			junit, err := readJUnit(r.reports())
			Expect(err).NotTo(HaveOccurred())
			Expect(junit.errors == 0).To(Equal(pass), name)
		case "summary.md":
			Expect(summaryVerdict.FindStringSubmatch(content)).To(HaveExactElements(Not(BeEmpty()), verdict))
		case "statement.json":
			Expect(strings.Contains(content, "PASSED")).To(Equal(pass), name)
		case "report.html":
			Expect(pageVerdict.FindStringSubmatch(content)).To(HaveExactElements(Not(BeEmpty()), verdict))
		case "evidence.har":
			var archive struct {
				Log struct {
					Run struct{ Error *string } `json:"_run"`
				}
			}
			Expect(json.Unmarshal([]byte(content), &archive)).To(Succeed())
			Expect(archive.Log.Run.Error == nil).To(Equal(pass), name)
		}
	}
}
