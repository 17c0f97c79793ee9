package selftest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A sweep in shards", func() {
	type sharded struct {
		shards         [2]*result
		merged, intoIt *result           // intoIt was to be merged into the folder of the first shard
		before, after  map[string]string // files of the first shard around that
	}
	population := newPopulation(200, faultyPlants())
	sweep := ahead(&otherJobs, func() (s sharded) {
		t := startTarget(population.handler())
		defer t.Close()
		s.shards[0] = population.sweep(t.URL, "--shard", "1/2").run()
		pod := population.sweep(t.URL, "--shard", "*/2", "--resume=if-begun", "--report-dir", "shard-{shard}")
		pod.env = append(pod.env, "JOB_COMPLETION_INDEX=1") // as a pod of an Indexed Job knows its shard
		s.shards[1] = pod.run()
		s.shards[1].reportDir = "shard-2"
		merge := command{args: []string{"merge", s.shards[1].reports(), s.shards[0].reports()}}
		s.merged = merge.run()
		link := filepath.Join(newFolder(), "link")
		must(os.Symlink(s.shards[0].reports(), link))
		merge.args = append(merge.args, "--report-dir", link)
		s.before = filesIn(s.shards[0].reports())
		s.intoIt = merge.run()
		s.after = filesIn(s.shards[0].reports())
		return s
	})

	It("finds the same as in one piece, once they are merged", func() {
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
	})

	It("is not merged into the folder of a shard, which stays as it is", func() {
		s := sweep()
		Expect(s.intoIt.exitCode).To(Equal(2), "%s", s.intoIt)
		Expect(s.intoIt.stderr).To(ContainSubstring("error: "))
		Expect(s.after).To(Equal(s.before))
	})
})
