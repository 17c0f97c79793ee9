package selftest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Where summary.md and report.html show the verdict.
var (
	summaryVerdict = regexp.MustCompile(`^## \S+ (pass|fail|inconclusive|error)\b`)
	pageVerdict    = regexp.MustCompile(`<section class="certificate (\w+)"`)
)

// checkWholeReports asserts that the reports in the folder of a run that was disturbed are whole, that all of them say
// pass or all of them error, as its exit code does, and that there are no other files.
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
