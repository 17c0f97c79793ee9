package selftest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A sweep in shards", func() {
	type sharded struct {
		shards [2]*result
		// The merges: before the second shard exists, waiting for it, and with the folders of both named.
		early, merged, listed *result
		intoShard             [2]*result        // merges into the folder of the first shard
		before, after         map[string]string // files of the first shard, before and after these merges
	}
	population := newPopulation(200, injectedFaults())
	sweep := startEarly(&otherJobs, func() (s sharded) {
		t := startTarget(population.handler())
		defer t.Close()
		folder := filepath.Join(newFolder(), "shards")
		mustSucceed(os.Mkdir(folder, 0o700))
		mustSucceed(os.Mkdir(filepath.Join(folder, "lost+found"), 0))
		writeFile(folder, "notes.txt", "of somebody else")
		shard := func(number, name string) *result {
			c := population.sweep(t.URL, "--shard", number, "--resume=if-begun", "--report-dir",
				filepath.Join(folder, "shard-{shard}"))
			c.noSlot = true
			c.env = append(c.env, "JOB_COMPLETION_INDEX=1") // a pod of an Indexed Job gets its shard by this variable
			r := c.run()
			r.folder, r.reportDir = folder, name
			return r
		}
		merge := func(onStart func(process), args ...string) *result {
			r := command{args: append([]string{"merge"}, args...), onStart: onStart}.run()
			r.folder, r.reportDir = folder, "whole"
			return r
		}
		whole := filepath.Join(folder, "whole")
		s.shards[0] = shard("1/2", "shard-1")
		s.early = withReports(merge(nil, folder, "--report-dir", whole))
		second := make(chan *result, 1)
		s.merged = merge(func(process) { go func() { second <- shard("*/2", "shard-2") }() }, "--wait", folder,
			"--report-dir", whole)
		s.shards[1] = <-second
		s.listed = merge(nil, s.shards[1].reports(), s.shards[0].reports(), "--report-dir",
			filepath.Join(folder, "listed"))
		s.listed.reportDir = "listed"

		link := filepath.Join(newFolder(), "link")
		mustSucceed(os.Symlink(s.shards[0].reports(), link))
		s.before = filesIn(s.shards[0].reports())
		s.intoShard[0] = merge(nil, s.shards[1].reports(), s.shards[0].reports(), "--report-dir", link)
		s.intoShard[1] = merge(nil, folder, "--report-dir", link)
		s.after = filesIn(s.shards[0].reports())
		return s
	})

	It("has the same findings after a merge as a single sweep", func() {
		s := sweep()
		first, findings := checkSweep(s.shards[0])
		second, others := checkSweep(s.shards[1])
		Expect(first.Population).To(Equal(second.Population))
		Expect(first.Tally.Users).To(And(BeNumerically(">", 0), BeNumerically("<", len(population.people))))
		Expect(s.merged.exitCode).To(Equal(1), "%s", s.merged)
		merged, err := readSweep(s.merged.reports())
		Expect(err).NotTo(HaveOccurred())
		Expect(merged.Shards).To(HaveLen(2))
		findings.findings = append(findings.findings, others.findings...)
		slices.SortStableFunc(findings.findings, byUser)
		population.expectFound(merged, findings)
		whole := filesIn(s.shards[0].reports())[listFile]
		_, rest, _ := strings.Cut(filesIn(s.shards[1].reports())[listFile], "\n")
		Expect(filesIn(s.merged.reports())[listFile]).To(Equal(whole + rest))
		Expect(s.listed.exitCode).To(Equal(1), "%s", s.listed)
		Expect(filesIn(s.listed.reports())[listFile]).To(Equal(whole + rest))
		Expect(sweepCounts(s.listed)).To(Equal(sweepCounts(s.merged)))
	})

	It("is not merged before all shards exist, unless the merge waits for them", func() {
		checkFailedSweep(sweep().early, "shard 2/2 is missing")
	})

	It("is not merged into the folder of a shard, which stays unchanged", func() {
		s := sweep()
		for _, r := range s.intoShard {
			Expect(r.exitCode).To(Equal(2), "%s", r)
			Expect(r.stderr).To(MatchRegexp("error: .*is the report folder of the merged sweep too"))
		}
		Expect(s.after).To(Equal(s.before))
	})
})

var _ = It("The binary contains the time zones, which --window needs in an image without any", func() {
	path, err := shippedBinary()
	Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	Expect(bytes.Contains(content, []byte("Antarctica/DumontDUrville"))).To(BeTrue())
})
