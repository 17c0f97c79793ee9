package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

// refusedCheckpoint is a change of a checkpoint, which gets the digest that belongs to it, or keeps its own.
type refusedCheckpoint struct {
	Name, From, To, Says string
	KeepsDigest          bool `yaml:"keepsDigest"`
}

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
		open := testkit.Must(os.Open(filepath.Join(folder, stats.CheckpointFile)))
		DeferCleanup(open.Close)
		left := "." + stats.CheckpointFile + "7"
		testkit.Write(folder, left, []byte(`{"format":"1.0","sweep":"3f0c`))
		Expect(record.WriteCheckpoint(folder, nil, checkpointText(4))).To(Succeed())
		Expect(readCheckpoint(folder).Tally.Users).To(BeEquivalentTo(4))
		Expect(fileNames(folder)).To(ConsistOf(stats.CheckpointFile, left), "it leaves nothing of its own")
		old := make([]byte, 1<<16)
		Expect(old[:testkit.Must(open.Read(old))]).To(Equal(checkpointText(1)), "who had opened it has all of it")
		Expect(testkit.Must(os.Stat(filepath.Join(folder, stats.CheckpointFile))).Mode().Perm()).To(
			Equal(os.FileMode(0o600)), "it holds users")
	})

	DescribeTable("loses temporary files of a killed process, and no others, when the sweep is resumed in a folder",
		func(named string) {
			folder := filepath.Join(GinkgoT().TempDir(), named)
			Expect(os.Mkdir(folder, 0o755)).To(Succeed())
			f := testkit.Must(record.Open(folder, nil, sweepHeader(), nil))
			at := storedPosition(f)
			f.Close()
			for _, name := range []string{"." + stats.CheckpointFile + "4711", "." + stats.SummaryFile,
				stats.CheckpointFile, stats.CheckpointFile + ".mine", "sweep.txt"} {
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
		Expect(os.MkdirAll(filepath.Join(folder, stats.CheckpointFile, "x"), 0o755)).To(Succeed())
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
		Expect(os.Symlink("nowhere", filepath.Join(folder, stats.CheckpointFile))).To(Succeed())
		Expect(record.Begun(folder)).To(BeTrue())
	})

	const refused = "testdata/refused.yaml"
	for _, one := range testkit.Cases[refusedCheckpoint](refused) {
		It("is refused with a reason "+one.Name, func() {
			folder := GinkgoT().TempDir()
			text, digest, _ := strings.Cut(string(checkpointText(4)), "\n")
			Expect(text).To(ContainSubstring(one.From))
			if text = strings.Replace(text, one.From, one.To, 1); one.From == "" {
				text = one.To
			}
			if !one.KeepsDigest {
				digest = strconv.Quote(exchange.DigestOf([]byte(text)))
			}
			if one.To != "" {
				testkit.Write(folder, stats.CheckpointFile, []byte(text+"\n"+digest))
			}
			_, err := record.ReadCheckpoint(folder, sweepIdentity())
			Expect(err).To(HaveOccurred())
			said := strings.ReplaceAll(err.Error(), folder, "reports")
			testkit.Says(refused, one.Name, one.Says, errors.New(said))
		})
	}

	It("is refused if it breaks off, wherever", func() {
		folder, text := GinkgoT().TempDir(), checkpointText(2)
		for end := 0; end < len(text); end += 97 {
			testkit.Write(folder, stats.CheckpointFile, text[:end])
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
		testkit.Write(folder, stats.CheckpointFile, []byte("{"))
		Expect(record.Peek(folder)).To(Equal(record.Earlier{Begun: true}))
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
			Expect(record.Peek(folder)).To(Equal(record.Earlier{Begun: true, Users: 6, Finished: finished}))
		},
		Entry("it has that", func(*stats.Summary) {}, true),
		Entry("it has an incomplete one", func(s *stats.Summary) { s.Complete = false }, false),
		Entry("it has that of another sweep", func(s *stats.Summary) { s.Sweep = "another" }, false),
	)
})
