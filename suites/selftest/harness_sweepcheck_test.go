package selftest_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// checkSweep asserts what holds for every sweep that was carried out, complete or not: its files are complete and
// agree, and there are no others.
func checkSweep(r *result) (*sweepReport, *sweepFindings) {
	GinkgoHelper()
	checkStreams(r)
	checkNoDefect(r)
	files := filesIn(r.reports())
	Expect([]string{sweepJSON, sweepPage, findingsFile, checkpointFile, metricsFile, listFile, answersFile}).To(
		ContainElements(slices.Collect(maps.Keys(files))))
	report, err := readSweep(r.reports())
	Expect(err).NotTo(HaveOccurred(), "%s", r)
	Expect(r.exitCode).To(Equal(exitCodes()[report.Verdict]), "%s", r)
	Expect(report.Error).To(BeNil(), "%s", r)
	Expect(r.stdout).To(ContainSubstring("\nverdict: %s: %s\n", report.Verdict, report.Reason))
	findings, err := readFindings(r.reports())
	Expect(err).NotTo(HaveOccurred())
	Expect(findings.footer).NotTo(BeNil(), "the findings have no footer")
	Expect(findings.footer.Complete).To(Equal(report.Complete))
	Expect(findings.footer.Users).To(Equal(report.Tally.Users))
	Expect(findings.footer.Digest).To(Equal(report.Findings))
	checkCounts(report, findings)
	checkList(files[listFile], findings)
	if archive, ok := files[answersFile]; ok { // merge writes none
		checkArchive(archive, findings)
	}
	return report, findings
}

// checkStoppedSweep asserts what holds for every sweep, and that a signal stopped this one. Then the exit code is not
// that of the verdict.
func checkStoppedSweep(r *result) (*sweepReport, *sweepFindings) {
	GinkgoHelper()
	Expect(r.exitCode).To(Equal(exitStopped), "%s", r)
	stopped := *r
	stopped.exitCode = exitCodes()["error"]
	report, findings := checkSweep(&stopped)
	Expect(report.Complete).To(BeFalse())
	Expect(report.Verdict).To(Equal("error"), "%s", r)
	Expect(r.stderr).To(ContainSubstring("exit code 4"))
	return report, findings
}

// maxAnswers is the maximum number of exchanges in the archive.
const maxAnswers = 1000

// checkArchive asserts that the archive has the exchanges of users with a finding, and of no others. Unless it is full,
// it has those of all such users.
func checkArchive(archive string, findings *sweepFindings) {
	GinkgoHelper()
	var har struct {
		Log struct {
			Entries []struct {
				Probe struct {
					User struct{ UserID string }
				} `json:"_probe"`
				Response struct{ Status int }
			}
		}
	}
	Expect(json.Unmarshal([]byte(archive), &har)).To(Succeed())
	expected, shown := map[string]bool{}, map[string]bool{}
	for _, one := range findings.findings {
		if one.Requirement != "" {
			expected[one.User.UserID] = true
		}
	}
	for _, entry := range har.Log.Entries {
		shown[entry.Probe.User.UserID] = true
	}
	if len(har.Log.Entries) < maxAnswers {
		Expect(shown).To(HaveLen(len(expected)))
	}
	for user := range shown {
		Expect(expected).To(HaveKey(user))
	}
}

// checkList asserts that the list of differing users has a line for each user, operation and cause of the findings, in
// their order.
func checkList(list string, findings *sweepFindings) {
	GinkgoHelper()
	rows, err := csv.NewReader(strings.NewReader(list)).ReadAll()
	Expect(err).NotTo(HaveOccurred())
	Expect(rows[0]).To(Equal([]string{"user", "id", "operation", "requirement", "place", "kind", "v5", "v6"}))
	var expected [][]string
	for _, one := range findings.findings {
		row := []string{one.User.UserID, one.User.ID, one.Operation, one.Requirement, one.Pointer, one.Kind}
		if one.Requirement != "" && !slices.ContainsFunc(expected,
			func(other []string) bool { return slices.Equal(row, other) }) {
			expected = append(expected, row)
		}
	}
	Expect(rows).To(HaveLen(len(expected) + 1))
	for i, row := range expected {
		Expect(rows[i+1][:len(row)]).To(Equal(row))
		Expect(rows[i+1][len(row)]+rows[i+1][len(row)+1]).NotTo(BeEmpty(), "%v shows no value", rows[i+1])
	}
}

// checkCounts asserts that the report counts all findings, and each user once.
func checkCounts(report *sweepReport, findings *sweepFindings) {
	GinkgoHelper()
	type sums struct{ users, count int64 }
	groups, counted, open := map[cause]sums{}, map[string]bool{}, map[string]int64{}
	for _, one := range findings.findings {
		if one.Requirement == "" {
			open[one.Operation]++
			continue
		}
		key := one.groupKey()
		sum := sums{groups[key].users, groups[key].count + int64(one.Count)}
		if user := fmt.Sprint(key, one.User.Index); !counted[user] {
			counted[user] = true
			sum.users++
		}
		groups[key] = sum
	}
	withReport := map[cause]sums{}
	for _, g := range report.Tally.Groups {
		withReport[g.cause] = sums{g.Users, g.Count}
		Expect(len(g.Sample)).To(BeNumerically("==", min(g.Users, 10)), "%v", g.cause)
	}
	Expect(withReport).To(Equal(groups))
	for _, operation := range []string{getUserAuth, findByUserIDs} {
		users := int64(0)
		for _, outcome := range report.Tally.Outcomes[operation] {
			users += outcome.Count
		}
		Expect(users).To(Equal(report.Tally.Users), operation)
		Expect(report.Tally.Findings[operation].Open).To(Equal(open[operation]))
		Expect(report.Tally.Outcomes[operation]["not-comparable"].Count).To(Equal(open[operation]))
	}
}

// checkFailedSweep asserts that a sweep or merge ended in an error that contains these words, on the terminal and in
// its report.
func checkFailedSweep(r *result, words ...string) {
	GinkgoHelper()
	checkSweepWithout(r, exitCodes()["error"], words...)
}

// checkSweepWithout asserts that a sweep or merge ended without a result, with an exit code and an error that contains
// these words.
func checkSweepWithout(r *result, exitCode int, words ...string) {
	GinkgoHelper()
	checkStreams(r)
	checkNoDefect(r)
	Expect(r.exitCode).To(Equal(exitCode), "%s", r)
	report, err := readSweep(r.reports())
	Expect(err).NotTo(HaveOccurred(), "%s", r)
	Expect(report.Verdict).To(Equal("error"))
	Expect(report.Complete).To(BeFalse())
	Expect(report.Error).NotTo(BeNil())
	for _, text := range words {
		Expect(r.output()).To(ContainSubstring(text))
		Expect(*report.Error).To(ContainSubstring(text))
	}
}

// sweepCounts returns everything that a sweep counted except times. It is equal for sweeps with the same users and
// answers.
func sweepCounts(r *result) map[string]any {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(r.reports(), sweepJSON))
	Expect(err).NotTo(HaveOccurred())
	var whole map[string]any
	Expect(json.Unmarshal(content, &whole)).To(Succeed())
	counts := map[string]any{}
	for _, name := range []string{"verdict", "reason", "proves", "complete", "population", "tally", "notes"} {
		Expect(whole).To(HaveKey(name))
		counts[name] = whole[name]
	}
	tally := counts["tally"].(map[string]any)
	Expect(tally).To(HaveKey("times"))
	delete(tally, "times")
	return counts
}
