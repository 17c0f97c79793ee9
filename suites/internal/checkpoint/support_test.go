package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// sweepIdentity is that of the sweeps of these specs.
func sweepIdentity() stats.Identity {
	return stats.Identity{
		Contract: digest, Suite: "1.2.3 0f1e2d3c",
		Target: map[schemas.Version]string{schemas.V5: "http://127.0.0.1:8080", schemas.V6: "http://127.0.0.1:8080"},
		Rules:  digest, Seed: 7, Shard: stats.Shard{Index: 3, Of: 16},
	}
}

func sweepHeader() checkpoint.Header {
	return checkpoint.Header{
		Format: stats.Format, Suite: "1.2.3 0f1e2d3c", Sweep: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13",
		Started: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), Identity: sweepIdentity(),
	}
}

// numberedFinding is the n-th: each is of another length.
func numberedFinding(n int) *stats.Finding {
	return &stats.Finding{
		User: stats.User{Index: int64(n), ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13",
			UserID: fmt.Sprintf("u-%d", n)},
		Operation: schemas.GetUserAuth,
		Version:   schemas.Parity, Requirement: "9.3/getUserAuth/values", Kind: "value", Pointer: "/Flags", Count: 1,
		Expected: `what v5 shows: <"é">` + strings.Repeat("x", n%7), Actual: "v6 shows: 2",
		Exchange: fmt.Sprintf("u%d.2", n),
	}
}

func fileOf(folder string) string { return filepath.Join(folder, stats.FindingsFile) }

func contentOf(folder string) string {
	GinkgoHelper()
	content, err := os.ReadFile(fileOf(folder))
	Expect(err).NotTo(HaveOccurred())
	return string(content)
}

// beginFindings begins the findings in a folder of the spec's own.
func beginFindings(guard *sanitize.Guard) (*checkpoint.Findings, string) {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	f, err := checkpoint.Begin(folder, guard, sweepHeader())
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(f.Close)
	return f, folder
}

func resumeFindings(folder string, at checkpoint.Position) *checkpoint.Findings {
	GinkgoHelper()
	f, err := checkpoint.Resume(folder, nil, at)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(f.Close)
	return f
}

// addFindings adds findings from one number to before another.
func addFindings(f *checkpoint.Findings, from, to int) {
	GinkgoHelper()
	for n := from; n < to; n++ {
		Expect(f.Add(numberedFinding(n))).To(Succeed())
	}
}

func positionOf(f *checkpoint.Findings) checkpoint.Position {
	GinkgoHelper()
	at, err := f.Position()
	Expect(err).NotTo(HaveOccurred())
	return at
}

func finishFindings(f *checkpoint.Findings, users int64, complete bool) checkpoint.Footer {
	GinkgoHelper()
	end, err := f.Finish(users, complete)
	Expect(err).NotTo(HaveOccurred())
	return end
}

// writtenFile is what the findings up to a number look like, in one go and with their footer.
func writtenFile(to int) string {
	GinkgoHelper()
	f, folder := beginFindings(nil)
	addFindings(f, 0, to)
	finishFindings(f, int64(to), true)
	return contentOf(folder)
}

// storedPosition is a mark as it comes back from a checkpoint.
func storedPosition(at checkpoint.Position) checkpoint.Position {
	GinkgoHelper()
	text, err := json.Marshal(at)
	Expect(err).NotTo(HaveOccurred())
	var back checkpoint.Position
	Expect(json.Unmarshal(text, &back)).To(Succeed())
	return back
}

// countedUsers returns counts of n users, of whom each third differs.
func countedUsers(users int) *stats.Counts {
	t := stats.New(sweepIdentity().Seed)
	for n := range users {
		countUser(t, n)
	}
	return t
}

// countUser counts the n-th user.
func countUser(t *stats.Counts, n int) {
	results := []stats.Result{{Outcome: stats.Equal, Witnessed: true},
		{Outcome: stats.EqualUnderRule, Why: "J15: volatile /Flags", Witnessed: true}}
	if n%3 == 0 {
		results[0] = stats.Result{Outcome: stats.Different, Witnessed: true,
			Findings: []stats.Finding{*numberedFinding(n)}}
	}
	t.Add(results, []time.Duration{time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond, 4 * time.Millisecond},
		time.Duration(n)*time.Second)
}

// checkpoint is one after so many users.
func someCheckpoint(users int) *checkpoint.Checkpoint {
	return &checkpoint.Checkpoint{
		Format: stats.Format, Sweep: sweepHeader().Sweep, Identity: sweepIdentity(), Started: sweepHeader().Started,
		Served: true, Read: stats.Population{Users: int64(users), Digest: digest},
		Findings: checkpoint.Position{Size: 100, Findings: int64(users+2) / 3, Digest: []byte("state")},
		Tally:    countedUsers(users), Traffic: stats.Traffic{Requests: int64(4 * users), Throttled: 3, Outages: 1},
		Elapsed: time.Minute,
	}
}

func textOf(c *checkpoint.Checkpoint) []byte {
	GinkgoHelper()
	text, err := c.Text()
	Expect(err).NotTo(HaveOccurred())
	return text
}

// saveCheckpoint writes a checkpoint to a folder of the spec's own.
func saveCheckpoint(c *checkpoint.Checkpoint) string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(c))).To(Succeed())
	return folder
}

// linesOf are the objects of a text, one in each line, without their kinds.
func linesOf(text string) (kinds []string, objects []map[string]any) {
	GinkgoHelper()
	Expect(text).To(HaveSuffix("\n"))
	for line := range strings.Lines(text) {
		Expect(line).To(HavePrefix(`{"line":"`), "the kind comes first")
		object := map[string]any{}
		decoder := json.NewDecoder(bytes.NewReader([]byte(line)))
		decoder.UseNumber()
		Expect(decoder.Decode(&object)).To(Succeed())
		kinds = append(kinds, object["line"].(string))
		delete(object, "line")
		objects = append(objects, object)
	}
	return kinds, objects
}

// summaryOf is the report of a sweep of these users that has ended, not concluded yet.
func summaryOf(t *stats.Counts) *stats.Summary {
	s := stats.Empty(report.SuiteOf(digest), sweepHeader().Started, "")
	s.Error, s.Complete, s.Sweep, s.Tally = nil, true, sweepHeader().Sweep, t
	s.Read = stats.Population{Users: t.Users, Digest: digest}
	return s
}
