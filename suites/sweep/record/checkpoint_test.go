package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

var _ = Describe("A checkpoint", func() {
	It("is read as it was written, and counting continues with it", func() {
		for _, users := range []int{0, 10} {
			c := readCheckpoint(saveCheckpoint(users))
			Expect(testkit.Must(c.Text())).To(Equal(checkpointText(users)))
			for n := users; n < 40; n++ {
				countUser(c.Tally, n)
			}
			Expect(json.Marshal(c.Tally)).To(MatchJSON(testkit.Must(json.Marshal(checkpointAfter(40).Tally))),
				"as if it had been counted in one go")
		}
	})

	It("is replaced as a whole, also for who reads it meanwhile and beside what a killed process left", func() {
		folder := saveCheckpoint(1)
		open := testkit.Must(os.Open(filepath.Join(folder, record.CheckpointFile)))
		DeferCleanup(open.Close)
		left := "." + record.CheckpointFile + "7"
		testkit.Write(folder, left, []byte(`{"format":"1.0","sweep":"3f0c`))
		Expect(record.WriteCheckpoint(folder, nil, checkpointText(4))).To(Succeed())
		Expect(readCheckpoint(folder).Tally.Users).To(BeEquivalentTo(4))
		Expect(fileNames(folder)).To(ConsistOf(record.CheckpointFile, left), "it leaves nothing of its own")
		old := make([]byte, 1<<16)
		Expect(old[:testkit.Must(open.Read(old))]).To(Equal(checkpointText(1)), "who had opened it has all of it")
		Expect(testkit.Must(os.Stat(filepath.Join(folder, record.CheckpointFile))).Mode().Perm()).To(
			Equal(os.FileMode(0o600)), "it holds users")
	})

	DescribeTable("loses temporary files of a killed process, and no others, when the sweep is resumed in a folder",
		func(named string) {
			folder := filepath.Join(GinkgoT().TempDir(), named)
			Expect(os.Mkdir(folder, 0o755)).To(Succeed())
			f := testkit.Must(record.Open(folder, nil, sweepHeader(), nil))
			at := storedPosition(f)
			f.Close()
			for _, name := range []string{"." + record.CheckpointFile + "4711", "." + stats.SummaryFile,
				record.CheckpointFile, record.CheckpointFile + ".mine", "sweep.txt"} {
				testkit.Write(folder, name, nil)
			}
			all := fileNames(folder)
			Expect(all[0]).To(HaveSuffix("4711"))
			resumeFindings(folder, at)
			Expect(fileNames(folder)).To(Equal(all[1:]))
		},
		Entry("of any name", "reports"), Entry("whose name is a pattern", "[a-z]*?"), Entry("with a backslash", `a\b`),
	)

	It("can't be written in no folder, and where a folder has its name", func() {
		folder := GinkgoT().TempDir()
		Expect(os.MkdirAll(filepath.Join(folder, record.CheckpointFile, "x"), 0o755)).To(Succeed())
		for _, into := range []string{filepath.Join(folder, "none"), folder} {
			Expect(record.WriteCheckpoint(into, nil, checkpointText(4))).To(
				MatchError(ContainSubstring("the checkpoint can't be written")))
		}
	})

	It("is begun unless it is known that there is none: nothing may be lost", func() {
		folder := GinkgoT().TempDir()
		Expect(record.Begun(folder)).To(BeFalse())
		Expect(record.Begun(filepath.Join(folder, "none"))).To(BeFalse())
		Expect(record.Begun(testkit.Write(folder, "file", nil))).To(BeTrue())
		Expect(os.Symlink("nowhere", filepath.Join(folder, record.CheckpointFile))).To(Succeed())
		Expect(record.Begun(folder)).To(BeTrue())
	})

	const refused = "testdata/refused.yaml"
	for _, one := range testkit.Cases[struct{ Name, From, To, Says string }](refused) {
		It("is refused with a reason "+one.Name, func() {
			folder, text := GinkgoT().TempDir(), checkpointText(4)
			Expect(text).To(ContainSubstring(one.From))
			if text = bytes.Replace(text, []byte(one.From), []byte(one.To), 1); one.From == "" {
				text = []byte(one.To)
			}
			if one.To != "" {
				testkit.Write(folder, record.CheckpointFile, text)
			}
			_, err := record.ReadCheckpoint(folder, sweepIdentity())
			Expect(err).To(HaveOccurred())
			said := strings.ReplaceAll(err.Error(), folder, "reports")
			// The version of the suite, which the file has, may be longer or shorter.
			said = regexp.MustCompile(`byte \d+`).ReplaceAllString(said, "byte N")
			testkit.Says(refused, one.Name, one.Says, errors.New(said))
		})
	}

	It("is refused if it breaks off, wherever", func() {
		folder, text := GinkgoT().TempDir(), checkpointText(2)
		for end := 0; end < len(text); end += 97 {
			testkit.Write(folder, record.CheckpointFile, text[:end])
			_, err := record.ReadCheckpoint(folder, sweepIdentity())
			Expect(err).To(MatchError(ContainSubstring("--resume")), "%d bytes", end)
		}
	})
})

var _ = Describe("What an earlier sweep left", func() {
	It("is nothing in an empty folder or of a sweep that looked at nobody, and unfinished if it can't be read", func() {
		folder := GinkgoT().TempDir()
		Expect(record.Peek(folder)).To(Equal(record.Earlier{}))
		Expect(record.Peek(saveCheckpoint(0))).To(Equal(record.Earlier{}))
		testkit.Write(folder, record.CheckpointFile, []byte("{"))
		Expect(record.Peek(folder).Unfinished()).To(BeTrue())
	})

	DescribeTable("is finished only with the whole report of the same sweep:",
		func(change func(*stats.Summary), finished bool) {
			folder := saveCheckpoint(6)
			Expect(record.Peek(folder)).To(Equal(record.Earlier{Begun: true, Users: 6}))
			s := stats.Empty(report.SuiteOf(digest), sweepHeader().Started, "")
			s.Error, s.Complete, s.Sweep, s.Tally = nil, true, sweepHeader().Sweep, checkpointAfter(6).Tally
			s.Read = stats.Population{Users: 6, Digest: digest}
			change(s)
			s.Conclude()
			var text bytes.Buffer
			Expect(stats.Write(&text, s)).To(Succeed())
			testkit.Write(folder, stats.SummaryFile, text.Bytes())
			left := record.Peek(folder)
			Expect(left).To(Equal(record.Earlier{Begun: true, Users: 6, Finished: finished}))
			Expect(left.Unfinished()).To(Equal(!finished))
		},
		Entry("it has that", func(*stats.Summary) {}, true),
		Entry("it has an incomplete one", func(s *stats.Summary) { s.Complete = false }, false),
		Entry("it has that of another sweep", func(s *stats.Summary) { s.Sweep = "another" }, false),
	)
})

// FuzzCheckpoint: whatever stands in the file, reading it brings a checkpoint that can be counted on with, written and
// read again, or an error that names the file.
func FuzzCheckpoint(f *testing.F) {
	text := func(c *record.Checkpoint) string {
		text, err := c.Text()
		if err != nil {
			f.Fatal(err)
		}
		return string(text)
	}
	good := text(checkpointAfter(4))
	for _, seed := range []string{"", "null", "{}", "[]", good, text(checkpointAfter(0)), text(checkpointAfter(300)),
		good + "{}", good[:len(good)/2]} {
		f.Add(seed)
	}
	for _, change := range testkit.Cases[struct{ From, To string }]("testdata/changes.yaml") {
		if !strings.Contains(good, change.From) {
			f.Fatalf("%s does not stand in a checkpoint", change.From)
		}
		f.Add(strings.Replace(good, change.From, change.To, 1))
		f.Add(strings.ReplaceAll(good, change.From, change.To))
	}
	f.Fuzz(func(t *testing.T, content string) {
		folder := t.TempDir()
		path := filepath.Join(folder, record.CheckpointFile)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := record.ReadCheckpoint(folder, sweepIdentity())
		if err != nil {
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--resume") {
				t.Fatalf("%v does not name the file and the flag", err)
			}
			return
		}
		countOn(t, c)
		text, err := c.Text()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil { // without the wait for the disk
			t.Fatal(err)
		}
		again, err := record.ReadCheckpoint(folder, sweepIdentity())
		if err != nil {
			t.Fatalf("what was gone on from can't be gone on from again: %v", err)
		}
		if back, err := again.Text(); err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%s became %s (%v)", text, back, err)
		}
	})
}

// countOn counts users as a sweep does that goes on, and concludes.
func countOn(t *testing.T, c *record.Checkpoint) {
	users, equal, differences := c.Tally.Users, c.Tally.Count(stats.Equal), c.Tally.Found().Differences
	if users < 0 || equal < 0 || differences < 0 || c.Elapsed < 0 {
		t.Fatalf("it has counted %d users, %d equal, %d differences in %s", users, equal, differences, c.Elapsed)
	}
	for n := range 6 {
		results := []stats.Result{{Outcome: stats.Equal, Witnessed: true},
			{Outcome: stats.NotComparable, Why: "timeout of v5"}}
		results[1].Findings = []stats.Finding{{Operation: schemas.FindByUserIDs, Version: schemas.Parity,
			Kind: string(stats.NotComparable), Count: 1, User: stats.User{Index: int64(n)}}}
		if n%2 == 0 {
			results[0] = stats.Result{Outcome: stats.Different, Findings: []stats.Finding{*numberedFinding(n)}}
			c.Findings.Findings++
		}
		c.Findings.Findings++
		c.Read.Users++
		c.Tally.Add(&stats.Part{}, results, []time.Duration{time.Millisecond, time.Hour},
			c.Elapsed+time.Duration(n)*time.Hour)
	}
	if c.Tally.Users != users+6 || c.Tally.Count(stats.Equal) != equal+3 ||
		c.Tally.Found().Differences != differences+3 {
		t.Fatalf("six users more made %d of %d, %d equal of %d, %d differences of %d", c.Tally.Users, users,
			c.Tally.Count(stats.Equal), equal, c.Tally.Found().Differences, differences)
	}
	summary := &stats.Summary{Identity: c.Identity, Tally: c.Tally, Read: c.Read, Traffic: c.Traffic}
	summary.Conclude()
}
