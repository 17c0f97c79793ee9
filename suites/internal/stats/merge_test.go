package stats_test

import (
	"errors"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("Merged shards", func() {
	DescribeTable("say what one sweep over all users says", func(users, of int) {
		all := mixedUsers(users, uint64(of))
		one := concludedSummary(countUsers(all...))
		whole := mergeShards(shardSummaries(all, of))
		Expect(countsWithoutTimes(whole.Tally)).To(Equal(countsWithoutTimes(one.Tally)))
		Expect([]any{whole.Verdict, whole.Reason, whole.Proves, whole.Complete}).To(
			Equal([]any{one.Verdict, one.Reason, one.Proves, true}))
		Expect(whole.Read).To(Equal(one.Read))
		Expect(whole.Traffic).To(Equal(one.Traffic))
	},
		Entry("sixteen of many", 5000, 16),
		Entry("two", 300, 2),
		Entry("one of one", 300, 1),
		Entry("more shards than users", 5, 16),
		Entry("of nobody", 0, 4),
	)

	It("say the same after each of them was written and read", func() {
		list := shardSummaries(mixedUsers(2000, 9), 16)
		var back []*stats.Summary
		for _, s := range list {
			back = append(back, readSummary(writeSummary(s)))
		}
		Expect(writeSummary(mergeShards(back))).To(Equal(writeSummary(mergeShards(list))))
	})

	It("say the same in whatever order they are given", func() {
		list := shardSummaries(mixedUsers(1000, 10), 5)
		want := writeSummary(mergeShards(list))
		for _, order := range [][]int{{4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}} {
			var mixed []*stats.Summary
			for _, i := range order {
				mixed = append(mixed, list[i])
			}
			Expect(writeSummary(mergeShards(mixed))).To(Equal(want))
		}
	})

	It("are left as they were", func() {
		list := shardSummaries(mixedUsers(1000, 11), 3)
		var before []string
		for _, s := range list {
			before = append(before, writeSummary(s))
		}
		first := writeSummary(mergeShards(list))
		for i, s := range list {
			Expect(writeSummary(s)).To(Equal(before[i]))
		}
		Expect(writeSummary(mergeShards(list))).To(Equal(first))
	})

	It("keep all users and requests in their times", func() {
		all := mixedUsers(3000, 12)
		one, whole := countUsers(all...), mergeShards(shardSummaries(all, 7)).Tally
		total := func(t *stats.Counts) (users int64, outcomes map[stats.Outcome]int64, latency []int64) {
			outcomes, latency = map[stats.Outcome]int64{}, make([]int64, classes)
			for _, s := range t.Times.Buckets {
				users += s.Users
				for o, n := range s.Outcomes {
					outcomes[o] += n
				}
				for i, n := range s.Latency {
					latency[i] += n
				}
			}
			return users, outcomes, latency
		}
		users, outcomes, latency := total(whole)
		wantUsers, wantOutcomes, wantLatency := total(one)
		Expect(users).To(Equal(wantUsers))
		Expect(outcomes).To(Equal(wantOutcomes))
		Expect(latency).To(Equal(wantLatency))
	})

	It("have the traffic and the time of all, the first beginning, and everybody's notes once", func() {
		list := shardSummaries(mixedUsers(40, 13), 2)
		list[0].Traffic = stats.Traffic{Requests: 100, Throttled: 1, Repeated: 2, Outages: 3}
		list[1].Traffic = stats.Traffic{Requests: 50, Throttled: 10, Repeated: 20, Outages: 30}
		list[0].Seconds, list[1].Seconds = 1.5, 2.25
		list[1].Started = started.Add(-time.Hour)
		list[0].Notes, list[1].Notes = []string{"b", "a"}, []string{"a", "c"}
		whole := mergeShards(list)
		Expect(whole.Traffic).To(Equal(stats.Traffic{Requests: 150, Throttled: 11, Repeated: 22, Outages: 33}))
		Expect(whole.Seconds).To(Equal(3.75))
		Expect(whole.Started).To(Equal(started.Add(-time.Hour)))
		Expect(*whole.Finished).To(Equal(sumShards))
		Expect(whole.Notes).To(Equal([]string{"a", "b", "c"}))
		Expect(whole.Shards).To(Equal([]stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}}))
		Expect(whole.Identity.Shard).To(Equal(stats.Shard{Index: 1, Of: 1}))
		Expect(whole.Findings).To(BeEmpty(), "there is no findings.ndjson of the whole")
		Expect(whole.Settings).To(Equal(list[0].Settings))
		Expect(list[0].Notes).To(Equal([]string{"b", "a"}))
	})

	It("fail where one of them does, whichever it is", func() {
		for bad := range 4 {
			var users []timedResults
			for i := range 4 {
				users = append(users, equalUser())
				if i == bad {
					users[i] = differentUser(differenceFinding(int64(i), "/Flags"))
				}
			}
			whole := mergeShards(shardSummaries(users, 4))
			Expect(whole.Verdict).To(Equal(ledger.Fail))
			Expect(sampleIndexes(whole.Tally.Groups[0])).To(Equal([]int64{int64(bad)}))
		}
	})

	It("pass where all of them do, and where an operation was witnessed in one of them only", func() {
		users := []timedResults{unservedUser(), unservedUser(), equalUser(), unservedUser()}
		list := shardSummaries(users, 4)
		Expect(list[0].Verdict).To(Equal(ledger.Inconclusive))
		Expect(mergeShards(list).Verdict).To(Equal(ledger.Pass))
		Expect(mergeShards(shardSummaries(slices.Repeat([]timedResults{unservedUser()}, 4),
			4)).Verdict).To(Equal(ledger.Inconclusive))
	})

	It("leave open what one of them does", func() {
		whole := mergeShards(shardSummaries([]timedResults{equalUser(), equalUser(), incomparableUser(2,
			"timeout of v6")},
			3))
		Expect(whole.Verdict).To(Equal(ledger.Inconclusive))
		Expect(whole.Tally.Found()).To(Equal(stats.Findings{Open: 1}))
	})

	It("have more findings than a sample shows, drawn from all of them", func() {
		whole := mergeShards(shardSummaries(flaggedUsers(400), 8))
		Expect(whole.Tally.Groups[0].Users).To(BeEquivalentTo(400))
		sample := whole.Tally.Groups[0].Sample
		Expect(sample).To(HaveLen(maxSample))
		of := map[int64]bool{}
		for _, f := range sample {
			of[f.User.Index%8] = true
		}
		Expect(len(of)).To(BeNumerically(">", 2))
	})
})

var _ = Describe("Shards that can't be merged", func() {
	refused := func(list []*stats.Summary, texts ...string) {
		GinkgoHelper()
		whole, err := stats.Merge(folderNames(len(list)), list, sumShards)
		Expect(err).To(HaveOccurred())
		Expect(whole).To(BeNil())
		for _, text := range texts {
			Expect(err.Error()).To(ContainSubstring(text))
		}
	}

	It("are none", func() { refused(nil, "no shard") })

	It("are missing, whichever is", func() {
		for missing := range 4 {
			list := slices.Delete(shardSummaries(mixedUsers(100, 1), 4), missing, missing+1)
			refused(list, "shard "+stats.Shard{Index: missing + 1, Of: 4}.String()+" is missing", "3 of 4 were given")
			_, err := stats.Merge(folderNames(3), list, sumShards)
			Expect(err).To(MatchError(stats.ErrNotEnded))
		}
		refused(shardSummaries(mixedUsers(100, 1), 16)[:1], "shard 2/16 is missing", "1 of 16 were given")
	})

	It("are given twice, the same or two of one number", func() {
		list := shardSummaries(mixedUsers(100, 1), 3)
		refused(append(list, list[1]), "folder-2 and folder-4 are both shard 2/3")
		again := *list[0]
		list[2] = &again
		refused(list, "folder-1 and folder-3 are both shard 1/3")
	})

	It("have too many for what they say, of no bound that could be counted to", func() {
		list := shardSummaries(mixedUsers(10, 1), 2)
		for _, s := range list {
			s.Identity.Shard.Of = 1 << 40
		}
		refused(list, "is missing")
	})

	DescribeTable("are of something else, or not to be used, each of which is named with the folder",
		func(change func(*stats.Summary), texts ...string) {
			for _, which := range []int{1, 2} {
				list := shardSummaries(mixedUsers(60, 1), 3)
				change(list[which])
				refused(list, append(texts, folderNames(3)[which])...)
			}
		},
		Entry("another contract", func(s *stats.Summary) { s.Identity.Contract = "sha256:other" },
			"another contract (sha256:other)"),
		Entry("another version of the suite", func(s *stats.Summary) { s.Identity.Suite = "0.2.0" },
			"another version of the suite (0.2.0)"),
		Entry("other settings", func(s *stats.Summary) { s.Identity.Rules = "sha256:other" }, "other settings"),
		Entry("another target", func(s *stats.Summary) {
			s.Identity.Target = map[schemas.Version]string{schemas.V5: "https://a.example",
				schemas.V6: "https://c.example"}
		}, "another target (v5 at https://a.example, v6 at https://c.example)"),
		Entry("a target of one version", func(s *stats.Summary) {
			s.Identity.Target = map[schemas.Version]string{schemas.V5: "https://a.example"}
		}, "another target"),
		Entry("a target that reads alike", func(s *stats.Summary) {
			s.Identity.Target = map[schemas.Version]string{schemas.V5: "https://a.example v6:https://b.example"}
		}, "another target"),
		Entry("another sample", func(s *stats.Summary) { s.Identity.Sample = 9 }, "is of a sample"),
		Entry("another seed", func(s *stats.Summary) { s.Identity.Seed = 8 }, "another sample (--sample 0 --seed 8)"),
		Entry("another number of shards", func(s *stats.Summary) { s.Identity.Shard.Of = 4 },
			"another number of shards (4)"),
		Entry("no shard", func(s *stats.Summary) { s.Identity.Shard = stats.Shard{} },
			"is of no shard of a sweep (it says 0/0)"),
		Entry("a shard below the first", func(s *stats.Summary) { s.Identity.Shard.Index = 0 }, "it says 0/3"),
		Entry("a shard behind the last", func(s *stats.Summary) { s.Identity.Shard.Index = 4 }, "it says 4/3"),
		Entry("a negative shard", func(s *stats.Summary) { s.Identity.Shard = stats.Shard{Index: -1, Of: -3} },
			"it says -1/-3"),
		Entry("another population by number", func(s *stats.Summary) { s.Read.Users++ },
			"another population (61 users"),
		Entry("another population by its users", func(s *stats.Summary) { s.Read.Digest = "sha256:other" },
			"another population (60 users, sha256:other)", "one users file"),
		Entry("one that has not ended", setUnfinished, "is not finished", "--resume"),
		Entry("one that was not carried out", setFailed, "was not carried out (the target was given up)"),
		Entry("one that is merged already", func(s *stats.Summary) {
			s.Shards = []stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}}
		}, "is merged already"),
	)

	It("are the same faults in the first of them", func() {
		for _, change := range []func(*stats.Summary){setUnfinished, setFailed,
			func(s *stats.Summary) { s.Identity.Shard.Index = 0 }} {
			list := shardSummaries(mixedUsers(60, 1), 3)
			change(list[0])
			refused(list, "folder-1")
		}
	})

	DescribeTable("may be merged later, unless no time helps", func(change func(*stats.Summary), later bool) {
		list := shardSummaries(mixedUsers(60, 1), 3)
		change(list[1])
		_, err := stats.Merge(folderNames(3), list, sumShards)
		Expect(errors.Is(err, stats.ErrNotEnded)).To(Equal(later), "%v", err)
	},
		Entry("one that has not ended", setUnfinished, true),
		Entry("one that was not carried out, and is started again", setFailed, true),
		Entry("one of another contract", func(s *stats.Summary) { s.Identity.Contract = "sha256:other" }, false),
		Entry("one of another population", func(s *stats.Summary) { s.Read.Users++ }, false),
		Entry("one that is there twice", func(s *stats.Summary) { s.Identity.Shard.Index = 1 }, false),
	)

	It("are a merged summary, which says so", func() {
		whole := mergeShards(shardSummaries(mixedUsers(60, 1), 3))
		refused([]*stats.Summary{whole}, "folder-1: is merged already")
		refused(append(shardSummaries(mixedUsers(60, 1), 3), whole), "folder-4: is merged already")
	})

	It("looked at fewer or more users than the population has: one of them lost some, or has those of another", func() {
		for _, users := range []int64{59, 61, 0} {
			list := shardSummaries(mixedUsers(60, 1), 3)
			for _, s := range list {
				s.Read.Users = users
			}
			refused(list, "60 users")
		}
	})
})
