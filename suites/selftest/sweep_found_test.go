package selftest_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// town is a population of which a part is planted, and a part has no authenticator.
type town struct {
	people
	plantings []planting
}

// townOf plants causes, one planting after the other; behind them every tenth has no authenticator.
func townOf(n int, causes ...[]plant) town {
	t := town{}
	rank := 0
	for _, list := range causes {
		t.plantings = append(t.plantings, planting{n, list, rank})
		rank += t.plantings[len(t.plantings)-1].users()
	}
	t.people = peopleOf(n, func(i int) bool { return strewn(i, n) < rank || strewn(i, n)%10 != 9 })
	return t
}

func (t town) target() *planted { return plantedOver(t.known(), t.plantings...) }

// expects is what a sweep has to find: who shows which cause, and how many users have which outcome.
func (t town) expects() (shown map[cause][]int, outcomes map[string]map[string]int64) {
	shown, outcomes = map[cause][]int{}, map[string]map[string]int64{record: {}, identifiers: {}}
	target := t.target()
	for i, user := range t.people {
		found := [2]string{"equal", "equal"}
		if one := target.of(i); one != nil {
			found = one.outcomes
			for _, c := range one.causes {
				shown[c] = append(shown[c], i)
			}
		} else if !user.Enrolled {
			found = [2]string{"nothing-alike", "nothing-alike"}
		}
		outcomes[record][found[0]]++
		outcomes[identifiers][found[1]]++
	}
	return shown, outcomes
}

// matches asserts that a sweep found exactly what a town has.
func (t town) matches(r *sweepReport, f *sweepFindings) {
	GinkgoHelper()
	shown, outcomes := t.expects()
	found := map[cause][]int{}
	for _, one := range f.findings {
		key := one.cause
		key.Pointer = general(key.Pointer)
		Expect(one.User.UserID).To(Equal(userIDOf(one.User.Index)))
		Expect(one.User.ID).To(Equal(guidOf(one.User.Index)))
		found[key] = append(found[key], one.User.Index)
	}
	Expect(found).To(Equal(shown))
	for operation, counts := range outcomes {
		for name, share := range r.Tally.Outcomes[operation] {
			Expect(share.Count).To(Equal(counts[name]), "%s %s", operation, name)
		}
	}
	for _, g := range r.Tally.Groups {
		Expect(g.Users).To(BeNumerically("==", len(shown[g.cause])), "%v", g.cause)
		for _, one := range g.Sample {
			Expect(shown[g.cause]).To(ContainElement(one.User.Index), "%v", g.cause)
		}
	}
	Expect(r.Tally.Users).To(BeNumerically("==", len(t.people)))
	Expect(r.Population.Users).To(BeNumerically("==", len(t.people)))
}

func sweepFoundSpecs(r *rig) {
	const many = 20_000
	spoilt, sound := townOf(many, plants(), restless()), townOf(many, nil, restless())
	sweeps := runAhead(r,
		func() *outcome { return r.sweepUsers(spoilt.target(), spoilt.people) },
		func() *outcome { return r.sweepUsers(sound.target(), sound.people) })

	It("finds exactly the 137 of 20,000 users who are planted, grouped by cause", func() {
		Expect(planting{list: plants()}.users()).To(Equal(137))
		report, findings := swept(sweeps.result(0))
		Expect(report.Verdict).To(Equal("fail"))
		Expect(report.Complete).To(BeTrue())
		spoilt.matches(report, findings)
		users := map[int]bool{}
		for _, one := range findings.findings {
			users[one.User.Index] = true
		}
		Expect(users).To(HaveLen(137))
		Expect(slices.IsSortedFunc(findings.findings, func(a, b sweepFinding) int { return a.User.Index - b.User.Index })).To(BeTrue())
	})

	It("never shows a value where there is none", func() {
		few := townOf(200, plants())
		_, findings := swept(r.sweepUsers(few.target(), few.people))
		Expect(findings.findings).NotTo(BeEmpty())
		for _, one := range findings.findings {
			Expect([]string{one.Expected, one.Actual}).NotTo(ContainElement(HaveSuffix(": {}")), "no answer holds an empty object")
		}
	})

	It("counts a user once for a cause that shows several times", func() {
		several := []plant{
			{users: 7, outcomes: [2]string{"equal", "different"}, spoil: swap(identifiers, "v6", `\]$`, `,"ffffffff-0000-4000-8000-000000000000","ffffffff-0000-4000-8000-000000000001"]`)},
			{users: 4, outcomes: [2]string{"equal", "both-violate"}, spoil: swap(identifiers, both, `\]$`, `,"x","y","z"]`)},
		}
		few := townOf(100, several)
		report, _ := swept(r.sweepUsers(few.target(), few.people))
		Expect(report.Tally.Outcomes[identifiers]["different"].Count).To(BeNumerically("==", 7))
		Expect(report.Tally.Outcomes[identifiers]["both-violate"].Count).To(BeNumerically("==", 4))
		Expect(report.Tally.Groups).To(HaveLen(3))
		for _, g := range report.Tally.Groups {
			users := map[int]bool{}
			for _, one := range g.Sample {
				users[one.User.Index] = true
			}
			if g.Version == both {
				Expect([]int64{g.Users, g.Count}).To(Equal([]int64{7, 14}), "%v", g.cause)
				Expect(users).To(HaveLen(7))
			} else {
				Expect([]int64{g.Users, g.Count}).To(Equal([]int64{4, 12}), "%v", g.cause)
				Expect(users).To(HaveLen(4))
			}
		}
	})

	It("passes the same 20,000 users where nothing is planted but what accuses nobody", func() {
		report, findings := swept(sweeps.result(1))
		Expect(report.Verdict).To(Equal("pass"))
		Expect(report.Complete).To(BeTrue())
		sound.matches(report, findings)
		Expect(findings.findings).To(BeEmpty())
	})
}
