package selftest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The files of a sweep.
const (
	sweepJSON      = "sweep.json"
	sweepPage      = "sweep.html"
	findingsFile   = "findings.ndjson"
	checkpointFile = "sweep.checkpoint.json"
)

// sweepReport is what programs read in sweep.json.
type sweepReport struct {
	Verdict, Reason, Proves string
	Complete                bool
	Sweep                   string
	Population              struct {
		Users  int64
		Digest string
	}
	Shards []struct{ Index, Of int }
	Tally  struct {
		Users, Requests, Lumped int64
		Findings                map[string]struct{ Differences, Violations, Waived, Open int64 }
		Outcomes                map[string]map[string]struct {
			Count int64
			Why   map[string]int64
		}
		Witnessed map[string]bool
		Groups    []struct {
			cause
			Waived       bool
			Users, Count int64
			Sample       []sweepFinding
		}
	}
	Traffic  struct{ Requests, Throttled, Repeated, Outages int64 }
	Findings string
	Notes    []string
	Error    *string
}

// sweepFinding is a line of findings.ndjson.
type sweepFinding struct {
	Line string
	User struct {
		Index      int
		ID, UserID string
	}
	cause
	Count                      int
	Expected, Actual, Exchange string
	Waived                     bool
}

// sweepFindings is what findings.ndjson holds.
type sweepFindings struct {
	header   string
	findings []sweepFinding
	lines    []string // of the findings
	footer   *struct {
		Users, Findings int64
		Complete        bool
		Digest          string
	}
}

func readSweep(folder string) (*sweepReport, error) {
	content, err := os.ReadFile(filepath.Join(folder, sweepJSON))
	if err != nil {
		return nil, err
	}
	r := &sweepReport{}
	return r, json.Unmarshal(content, r)
}

// readFindings reads the lines of a findings file, which has its footer or was broken off.
func readFindings(folder string) (*sweepFindings, error) {
	content, err := os.ReadFile(filepath.Join(folder, findingsFile))
	if err != nil {
		return nil, err
	}
	f := &sweepFindings{}
	for line := range bytes.Lines(content) {
		var kind struct{ Line string }
		if err := json.Unmarshal(line, &kind); err != nil {
			return nil, fmt.Errorf("%s: %w in %q", findingsFile, err, line)
		}
		switch {
		case f.footer != nil:
			return nil, fmt.Errorf("%s: behind the footer stands %q", findingsFile, line)
		case (kind.Line == "header") != (f.header == ""):
			return nil, fmt.Errorf("%s: expected one header, at the beginning, found %q", findingsFile, line)
		case kind.Line == "header":
			f.header = string(line)
		case kind.Line == "finding":
			var one sweepFinding
			if err := json.Unmarshal(line, &one); err != nil {
				return nil, err
			}
			f.findings, f.lines = append(f.findings, one), append(f.lines, strings.TrimSuffix(string(line), "\n"))
		case kind.Line == "footer":
			if err := json.Unmarshal(line, &f.footer); err != nil {
				return nil, err
			}
			digest := sha256.Sum256(content[:len(content)-len(line)])
			if want := "sha256:" + hex.EncodeToString(digest[:]); f.footer.Digest != want {
				return nil, fmt.Errorf("%s: the footer says %s, and what stands before it has %s", findingsFile, f.footer.Digest, want)
			}
			if f.footer.Findings != int64(len(f.findings)) {
				return nil, fmt.Errorf("%s: the footer says %d findings, and there are %d", findingsFile, f.footer.Findings, len(f.findings))
			}
		default:
			return nil, fmt.Errorf("%s: a line of the kind %q", findingsFile, kind.Line)
		}
	}
	return f, nil
}

// sweepCodes are the exit codes by verdict.
func sweepCodes() map[string]int {
	return map[string]int{"pass": 0, "fail": 1, "error": 2, "inconclusive": 3}
}

// swept asserts what holds for every sweep that could be carried out, complete or not: its files are whole, tell one story, and
// there are no others.
func swept(o *outcome) (*sweepReport, *sweepFindings) {
	GinkgoHelper()
	Expect(leftBehind(o)).To(BeEmpty())
	return whole(o)
}

// leftBehind lists what stands in a report folder and is no file of a sweep.
func leftBehind(o *outcome) []string {
	var list []string
	for name := range filesOf(o.reports()) {
		if !slices.Contains([]string{sweepJSON, sweepPage, findingsFile, checkpointFile}, name) {
			list = append(list, name)
		}
	}
	return list
}

// whole asserts that the files of a sweep are whole, and tell one story.
func whole(o *outcome) (*sweepReport, *sweepFindings) {
	GinkgoHelper()
	Expect(o.err).NotTo(HaveOccurred())
	Expect(o.expired).To(BeFalse(), o.said())
	Expect(o.stdout + o.stderr).NotTo(Or(ContainSubstring("panic"), ContainSubstring("defect")))
	r, err := readSweep(o.reports())
	Expect(err).NotTo(HaveOccurred(), o.said())
	Expect(o.code).To(Equal(sweepCodes()[r.Verdict]), o.said())
	Expect(r.Error).To(BeNil(), o.said())
	Expect(o.stdout).To(ContainSubstring("\nverdict: %s: %s\n", r.Verdict, r.Reason))
	f, err := readFindings(o.reports())
	Expect(err).NotTo(HaveOccurred())
	Expect(f.footer).NotTo(BeNil(), "without a footer")
	Expect(f.footer.Complete).To(Equal(r.Complete))
	Expect(f.footer.Users).To(Equal(r.Tally.Users))
	Expect(f.footer.Digest).To(Equal(r.Findings))
	adds(r, f)
	return r, f
}

// general is a pointer with * for each index.
func general(pointer string) string {
	segments := strings.Split(pointer, "/")
	for i, segment := range segments {
		if segment != "" && strings.Trim(segment, "0123456789") == "" {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// adds asserts that the summary counts what stands in the findings, and every user once.
func adds(r *sweepReport, f *sweepFindings) {
	GinkgoHelper()
	type sums struct{ users, count int64 }
	groups, counted := map[cause]sums{}, map[string]bool{}
	open := map[string]int64{}
	for _, one := range f.findings {
		if one.Requirement == "" {
			open[one.Operation]++
			continue
		}
		key := one.cause
		key.Pointer = general(key.Pointer)
		sum := sums{groups[key].users, groups[key].count + int64(one.Count)}
		if twice := fmt.Sprint(key, one.User.Index); !counted[twice] {
			counted[twice] = true
			sum.users++
		}
		groups[key] = sum
	}
	told := map[cause]sums{}
	for _, g := range r.Tally.Groups {
		told[g.cause] = sums{g.Users, g.Count}
		Expect(len(g.Sample)).To(BeNumerically("==", min(g.Users, 10)), "%v", g.cause)
	}
	Expect(told).To(Equal(groups))
	for _, operation := range []string{record, identifiers} {
		users := int64(0)
		for _, share := range r.Tally.Outcomes[operation] {
			users += share.Count
		}
		Expect(users).To(Equal(r.Tally.Users), operation)
		Expect(r.Tally.Findings[operation].Open).To(Equal(open[operation]))
		Expect(r.Tally.Outcomes[operation]["not-comparable"].Count).To(Equal(open[operation]))
	}
}

// failedSweep asserts that a sweep ended in an error that names certain words, on the terminal and in its summary.
func failedSweep(o *outcome, says ...string) *sweepReport {
	GinkgoHelper()
	Expect(o.err).NotTo(HaveOccurred())
	Expect(o.expired).To(BeFalse(), o.said())
	Expect(o.code).To(Equal(2), o.said())
	Expect(o.stdout + o.stderr).NotTo(Or(ContainSubstring("panic"), ContainSubstring("defect")))
	r, err := readSweep(o.reports())
	Expect(err).NotTo(HaveOccurred(), o.said())
	Expect(r.Verdict).To(Equal("error"))
	Expect(r.Complete).To(BeFalse())
	Expect(r.Error).NotTo(BeNil())
	for _, words := range says {
		Expect(o.stdout + o.stderr).To(ContainSubstring(words))
		Expect(*r.Error).To(ContainSubstring(words))
	}
	return r
}

// counts is all that a sweep counted but for when it was: what sweeps of the same users and answers have in common.
func counts(o *outcome) map[string]any {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(o.reports(), sweepJSON))
	Expect(err).NotTo(HaveOccurred())
	var r struct {
		Verdict, Reason, Proves string
		Complete                bool
		Population              map[string]any
		Tally                   map[string]any
		Notes                   []string
	}
	Expect(json.Unmarshal(content, &r)).To(Succeed())
	Expect(r.Tally).To(HaveKey("times"))
	delete(r.Tally, "times")
	return map[string]any{"verdict": r.Verdict, "reason": r.Reason, "proves": r.Proves, "complete": r.Complete, "population": r.Population, "tally": r.Tally, "notes": r.Notes}
}
