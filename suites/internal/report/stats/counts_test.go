package stats_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/stats"
)

var _ = Describe("The counts of a sweep", func() {
	It("Lose nobody of a mixed population, in no operation and in no time", func() {
		users := mixedUsers(1500, 1)
		t := countUsers(users...)
		requests := int64(0)
		for _, u := range users {
			requests += int64(len(u.lasted))
		}
		Expect([]int64{t.Users, t.Requests}).To(Equal([]int64{1500, requests}))
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
		all := stats.Bucket{Outcomes: map[stats.Outcome]int64{}}
		for _, bucket := range t.Times.Buckets {
			all.Add(bucket)
		}
		for _, n := range all.Latency {
			requests -= n
		}
		Expect([]int64{all.Users, requests}).To(Equal([]int64{t.Users, 0}), "each request has a latency")
		for _, o := range stats.Outcomes() {
			Expect(all.Outcomes[o]).To(Equal(t.Count(o)), string(o))
		}
	})

	It("Have an operation as witnessed once both versions served something to somebody, whoever comes after", func() {
		Expect(countUsers(usersOf("unserved, unserved-by-findByUserIds")...).Witnessed).To(
			Equal(map[schemas.Operation]bool{schemas.GetUserAuth: true, schemas.FindByUserIDs: true}))
		Expect(countUsers(usersOf("unserved, unserved")...).Witnessed).To(
			Equal(map[schemas.Operation]bool{schemas.GetUserAuth: false, schemas.FindByUserIDs: true}))
	})

	It("Have users who could not be compared by reason, and in no group", func() {
		t := countUsers(usersOf("incomparable, incomparable")...)
		Expect(t.Groups).To(BeEmpty())
		Expect(t.Ungrouped).To(BeZero())
		Expect(t.Found()).To(Equal(stats.Findings{Open: 2}))
		Expect(t.Outcomes[schemas.GetUserAuth][stats.NotComparable]).To(
			Equal(&stats.Share{Count: 2, Why: map[string]int64{"timeout of v6": 2}}))
		Expect((&stats.Finding{Version: schemas.V5}).Violates()).To(BeFalse(), "whatever its version")
	})
})

var _ = Describe("The reasons of an outcome", func() {
	withReason := func(reason string) timedResults {
		return userShowing(stats.Result{Outcome: stats.EqualUnderRule, Why: reason})
	}
	share := func(t *stats.Counts) *stats.Share { return t.Outcomes[schemas.GetUserAuth][stats.EqualUnderRule] }

	It("Come the most frequent first, and those alike by name", func() {
		t := countUsers(withReason("b"), withReason("a"), withReason("c"), withReason("c"), withReason(""))
		Expect(share(t).Count).To(BeEquivalentTo(5))
		Expect(share(t).Reasons()).To(Equal([]stats.Reason{{Why: "c", Count: 2}, {Why: "a", Count: 1},
			{Why: "b", Count: 1}}))
	})

	It("Are limited: beyond fifty they are other reasons, and known ones go on; merged shards lose no user", func() {
		var users []timedResults
		for i := range 120 {
			users = append(users, withReason(fmt.Sprintf("reason %02d", i%60)))
		}
		Expect(share(countUsers(users...)).Why).To(And(HaveLen(51), HaveKeyWithValue("reason 49", int64(2)),
			HaveKeyWithValue("other grounds", int64(20))))
		merged, sum := share(mergeShards(shardSummaries(users, 4)).Tally).Why, int64(0)
		for _, n := range merged {
			sum += n
		}
		Expect(sum).To(BeEquivalentTo(120))
		Expect(len(merged)).To(BeNumerically("<=", 51))
	})
})

// describeGroups gives a line for each group: its key, then how many users, findings and places, and who is shown.
func describeGroups(t *stats.Counts) (list []string) {
	for _, g := range t.Groups {
		list = append(list, fmt.Sprintf("%s %s %s %s %s %t: %d %d %d %d", g.Operation, g.Version, g.Requirement, g.Kind,
			g.Pointer, g.Waived, g.Users, g.Findings, g.Count, sampleIndexes(g)))
	}
	return list
}

var _ = Describe("Groups of findings", func() {
	It("Bring together what has one cause, whichever element of a list and whatever value shows it", func() {
		t := countUsers(
			differentUser(differenceFinding(0, "/0/Flags"), violationFinding(0, "/Id"),
				differenceFinding(0, "/1/Flags", func(f *stats.Finding) { f.Count = 5 })),
			differentUser(differenceFinding(1, "/17/Flags", func(f *stats.Finding) {
				f.Count, f.Expected, f.Actual, f.Exchange = 4, "0", "1", "u1.9"
			})),
			differentUser(differenceFinding(2, "/0/Flags", ofOperation(schemas.FindByUserIDs))),
			differentUser(differenceFinding(3, "/0/Flags", func(f *stats.Finding) { f.Version = schemas.V5 })),
			differentUser(differenceFinding(4, "/0/Flags", func(f *stats.Finding) { f.Requirement = "9.3/shape" })),
			differentUser(differenceFinding(5, "/0/Flags", func(f *stats.Finding) { f.Kind = "type" })),
			differentUser(differenceFinding(6, "/Flags")),
			differentUser(differenceFinding(7, "/0/Flags", setWaived)),
		)
		Expect(describeGroups(t)).To(Equal([]string{
			"getUserAuth v5=v6 9.3/getUserAuth/values value /*/Flags false: 2 3 10 [0 1]",
			"getUserAuth v6 2.1/Id value /Id false: 1 1 1 [0]",
			"findByUserIds v5=v6 9.3/getUserAuth/values value /*/Flags false: 1 1 1 [2]",
			"getUserAuth v5 9.3/getUserAuth/values value /*/Flags false: 1 1 1 [3]",
			"getUserAuth v5=v6 9.3/shape value /*/Flags false: 1 1 1 [4]",
			"getUserAuth v5=v6 9.3/getUserAuth/values type /*/Flags false: 1 1 1 [5]",
			"getUserAuth v5=v6 9.3/getUserAuth/values value /Flags false: 1 1 1 [6]",
			"getUserAuth v5=v6 9.3/getUserAuth/values value /*/Flags true: 1 1 1 [7]",
		}))
		Expect([]int64{t.Differing, t.Violating}).To(Equal([]int64{6, 2}))
	})

	It("Come the most users first, and those alike in one order whatever the order of users", func() {
		var users []timedResults
		for i, pointer := range []string{"/B", "/A", "/C", "/C"} {
			at := int64(4 * i)
			users = append(users, differentUser(differenceFinding(at, pointer)),
				differentUser(differenceFinding(at+1, pointer, setWaived)),
				differentUser(violationFinding(at+2, pointer)),
				differentUser(differenceFinding(at+3, pointer, func(f *stats.Finding) { f.Kind = "type" })))
		}
		want := writeSummary(concludedSummary(countUsers(users...)))
		for seed := range uint64(10) {
			t := concludedSummary(countUsers(shuffledUsers(users, seed)...)).Tally
			Expect(t.Groups[0].Pointer).To(Equal("/C"))
			Expect(writeSummary(concludedSummary(t))).To(Equal(want))
		}
	})

	It("Are bounded, also in a merged sweep: other findings are counted, and groups that are there go on", func() {
		var users []timedResults
		for i := range int64(maxGroups + 200) {
			users = append(users, differentUser(differenceFinding(i, fmt.Sprintf("/0/Member%d", i)),
				differenceFinding(i, fmt.Sprintf("/1/Member%d", i))))
		}
		users = append(users, differentUser(differenceFinding(5000, "/0/Member0")))
		one, merged := concludedSummary(countUsers(users...)), mergeShards(shardSummaries(users, 1))
		split := mergeShards(shardSummaries(users, 4))
		for _, s := range []*stats.Summary{one, merged, split} {
			Expect(s.Tally.Groups).To(HaveLen(maxGroups))
			Expect(s.Tally.Groups[0].Users).To(BeEquivalentTo(2))
			Expect(s.Tally.Ungrouped).To(BeEquivalentTo(400))
			Expect(s.Tally.Found()).To(Equal(stats.Findings{Differences: 2*(maxGroups+200) + 1}))
		}
		Expect(merged.Notes).To(ConsistOf(ContainSubstring("more than 200 groups")))
		Expect(split.Notes).To(BeEmpty(), "each shard kept all of its groups apart")
		Expect(one.Document().Sections[0].Intro).To(Equal("The groups below, and 400 findings of groups beyond the " +
			"first 200; each is a line of findings.ndjson."))
	})
})

var _ = Describe("The sample of users of a group", func() {
	It("Names each user once, with one finding without its values, and is bounded", func() {
		f := differenceFinding(3, "/17/Flags", func(f *stats.Finding) { f.Count = 2 })
		shown := f
		f.SetValue(schemas.V5, "1")
		t := countUsers(differentUser(f, differenceFinding(3, "/18/Flags")))
		Expect(t.Groups[0].Sample).To(Equal([]stats.Finding{shown}))

		t = stats.New(7, schemas.Versions()...)
		for i, u := range usersOf("90 difference") {
			addUsers(t, u)
			Expect(t.Groups[0].Sample).To(HaveLen(min(i+1, maxSample)))
		}
	})

	It("Names only users who did show the cause, each once", func() {
		shown := map[string]map[int64]bool{}
		key := func(f stats.Finding) string {
			return fmt.Sprint(f.Requirement, f.Version, f.Operation, f.Kind, f.Waived)
		}
		users := mixedUsers(2500, 2)
		for i, u := range users {
			for _, look := range u.looks {
				for _, f := range look.Findings {
					if shown[key(f)] == nil {
						shown[key(f)] = map[int64]bool{}
					}
					shown[key(f)][int64(i)] = true
				}
			}
		}
		t := countUsers(users...)
		Expect(len(t.Groups)).To(BeNumerically(">", 5))
		for _, g := range t.Groups {
			named := map[int64]bool{}
			for _, f := range g.Sample {
				Expect(shown[key(f)]).To(HaveKey(f.User.Index))
				Expect(f.User).To(Equal(numberedUser(f.User.Index)))
				named[f.User.Index] = true
			}
			Expect(named).To(HaveLen(maxSample), g.Pointer)
		}
	})

	It("Is the same whatever the order of users, and after the counts were written and read between", func() {
		users := mixedUsers(600, 3)
		want := concludedSummary(countUsers(users...))
		for seed := range uint64(3) {
			Expect(countsWithoutTimes(concludedSummary(countUsers(shuffledUsers(users, seed)...)).Tally)).To(
				Equal(countsWithoutTimes(want.Tally)))
		}
		half := readSummary(writeSummary(concludedSummary(countUsers(users[:300]...)))).Tally
		addUsers(half, users[300:]...)
		Expect(writeSummary(concludedSummary(half))).To(Equal(writeSummary(want)))
	})

	It("Stays the same in all releases: other users would be shown after a resume", func() {
		indexes := sampleIndexes(countUsers(usersOf("500 difference")...).Groups[0])
		Expect(indexes[:10]).To(Equal([]int64{23, 25, 27, 32, 36, 42, 45, 55, 56, 66}))
	})

	// The seeds are fixed, so that this comes out the same each time. Of 500 users each is drawn in a tenth of 500
	// draws of fifty; chi-square has 499 degrees of freedom, made smaller by a tenth since nobody is drawn twice:
	// 449 ± 28.
	It("Has every user as often as any other with another seed, and neighbours no more often together", func() {
		const users, samples = 500, 500
		sampled, together := make([]float64, users), 0.0
		all := usersOf("500 difference")
		for seed := range uint64(samples) {
			t := stats.New(seed, schemas.Versions()...)
			addUsers(t, all...)
			sample := sampleIndexes(t.Groups[0])
			for i, index := range sample {
				sampled[index]++
				if i > 0 && sample[i-1] == index-1 {
					together++
				}
			}
		}
		expected, chi := float64(samples*maxSample)/users, 0.0
		for _, n := range sampled {
			chi += (n - expected) * (n - expected) / expected
		}
		Expect(chi).To(BeNumerically("~", 449, 4*28))
		// 499 pairs of neighbours, each drawn with a chance of 50/500 times 49/499, in 500 draws: 2450 ± 49.
		Expect(together).To(BeNumerically("~", 2450, 4*49))
	})
})
