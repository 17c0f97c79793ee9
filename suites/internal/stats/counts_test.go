package stats_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("Counting", func() {
	It("begins with zero of everything, so that nothing is left out where there was nothing", func() {
		t := stats.New(1)
		Expect(t.Users).To(BeZero())
		Expect(t.Groups).To(BeEmpty())
		Expect(t.Groups).NotTo(BeNil())
		for _, op := range schemas.Operations() {
			Expect(t.Outcomes[op]).To(HaveLen(len(stats.Outcomes())))
			for _, o := range stats.Outcomes() {
				Expect(t.Outcomes[op][o]).To(Equal(&stats.Share{Why: map[string]int64{}}), string(o))
			}
			Expect(t.Findings[op]).To(Equal(&stats.Findings{}))
			Expect(t.Witnessed).To(HaveKeyWithValue(op, false))
		}
		Expect(t.Found()).To(Equal(stats.Findings{}))
	})

	DescribeTable("counts a user once for each operation, under the outcome that it had",
		func(first, second stats.Outcome) {
			t := countUsers(timedResults{looks: []stats.Result{{Outcome: first}, {Outcome: second}},
				lasted: make([]time.Duration, 5)})
			Expect(t.Users).To(BeEquivalentTo(1))
			Expect(t.Requests).To(BeEquivalentTo(5))
			for i, op := range schemas.Operations() {
				for _, o := range stats.Outcomes() {
					want := 0
					if o == []stats.Outcome{first, second}[i] {
						want = 1
					}
					Expect(t.Outcomes[op][o].Count).To(BeEquivalentTo(want), "%s %s", op, o)
				}
			}
			if first == second {
				Expect(t.Count(first)).To(BeEquivalentTo(2))
			} else {
				Expect(t.Count(first)).To(BeEquivalentTo(1))
				Expect(t.Count(second)).To(BeEquivalentTo(1))
			}
		},
		func() []TableEntry {
			var entries []TableEntry
			for _, first := range stats.Outcomes() {
				for _, second := range stats.Outcomes() {
					entries = append(entries, Entry(fmt.Sprintf("%s, %s", first, second), first, second))
				}
			}
			return entries
		}(),
	)

	It("loses nobody of a mixed population, in no operation and in no time", func() {
		users := mixedUsers(3000, 1)
		t := countUsers(users...)
		Expect(t.Users).To(BeEquivalentTo(3000))
		requests := int64(0)
		for _, u := range users {
			requests += int64(len(u.lasted))
		}
		Expect(t.Requests).To(Equal(requests))
		for i, op := range schemas.Operations() {
			want, got, lines := map[stats.Outcome]int64{}, map[stats.Outcome]int64{}, stats.Findings{}
			for _, u := range users {
				want[u.looks[i].Outcome]++
				for _, f := range u.looks[i].Findings {
					switch {
					case f.Requirement == "":
						lines.Open++
					case f.Waived:
						lines.Waived++
					case f.Version == schemas.Parity:
						lines.Differences++
					default:
						lines.Violations++
					}
				}
			}
			for o, share := range t.Outcomes[op] {
				got[o] = share.Count
			}
			Expect(got).To(Equal(want))
			Expect(want).To(HaveLen(len(stats.Outcomes())), "the mixture has to hold every outcome")
			Expect(*t.Findings[op]).To(Equal(lines))
			Expect([]int64{lines.Differences, lines.Violations, lines.Waived, lines.Open}).NotTo(
				ContainElement(BeZero()), "the mixture has to hold every kind")
		}
		inTime, inSlots := map[stats.Outcome]int64{}, int64(0)
		for _, bucket := range t.Times.Buckets {
			inSlots += bucket.Users
			for o, n := range bucket.Outcomes {
				inTime[o] += n
			}
			for _, n := range bucket.Latency {
				requests -= n
			}
		}
		Expect(inSlots).To(Equal(t.Users))
		Expect(requests).To(BeZero(), "each request has a latency")
		for _, o := range stats.Outcomes() {
			Expect(inTime[o]).To(Equal(t.Count(o)), string(o))
		}
	})

	It("knows an operation as witnessed once both versions served something to somebody, whoever comes after", func() {
		t := countUsers(timedResults{looks: []stats.Result{{Outcome: stats.NothingAlike},
			{Outcome: stats.Equal, Witnessed: true}}},
			timedResults{looks: []stats.Result{{Outcome: stats.NothingAlike}, {Outcome: stats.NothingAlike}}})
		Expect(t.Witnessed).To(Equal(map[schemas.Operation]bool{schemas.GetUserAuth: false,
			schemas.FindByUserIDs: true}))
	})

	It("recognizes a finding about a user who could not be compared by its empty requirement", func() {
		accusing, harmless := differenceFinding(1, "/Flags"), openFinding(1, schemas.GetUserAuth)
		Expect(accusing.Open()).To(BeFalse())
		Expect(harmless.Open()).To(BeTrue())
	})

	It("makes no group of users who could not be compared: they are counted by reason", func() {
		t := countUsers(incomparableUser(0, "timeout of v6"), incomparableUser(1, "timeout of v6"), incomparableUser(2,
			"reset of v5"))
		Expect(t.Groups).To(BeEmpty())
		Expect(t.Ungrouped).To(BeZero())
		Expect(t.Found()).To(Equal(stats.Findings{Open: 3}))
		share := t.Outcomes[schemas.GetUserAuth][stats.NotComparable]
		Expect(share.Count).To(BeEquivalentTo(3))
		Expect(share.Reasons()).To(Equal([]stats.Reason{{Why: "timeout of v6", Count: 2},
			{Why: "reset of v5", Count: 1}}))
	})
})

var _ = Describe("The reasons of an outcome", func() {
	ground := func(reason string) timedResults {
		return userShowing(stats.Result{Outcome: stats.EqualUnderRule, Why: reason})
	}
	share := func(t *stats.Counts) *stats.Share { return t.Outcomes[schemas.GetUserAuth][stats.EqualUnderRule] }

	It("are omitted if there is only one", func() {
		t := countUsers(ground(""), ground(""))
		Expect(share(t).Count).To(BeEquivalentTo(2))
		Expect(share(t).Reasons()).To(BeEmpty())
	})

	It("come the most frequent first, and those alike by name", func() {
		t := countUsers(ground("b"), ground("a"), ground("c"), ground("c"))
		Expect(share(t).Reasons()).To(Equal([]stats.Reason{{Why: "c", Count: 2}, {Why: "a", Count: 1},
			{Why: "b", Count: 1}}))
	})

	It("are limited: beyond fifty they count as other reasons, and known ones are still counted", func() {
		t := stats.New(1)
		for round := range 3 {
			for i := range 60 {
				addUsers(t, ground(fmt.Sprintf("ground %02d", i)))
			}
			Expect(share(t).Why).To(HaveLen(51))
			Expect(share(t).Why).To(HaveKeyWithValue("ground 49", int64(round+1)))
			Expect(share(t).Why).NotTo(HaveKey("ground 50"))
			Expect(share(t).Why).To(HaveKeyWithValue("other grounds", int64(10*(round+1))))
			Expect(sumOf(share(t).Why)).To(Equal(share(t).Count))
		}
	})

	It("are bounded in a merged sweep too, and no user of them is lost", func() {
		var users []timedResults
		for i := range 120 {
			users = append(users, ground(fmt.Sprintf("ground %03d", i)))
		}
		whole := mergeShards(shardSummaries(users, 4)).Tally
		Expect(share(whole).Count).To(BeEquivalentTo(120))
		Expect(sumOf(share(whole).Why)).To(BeEquivalentTo(120))
		Expect(len(share(whole).Why)).To(BeNumerically("<=", 51))
	})
})
