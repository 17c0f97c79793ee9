package selftest_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sharded is a sweep of a town in one piece, and in shards.
type sharded struct {
	town   town
	whole  *outcome
	shards []*outcome
	pod    *outcome            // the third shard, as a pod of an Indexed Job knows it
	others map[string]*outcome // shards that do not fit, by what is wrong with them
}

const shards = 16

// sweepInShards sweeps a town as a whole and as shards side by side.
func sweepInShards(r *rig) *sharded {
	s := &sharded{town: townOf(1600, plants()), shards: make([]*outcome, shards), others: map[string]*outcome{}}
	server := httptest.NewServer(s.town.target())
	defer server.Close()
	second := httptest.NewServer(s.town.target())
	defer second.Close()
	folder := r.work()
	users := write(folder, "users.csv", []byte(s.town.csv()))
	lines := write(folder, "users.ndjson", []byte(s.town.ndjson()))
	fewer := write(folder, "fewer.csv", []byte(s.town.people[:1599].csv()))

	var all sync.WaitGroup
	all.Go(func() { s.whole = r.call(r.sweepOf(server.URL, users)) })
	for i := range s.shards {
		form := []string{users, lines}[i%2] // the form of the file is no matter
		all.Go(func() {
			s.shards[i] = r.call(r.sweepOf(server.URL, form, "--shard", fmt.Sprintf("%d/%d", i+1, shards), "--concurrency", fmt.Sprint(1+i%4)))
		})
	}
	all.Go(func() {
		pod := r.sweepOf(server.URL, users, "--shard", "*/16", "--resume=if-begun")
		pod.env = append(pod.env, "JOB_COMPLETION_INDEX=2")
		s.pod = r.call(pod)
	})
	var mu sync.Mutex
	for name, c := range map[string]command{
		"of another population":         r.sweepOf(server.URL, fewer, "--shard", "3/16"),
		"of another target":             r.sweepOf(second.URL, users, "--shard", "3/16"),
		"other settings":                r.sweepOf(server.URL, users, "--shard", "3/16", "--parity", "shape"),
		"another number of shards":      r.sweepOf(server.URL, users, "--shard", "3/15"),
		"another sample":                r.sweepOf(server.URL, users, "--shard", "3/16", "--seed", "4"),
		"has not ended":                 r.sweepOf(server.URL, users, "--shard", "3/16", "--budget", "100", "--concurrency", "1"),
		"its sweep was not carried out": r.sweepOf(server.URL, users+"-missing", "--shard", "3/16"),
		"number of shards (1)":          r.sweepOf(server.URL, users),
	} {
		all.Go(func() {
			o := r.call(c)
			mu.Lock()
			defer mu.Unlock()
			s.others[name] = o
		})
	}
	all.Wait()
	return s
}

// folders are the report folders of all shards, in an order that is not theirs.
func (s *sharded) folders() []string {
	var list []string
	for i := range s.shards {
		list = append(list, s.shards[(i*5+3)%len(s.shards)].reports())
	}
	return list
}

func merge(folders ...string) command { return command{args: append([]string{"merge"}, folders...)} }

func sweepShardSpecs(r *rig) {
	sweeps := runAhead(r, func() *sharded { return sweepInShards(r) })

	Describe("in sixteen shards", func() {
		It("is as good as in one piece, once they are merged", func() {
			s := sweeps.result(0)
			report, findings := swept(s.whole)
			s.town.matches(report, findings)
			var lines []string
			seen := map[int64]bool{}
			for _, o := range s.shards {
				part, found := swept(o)
				Expect(part.Complete).To(BeTrue())
				Expect(part.Population).To(Equal(report.Population))
				lines = append(lines, found.lines...)
				seen[part.Tally.Users] = true
			}
			Expect(lines).To(ConsistOf(findings.lines))
			swept(s.pod)
			Expect(counts(s.pod)).To(Equal(counts(s.shards[2])))
			Expect(len(seen)).To(BeNumerically(">", 1), "a hash does not make shards of one size")

			o := r.call(merge(s.folders()...))
			Expect(o.code).To(Equal(1), o.said())
			Expect(counts(o)).To(Equal(counts(s.whole)))
			merged, err := readSweep(o.reports())
			Expect(err).NotTo(HaveOccurred())
			Expect(merged.Shards).To(HaveLen(shards))
			Expect(merged.Error).To(BeNil())
		})

		It("is refused where one is missing", func() {
			s := sweeps.result(0)
			for _, left := range []int{0, 7, 15} {
				folders := s.folders()
				missing := slicesWithout(folders, s.shards[left].reports())
				failedSweep(r.call(merge(missing...)), fmt.Sprintf("shard %d/16 is missing", left+1), "15 of 16")
			}
			failedSweep(r.call(merge(s.shards[4].reports())), "shard 1/16 is missing", "1 of 16")
		})

		It("is refused where one is given twice", func() {
			s := sweeps.result(0)
			twice := s.shards[2].reports()
			for _, second := range []string{twice, twice + "/", filepath.Join(twice, "..", defaultReports)} {
				failedSweep(r.call(merge(append(s.folders(), second)...)), second, twice, "shard 3/16")
			}
			replaced := append(slicesWithout(s.folders(), s.shards[9].reports()), twice)
			failedSweep(r.call(merge(replaced...)), twice, "3/16")
		})

		It("is refused where one does not fit", func() {
			s := sweeps.result(0)
			right := s.shards[2].reports()
			for why, o := range s.others {
				folders := append(slicesWithout(s.folders(), right), o.reports())
				failedSweep(r.call(merge(folders...)), o.reports(), why)
			}
		})

		It("is refused where a summary is missing, broken, or none of a sweep", func() {
			s := sweeps.result(0)
			right := s.shards[2].reports()
			content := filesOf(right)[sweepJSON]
			for name, broken := range map[string]string{
				"cut":              content[:len(content)/2],
				"empty":            "",
				"null":             "null",
				"an object":        "{}",
				"a list":           "[]",
				"a run's report":   passedReport,
				"no tally":         strings.Replace(content, `"tally": {`, `"tallies": {`, 1),
				"null groups":      withGroups(content, "null"),
				"a null group":     withGroups(content, "[null]"),
				"a newer format":   strings.Replace(content, `"format": "1.0"`, `"format": "2.0"`, 1),
				"more users":       strings.Replace(content, `"users": `, `"users": 1`, 2),
				"negative numbers": strings.ReplaceAll(content, `"count": `, `"count": -`),
				"something behind": content + content,
			} {
				folder := r.work()
				write(folder, sweepJSON, []byte(broken))
				o := r.call(merge(append(slicesWithout(s.folders(), right), folder)...))
				By(name)
				failedSweep(o, folder)
			}
			failedSweep(r.call(merge(append(slicesWithout(s.folders(), right), r.work())...)), sweepJSON)
			failedSweep(r.call(merge(append(slicesWithout(s.folders(), right), right+"-missing")...)), right+"-missing")
		})

		It("is never merged into the folder of a shard, which stays as it is", func() {
			s := sweeps.result(0)
			own := s.shards[5]
			before := filesOf(own.reports())
			link := filepath.Join(r.work(), "link")
			Expect(os.Symlink(own.reports(), link)).To(Succeed())
			for _, c := range []command{
				{args: append(merge(s.folders()...).args, "--report-dir", own.reports())},
				{args: append(merge(s.folders()...).args, "--report-dir="+own.reports()+"/.")},
				{args: append([]string{"merge", "--report-dir", own.reports()}, s.folders()...)},
				{args: append(merge(s.folders()...).args, "--report-dir", link)},
				{args: merge(s.folders()...).args, env: []string{"AUTHN_REPORT_DIR=" + own.reports()}},
				{args: merge(s.folders()...).args, folder: own.folder}, // where none is named
				{args: append(merge(s.folders()...).args, "--report-dir", own.reports(), "--unknown")},
			} {
				o := r.call(c)
				Expect(o.code).To(Equal(2), o.said())
				Expect(o.stderr).To(ContainSubstring("error: "))
				Expect(filesOf(own.reports())).To(Equal(before), "%q", c.args)
			}
		})

		It("is merged in the place of what an earlier merge left", func() {
			s := sweeps.result(0)
			folder := r.work()
			c := merge(s.folders()[1:]...)
			c.folder = folder
			Expect(os.Mkdir(filepath.Join(folder, defaultReports), 0o755)).To(Succeed())
			write(filepath.Join(folder, defaultReports), sweepJSON, []byte(passedReport))
			failedSweep(r.call(c), "is missing")
			c = merge(s.folders()...)
			c.folder = folder
			Expect(r.call(c).code).To(Equal(1))
			failedSweep(r.call(merge(filepath.Join(folder, defaultReports))), "is merged already")
			Expect(r.call(command{args: []string{"merge"}}).code).To(Equal(2))
		})
	})
}

func slicesWithout(list []string, one string) []string {
	var rest []string
	for _, each := range list {
		if each != one {
			rest = append(rest, each)
		}
	}
	return rest
}

// withGroups puts other groups of findings into a summary.
func withGroups(content, groups string) string {
	before, rest, _ := strings.Cut(content, `"groups": [`)
	_, after, _ := strings.Cut(rest, "\n    ],")
	return before + `"groups": ` + groups + "," + after
}
