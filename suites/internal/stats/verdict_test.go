package stats_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

func setUnfinished(s *stats.Summary) { s.Complete = false }

func setFailed(s *stats.Summary) {
	reason := "the target was given up"
	s.Error, s.Complete = &reason, false
}

// unservedUser is a user whom one operation serves nothing.
func unservedUser() timedResults { return userShowing(stats.Result{Outcome: stats.NothingAlike}) }

var _ = Describe("The verdict of a sweep", func() {
	broken := func(i int64) timedResults {
		return userShowing(stats.Result{Outcome: stats.BothViolate, Witnessed: true,
			Findings: []stats.Finding{violationFinding(i, "/Id")}})
	}
	DescribeTable("follows from what was counted, with its reason",
		func(verdict ledger.Verdict, reason string, users []timedResults, changes ...func(*stats.Summary)) {
			s := concludedSummary(countUsers(users...), changes...)
			Expect(s.Verdict).To(Equal(verdict))
			Expect(s.Reason).To(ContainSubstring(reason))
		},
		Entry("all alike", ledger.Pass, "all alike, and within the contract", []timedResults{equalUser(), equalUser()}),
		Entry("one served, the others without anything", ledger.Pass, "all alike",
			[]timedResults{unservedUser(), equalUser(), unservedUser()}),
		Entry("alike under a rule, and drift", ledger.Pass, "all alike",
			[]timedResults{userShowing(stats.Result{Outcome: stats.EqualUnderRule, Witnessed: true}),
				userShowing(stats.Result{Outcome: stats.Drift})}),
		Entry("a difference", ledger.Fail, "1 of 2 users (50.0 %) differs between v5 and v6: 1 difference",
			[]timedResults{equalUser(), differentUser(differenceFinding(1, "/Flags"))}),
		Entry("a broken contract", ledger.Fail, "the contract is broken for 1 of 1 user (100 %): 1 finding",
			[]timedResults{broken(0)}),
		Entry("both", ledger.Fail, "1 of 2 users (50.0 %) differs between v5 and v6: 1 difference; the contract is broken for 2 of 2 users (100 %): 2 findings",
			[]timedResults{broken(0), differentUser(differenceFinding(1, "/Flags"), violationFinding(1, "/Id"))}),
		Entry("a difference in the second operation only", ledger.Fail, "differ",
			[]timedResults{{looks: []stats.Result{{Outcome: stats.Equal, Witnessed: true}, {Outcome: stats.Different,
				Witnessed: true, Findings: []stats.Finding{differenceFinding(0, "/0",
					ofOperation(schemas.FindByUserIDs))}}}}}),
		Entry("a difference that is waived", ledger.Pass, "all alike",
			[]timedResults{differentUser(differenceFinding(0, "/Flags", setWaived))}),
		Entry("a broken contract that is waived", ledger.Pass, "all alike",
			[]timedResults{equalUser(), differentUser(violationFinding(1, "/Id", setWaived))}),
		Entry("somebody who can't be compared", ledger.Inconclusive, "1 lookup could not be compared",
			[]timedResults{equalUser(), incomparableUser(1, "timeout of v6")}),
		Entry("nobody at all", ledger.Inconclusive, "there was no user to check", nil),
		Entry("nobody served by getUserAuth", ledger.Inconclusive, "nobody was served anything by getUserAuth",
			[]timedResults{unservedUser(), unservedUser()}),
		Entry("nobody served by findByUserIds", ledger.Inconclusive, "nobody was served anything by findByUserIds",
			[]timedResults{{looks: []stats.Result{{Outcome: stats.Equal, Witnessed: true},
				{Outcome: stats.NothingAlike}}}}),
		Entry("a stop", ledger.Fault, "stopped after 1 user, 0 differences so far; continue with --resume",
			[]timedResults{equalUser()}, setUnfinished),
		Entry("a stop of a population whose size is known", ledger.Fault,
			"stopped after 1 of 20,000 users, 0 differences so far; continue with --resume",
			[]timedResults{equalUser()}, setUnfinished, func(s *stats.Summary) { s.Total = 20_000 }),
		Entry("an error", ledger.Fault, "the target was given up", []timedResults{equalUser()}, setFailed),

		Entry("an error before a difference", ledger.Fault, "given up",
			[]timedResults{differentUser(differenceFinding(0, "/Flags"))}, setFailed),
		Entry("an error before what can't be compared", ledger.Fault, "given up", []timedResults{incomparableUser(0,
			"x")},
			setFailed),
		Entry("a stop before a difference", ledger.Fault,
			"stopped after 1 user, 1 difference so far; continue with --resume",
			[]timedResults{differentUser(differenceFinding(0, "/Flags"))}, setUnfinished),
		Entry("a stop before both", ledger.Fault,
			"stopped after 3 users, 1 difference and 2 breaches of the contract so far; continue with --resume",
			[]timedResults{differentUser(differenceFinding(0, "/Flags")), broken(1), broken(2)}, setUnfinished),
		Entry("a broken contract before what can't be compared", ledger.Fail, "broken",
			[]timedResults{broken(0), incomparableUser(1, "x")}),
		Entry("a difference before nobody served", ledger.Fail, "differ", []timedResults{userShowing(
			stats.Result{Outcome: stats.Different, Findings: []stats.Finding{differenceFinding(0, "")}})}),
		Entry("a stop before what can't be compared", ledger.Fault, "--resume", []timedResults{incomparableUser(0,
			"x")},
			setUnfinished),
		Entry("a stop before anybody", ledger.Fault, "stopped before any user was checked; start it again", nil,
			setUnfinished),
		Entry("what is waived, where nobody can be compared otherwise", ledger.Inconclusive, "could not be compared",
			[]timedResults{differentUser(differenceFinding(0, "/Flags", setWaived)), incomparableUser(1, "x")}),
	)

	It("is concluded again from the counts, whatever stood there before", func() {
		s := concludedSummary(countUsers(differentUser(differenceFinding(0, "/Flags"))),
			func(s *stats.Summary) { s.Verdict, s.Reason, s.Proves = ledger.Pass, "nice", "all" })
		Expect(s.Verdict).To(Equal(ledger.Fail))
		Expect(s.Reason).NotTo(Equal("nice"))
		Expect(s.Proves).NotTo(Equal("all"))
		once := writeSummary(s)
		s.Conclude()
		Expect(writeSummary(s)).To(Equal(once))
	})

	It("is an error of what has not ended, or never began", func() {
		s := stats.Empty(concludedSummary(stats.New(1)).Suite, started, "unfinished: run again")
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
			users = append(users, equalUser())
		}
		return users
	}
	DescribeTable("is said in words", func(want string, users []timedResults, changes ...func(*stats.Summary)) {
		proves := concludedSummary(countUsers(users...), changes...).Proves
		Expect(proves).To(ContainSubstring(want))
		if !strings.HasPrefix(want, "nothing") {
			Expect(proves).NotTo(ContainSubstring("nothing"))
		}
	},
		Entry("of the whole", "it covers every one of the 3 users of the population", many(3)),
		Entry("of a whole in which something was found", "it covers every one of the 2 users of the population",
			[]timedResults{equalUser(), differentUser(differenceFinding(1, "/Flags"))}),
		Entry("of nobody", "nothing, as no user was checked", nil),
		Entry("of an error at the beginning", "nothing, as no user was checked", nil, setFailed),
		Entry("of a sweep with an end before the end", "it covers only the 2 users checked so far",
			many(2), setUnfinished),
		Entry("of an error on the way", "it covers only the 2 users checked so far", many(2), setFailed),
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
			[]timedResults{equalUser(), differentUser(differenceFinding(1, "/Flags"))}, sample(2, 2)),
		Entry("of a sample with a difference",
			"it covers 2 users drawn at random from 90; some of the others may show the same",
			[]timedResults{equalUser(), differentUser(differenceFinding(1, "/Flags"))}, sample(2, 90)),
		Entry("of a sample with a difference that is waived",
			"it covers 2 users drawn at random from 90; some of the others may show the same",
			[]timedResults{equalUser(), differentUser(differenceFinding(1, "/Flags", setWaived))}, sample(2, 90)),
		Entry("of a sample of which a part can't be compared: it is as much smaller",
			"nothing was found in 300 users drawn at random from 100,000: with 95% confidence fewer than 1% of them show anything (3/n)",
			append(many(300), incomparableUser(300, "x")), sample(301, 100_000)),
		Entry("of a sample of which nobody can be compared", "nothing: hardly any user of the sample could be compared",
			[]timedResults{incomparableUser(0, "x"), incomparableUser(1, "x")}, sample(2, 90)),
	)
})
