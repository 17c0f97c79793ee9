package record_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

func TestCheckpoint(t *testing.T) { testkit.Specs(t, "checkpoint") }

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// sweepIdentity is that of the sweeps of these specs.
func sweepIdentity() stats.Identity {
	return stats.Identity{
		Contract: digest, Suite: "1.2.3 0f1e2d3c",
		Target: map[schemas.Version]string{schemas.V5: "http://127.0.0.1:8080", schemas.V6: "http://127.0.0.1:8080"},
		Rules:  digest, Seed: 7, Shard: stats.Shard{Index: 3, Of: 16},
	}
}

func sweepHeader() record.Header {
	return record.Header{
		Format: stats.Format, Suite: "1.2.3 0f1e2d3c", Sweep: "0e5a4a52-7b1d-4c57-9a41-0d8e5f7b2c14",
		Started: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), Identity: sweepIdentity(),
	}
}

// numberedFinding is the n-th, changed: each is of another length.
func numberedFinding(n int, changes ...func(*stats.Finding)) *stats.Finding {
	f := &stats.Finding{
		User: stats.User{Index: int64(n), ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13",
			UserID: fmt.Sprintf("u-%d", n)},
		Operation: schemas.GetUserAuth,
		Version:   schemas.Parity, Requirement: "9.3/getUserAuth/values", Kind: "value", Pointer: "/Flags", Count: 1,
		Expected: `what v5 shows: <"é">` + strings.Repeat("x", n%7), Actual: "v6 shows: 2",
		Exchange: fmt.Sprintf("u%d.2", n),
	}
	for _, change := range changes {
		change(f)
	}
	return f
}

func findingsPath(folder string) string { return filepath.Join(folder, stats.FindingsFile) }

func findingsText(folder string) string {
	GinkgoHelper()
	return string(testkit.Read(folder, stats.FindingsFile))
}

// beginFindings begins the findings in a folder of the spec's own.
func beginFindings(guard *sanitize.Guard) (*record.Findings, string) {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	f := testkit.Must(record.Open(folder, guard, sweepHeader(), nil))
	DeferCleanup(f.Close)
	return f, folder
}

func resumeFindings(folder string, at record.Position) *record.Findings {
	GinkgoHelper()
	f := testkit.Must(record.Open(folder, nil, sweepHeader(), &at))
	DeferCleanup(f.Close)
	return f
}

// addFindings adds findings from one number to before another.
func addFindings(f *record.Findings, from, to int) {
	GinkgoHelper()
	for n := from; n < to; n++ {
		Expect(f.Add(numberedFinding(n))).To(Succeed())
	}
}

// storedPosition is the position of the findings, as it comes back from a checkpoint.
func storedPosition(f *record.Findings) (at record.Position) {
	GinkgoHelper()
	Expect(json.Unmarshal(testkit.Must(json.Marshal(testkit.Must(f.Position()))), &at)).To(Succeed())
	return at
}

// writtenAtOnce is what the findings up to a number look like, in one go and with their footer.
func writtenAtOnce(to int) string {
	GinkgoHelper()
	f, folder := beginFindings(nil)
	addFindings(f, 0, to)
	testkit.Must(f.Finish(int64(to), true))
	return findingsText(folder)
}

// countUser counts the n-th user, of whom each third differs.
func countUser(t *stats.Counts, n int) {
	both := schemas.Versions()
	results := []stats.Result{{Served: both, Outcome: stats.Equal, Witnessed: true},
		{Outcome: stats.EqualUnderRule, Why: "volatile: /Flags", Witnessed: true}}
	if n%3 == 0 {
		results[0] = stats.Result{Served: both, Outcome: stats.Different, Witnessed: true,
			Findings: []stats.Finding{*numberedFinding(n)}}
	}
	t.Add(false, results, []time.Duration{time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond,
		4 * time.Millisecond},
		time.Duration(n)*time.Second)
}

// checkpointAfter is one after so many users.
func checkpointAfter(users int) *record.Checkpoint {
	c := &record.Checkpoint{
		Format: stats.Format, Sweep: sweepHeader().Sweep, Identity: sweepIdentity(), Started: sweepHeader().Started,
		Read:     stats.Population{Users: int64(users), Digest: digest},
		Findings: record.Position{Size: 100, Findings: int64(users+2) / 3, Digest: []byte("state")},
		Tally:    stats.New(sweepIdentity().Seed, schemas.Versions()...), Elapsed: time.Minute,
		Traffic: stats.Traffic{Counts: exchange.Counts{Requests: int64(4*users) + 1, Throttled: 3, Interruptions: 1}},
	}
	for n := range users {
		countUser(c.Tally, n)
	}
	return c
}

func checkpointText(users int) []byte {
	GinkgoHelper()
	return testkit.Must(checkpointAfter(users).Text())
}

// saveCheckpoint writes a checkpoint after so many users to a folder of the spec's own.
func saveCheckpoint(users int) string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	Expect(record.WriteCheckpoint(folder, nil, checkpointText(users))).To(Succeed())
	return folder
}

// readCheckpoint reads the checkpoint in a folder.
func readCheckpoint(folder string) *record.Checkpoint {
	GinkgoHelper()
	return testkit.Must(record.ReadCheckpoint(folder, sweepIdentity()))
}

// fileNames are those of the files of a folder.
func fileNames(folder string) []string {
	GinkgoHelper()
	var list []string
	for _, entry := range testkit.Must(os.ReadDir(folder)) {
		list = append(list, entry.Name())
	}
	return list
}
