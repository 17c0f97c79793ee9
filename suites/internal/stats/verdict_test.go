package stats_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

func unfinished(s *stats.Summary) { s.Complete = false }

func failed(s *stats.Summary) {
	reason := "the target was given up"
	s.Error, s.Complete = &reason, false
}

// unserved is a user whom one operation serves nothing.
func unserved() timedResults { return showing(stats.Result{Outcome: stats.NothingAlike}) }

var _ = Describe("The verdict of a sweep", func() {
	broken := func(i int64) timedResults {
		return showing(stats.Result{Outcome: stats.BothViolate, Witnessed: true,
			Findings: []stats.Finding{violation(i, "/Id")}})
	}
	DescribeTable("follows from what was counted, with its reason",
		func(verdict ledger.Verdict, reason string, users []timedResults, changes ...func(*stats.Summary)) {
			s := summary(counted(users...), changes...)
			Expect(s.Verdict).To(Equal(verdict))
			Expect(s.Reason).To(ContainSubstring(reason))
		},
		Entry("all alike", ledger.Pass, "all alike, and within the contract", []timedResults{equal(), equal()}),
		Entry("one served, the others without anything", ledger.Pass, "all alike",
			[]timedResults{unserved(), equal(), unserved()}),
		Entry("alike under a rule, and drift", ledger.Pass, "all alike",
			[]timedResults{showing(stats.Result{Outcome: stats.EqualUnderRule, Witnessed: true}),
				showing(stats.Result{Outcome: stats.Drift})}),
		Entry("a difference", ledger.Fail, "1 of 2 users (50.0 %) differs between v5 and v6: 1 difference",
			[]timedResults{equal(), different(difference(1, "/Flags"))}),
		Entry("a broken contract", ledger.Fail, "the contract is broken for 1 of 1 user (100 %): 1 finding",
			[]timedResults{broken(0)}),
		Entry("both", ledger.Fail, "1 of 2 users (50.0 %) differs between v5 and v6: 1 difference; the contract is broken for 2 of 2 users (100 %): 2 findings",
			[]timedResults{broken(0), different(difference(1, "/Flags"), violation(1, "/Id"))}),
		Entry("a difference in the second operation only", ledger.Fail, "differ",
			[]timedResults{{looks: []stats.Result{{Outcome: stats.Equal, Witnessed: true}, {Outcome: stats.Different,
				Witnessed: true, Findings: []stats.Finding{difference(0, "/0", of(schemas.FindByUserIDs))}}}}}),
		Entry("a difference that is waived", ledger.Pass, "all alike",
			[]timedResults{different(difference(0, "/Flags", waived))}),
		Entry("a broken contract that is waived", ledger.Pass, "all alike",
			[]timedResults{equal(), different(violation(1, "/Id", waived))}),
		Entry("somebody who can't be compared", ledger.Inconclusive, "1 lookup could not be compared",
			[]timedResults{equal(), incomparable(1, "timeout of v6")}),
		Entry("nobody at all", ledger.Inconclusive, "there was no user to check", nil),
		Entry("nobody served by getUserAuth", ledger.Inconclusive, "nobody was served anything by getUserAuth",
			[]timedResults{unserved(), unserved()}),
		Entry("nobody served by findByUserIds", ledger.Inconclusive, "nobody was served anything by findByUserIds",
			[]timedResults{{looks: []stats.Result{{Outcome: stats.Equal, Witnessed: true},
				{Outcome: stats.NothingAlike}}}}),
		Entry("a stop", ledger.Fault, "stopped after 1 user, 0 differences so far; continue with --resume",
			[]timedResults{equal()}, unfinished),
		Entry("a stop of a population whose size is known", ledger.Fault,
			"stopped after 1 of 20,000 users, 0 differences so far; continue with --resume",
			[]timedResults{equal()}, unfinished, func(s *stats.Summary) { s.Total = 20_000 }),
		Entry("an error", ledger.Fault, "the target was given up", []timedResults{equal()}, failed),

		Entry("an error before a difference", ledger.Fault, "given up",
			[]timedResults{different(difference(0, "/Flags"))}, failed),
		Entry("an error before what can't be compared", ledger.Fault, "given up", []timedResults{incomparable(0, "x")},
			failed),
		Entry("a stop before a difference", ledger.Fault,
			"stopped after 1 user, 1 difference so far; continue with --resume",
			[]timedResults{different(difference(0, "/Flags"))}, unfinished),
		Entry("a stop before both", ledger.Fault,
			"stopped after 3 users, 1 difference and 2 breaches of the contract so far; continue with --resume",
			[]timedResults{different(difference(0, "/Flags")), broken(1), broken(2)}, unfinished),
		Entry("a broken contract before what can't be compared", ledger.Fail, "broken",
			[]timedResults{broken(0), incomparable(1, "x")}),
		Entry("a difference before nobody served", ledger.Fail, "differ", []timedResults{showing(
			stats.Result{Outcome: stats.Different, Findings: []stats.Finding{difference(0, "")}})}),
		Entry("a stop before what can't be compared", ledger.Fault, "--resume", []timedResults{incomparable(0, "x")},
			unfinished),
		Entry("a stop before anybody", ledger.Fault, "stopped before any user was checked; start it again", nil,
			unfinished),
		Entry("what is waived, where nobody can be compared otherwise", ledger.Inconclusive, "could not be compared",
			[]timedResults{different(difference(0, "/Flags", waived)), incomparable(1, "x")}),
	)

	It("is concluded again from the counts, whatever stood there before", func() {
		s := summary(counted(different(difference(0, "/Flags"))),
			func(s *stats.Summary) { s.Verdict, s.Reason, s.Proves = ledger.Pass, "nice", "all" })
		Expect(s.Verdict).To(Equal(ledger.Fail))
		Expect(s.Reason).NotTo(Equal("nice"))
		Expect(s.Proves).NotTo(Equal("all"))
		once := written(s)
		s.Conclude()
		Expect(written(s)).To(Equal(once))
	})

	It("is an error of what has not ended, or never began", func() {
		s := stats.Empty(summary(stats.New(1)).Suite, started, "unfinished: run again")
		Expect(s.Verdict).To(Equal(ledger.Fault))
		Expect(s.Reason).To(Equal("unfinished: run again"))
		Expect(*s.Error).To(Equal(s.Reason))
		Expect(s.Complete).To(BeFalse())
		Expect(s.Finished).To(BeNil())
		Expect(s.Proves).To(HavePrefix("nothing"))
	})
})

var _ = Describe("What a sweep proves", func() {
	sample := func(size int, population int64) func(*stats.Summary) {
		return func(s *stats.Summary) { s.Identity.Sample, s.Read.Users = size, population }
	}
	shard := func(s *stats.Summary) { s.Identity.Shard, s.Read.Users = stats.Shard{Index: 3, Of: 16}, 50 }
	many := func(n int) []timedResults {
		var users []timedResults
		for range n {
			users = append(users, equal())
		}
		return users
	}
	DescribeTable("is said in words", func(want string, users []timedResults, changes ...func(*stats.Summary)) {
		proves := summary(counted(users...), changes...).Proves
		Expect(proves).To(ContainSubstring(want))
		if !strings.HasPrefix(want, "nothing") {
			Expect(proves).NotTo(ContainSubstring("nothing"))
		}
	},
		Entry("of the whole", "it covers every one of the 3 users of the population", many(3)),
		Entry("of a whole in which something was found", "it covers every one of the 2 users of the population",
			[]timedResults{equal(), different(difference(1, "/Flags"))}),
		Entry("of nobody", "nothing, as no user was checked", nil),
		Entry("of an error at the beginning", "nothing, as no user was checked", nil, failed),
		Entry("of a sweep with an end before the end", "it covers only the 2 users checked so far",
			many(2), unfinished),
		Entry("of an error on the way", "it covers only the 2 users checked so far", many(2), failed),
		Entry("of a shard", "it covers every one of the 2 users of shard 3/16; for the others merge it with all other shards: conformance merge", many(2), shard),
		Entry("of merged shards", "it covers every one of the 2 users of the population", many(2),
			func(s *stats.Summary) { s.Shards = []stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}} }),
		Entry("of a sample without findings",
			"nothing was found in 300 users drawn at random from 100,000: with 95% confidence fewer than 1% of them show anything (3/n)",
			many(300), sample(300, 100_000)),
		Entry("of one so small that it says little",
			"nothing was found in 4 users drawn at random from 100,000: with 95% confidence fewer than 75% of them show anything (3/n)",
			many(4), sample(4, 100_000)),
		Entry("of a sample of everybody", "it covers every one of the 5 users of the population", many(5),
			sample(5, 5)),
		Entry("of a sample of everybody in which something was found",
			"it covers every one of the 2 users of the population",
			[]timedResults{equal(), different(difference(1, "/Flags"))}, sample(2, 2)),
		Entry("of a sample with a difference",
			"it covers 2 users drawn at random from 90; some of the others may show the same",
			[]timedResults{equal(), different(difference(1, "/Flags"))}, sample(2, 90)),
		Entry("of a sample with a difference that is waived",
			"it covers 2 users drawn at random from 90; some of the others may show the same",
			[]timedResults{equal(), different(difference(1, "/Flags", waived))}, sample(2, 90)),
		Entry("of a sample of which a part can't be compared: it is as much smaller",
			"nothing was found in 300 users drawn at random from 100,000: with 95% confidence fewer than 1% of them show anything (3/n)",
			append(many(300), incomparable(300, "x")), sample(301, 100_000)),
		Entry("of a sample of which nobody can be compared", "nothing: hardly any user of the sample could be compared",
			[]timedResults{incomparable(0, "x"), incomparable(1, "x")}, sample(2, 90)),
	)
})
