package stats_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Merged shards", func() {
	DescribeTable("Say what one sweep over all users says", func(users, of int) {
		all := mixedUsers(users, uint64(of))
		one, whole := concludedSummary(countUsers(all...)), mergeShards(shardSummaries(all, of))
		Expect(countsWithoutTimes(whole.Tally)).To(Equal(countsWithoutTimes(one.Tally)))
		Expect([]any{whole.Verdict, whole.Reason, whole.Proves, whole.Complete, whole.Read, whole.Traffic}).To(
			Equal([]any{one.Verdict, one.Reason, one.Proves, true, one.Read, one.Traffic}))
	},
		Entry("Sixteen of many", 1500, 16),
		Entry("One of one", 300, 1),
		Entry("More shards than users", 5, 16),
		Entry("Of nobody", 0, 4),
	)

	It("Say the same in any order, and after they were written and read; each stays as it was", func() {
		list := shardSummaries(mixedUsers(300, 9), 3)
		var before, after []string
		var back []*stats.Summary
		for _, s := range list {
			before = append(before, writeSummary(s))
			back = append(back, readSummary(writeSummary(s)))
		}
		want := writeSummary(mergeShards(list))
		for _, order := range [][]int{{2, 1, 0}, {1, 2, 0}, {0, 1, 2}} {
			var mixed []*stats.Summary
			for _, i := range order {
				mixed = append(mixed, back[i])
			}
			Expect(writeSummary(mergeShards(mixed))).To(Equal(want))
		}
		for _, s := range list {
			after = append(after, writeSummary(s))
		}
		Expect(after).To(Equal(before))
	})

	It("Have the settings that all have, and name files that are written: those of one shard are in its folder",
		func() {
			list := shardSummaries(mixedUsers(40, 13), 2)
			rate := report.Setting{Name: "rate", Value: "5", Source: "default"}
			for i, s := range list {
				s.Settings = []report.Setting{{Name: "reportDir", Value: strconv.Itoa(i), Source: "flag --report-dir"},
					rate}
			}
			whole := mergeShards(list)
			Expect(whole.Settings).To(Equal([]report.Setting{rate}))
			var names []string
			for _, f := range whole.Document().Files {
				names = append(names, f.Name)
			}
			Expect(names).To(Equal([]string{stats.PageFile, stats.SummaryFile, stats.DifferencesFile}))
		})

	It("Have the traffic and the time of all, the first beginning, and everybody's notes once", func() {
		list := shardSummaries(mixedUsers(40, 13), 2)
		list[0].Traffic = stats.Traffic{AskedAgain: 4,
			Counts: exchange.Counts{Requests: 100, Throttled: 1, Repeated: 2, Controls: 3, Interruptions: 5}}
		list[1].Traffic = stats.Traffic{AskedAgain: 40,
			Counts: exchange.Counts{Requests: 50, Throttled: 10, Repeated: 20, Controls: 30, Interruptions: 50}}
		list[0].Seconds, list[1].Seconds, list[0].Total, list[1].Total = 1.5, 2.25, 20, 20
		list[1].Started = started.Add(-1)
		list[0].Notes, list[1].Notes = []string{"b", "a"}, []string{"a", "c"}
		whole, finished := *mergeShards(list), mergedAt
		want := *list[0]
		want.Traffic = stats.Traffic{AskedAgain: 44,
			Counts: exchange.Counts{Requests: 150, Throttled: 11, Repeated: 22, Controls: 33, Interruptions: 55}}
		want.Seconds, want.Total, want.Started, want.Finished = 3.75, 40, started.Add(-1), &finished
		want.Notes, want.Shards = []string{"a", "b", "c"}, []stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}}
		want.Command = stats.MergeCommand
		want.Identity.Shard, want.Findings = stats.Shard{Index: 1, Of: 1}, "" // it has no findings.ndjson
		want.Tally, want.Verdict, want.Reason, want.Proves = whole.Tally, whole.Verdict, whole.Reason, whole.Proves
		Expect(whole).To(Equal(want))
		Expect(list[0].Notes).To(Equal([]string{"b", "a"}))
		list[0].Started = started.Add(-2)
		Expect(mergeShards(list).Started).To(Equal(started.Add(-2)))
	})

	It("Say so if one had ended over a day before another began", func() {
		list := shardSummaries(mixedUsers(40, 13), 3)
		Expect(mergeShards(list).Notes).To(BeEmpty())
		list[1].Finished = new(list[0].Started.Add(-25 * time.Hour))
		list[1].Started = list[1].Finished.Add(-time.Hour)
		Expect(mergeShards(list).Notes).To(ConsistOf(ContainSubstring("shard 2/3 had ended at ")))
	})

	It("Pass if an operation was witnessed in one of them only, and are inconclusive if in none", func() {
		list := shardSummaries(usersOf("unserved, unserved, equal, unserved"), 4)
		Expect(string(list[0].Verdict)).To(Equal("inconclusive"))
		Expect(string(mergeShards(list).Verdict)).To(Equal("pass"))
	})

	It("Are concluded again, whatever they say of themselves", func() {
		list := shardSummaries(usersOf("difference, equal"), 2)
		list[0] = readSummary(changedSummary(writeSummary(list[0]), "verdict", "pass", "reason", "all alike",
			"proves", "all"))
		Expect(string(mergeShards(list).Verdict)).To(Equal("fail"))
	})
})

// mergeCase is of the shards of three that are given, by their numbers, and of which of these is changed.
type mergeCase struct {
	Name          string
	Give, Changed []int
	Change        []any
	Later         bool // more shards, or another sweep of one, can make them whole
	Says          string
}

var _ = Describe("Shards that can't be merged", func() {
	path := filepath.Join("testdata", "unmergeable.yaml")
	var entries []TableEntry
	for _, c := range testkit.Cases[mergeCase](path) {
		entries = append(entries, Entry(c.Name, c))
	}
	DescribeTable("Are refused with the folder, and with what to do", func(c mergeCase) {
		shards, list := shardSummaries(mixedUsers(60, 1), 3), []*stats.Summary{}
		if c.Give == nil {
			c.Give = []int{1, 2, 3}
		}
		for i, number := range c.Give {
			s := shards[number-1]
			if slices.Contains(c.Changed, i+1) || c.Changed == nil && i == 1 {
				text := changedSummary(writeSummary(s), c.Change...)
				s = &stats.Summary{}
				Expect(json.Unmarshal([]byte(text), s)).To(Succeed())
			}
			list = append(list, s)
		}
		whole, err := stats.Merge(folderNames(len(list)), list, time.Now())
		testkit.Says(path, c.Name, c.Says, err)
		Expect(whole).To(BeNil())
		Expect(errors.Is(err, stats.ErrNotEnded)).To(Equal(c.Later))
	}, entries)
})
