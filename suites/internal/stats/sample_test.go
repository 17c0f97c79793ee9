package stats_test

import (
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/stats"
)

// maxSample is the documented bound of users that are shown for a group.
const maxSample = 10

// flaggedUsers are users who all show one cause.
func flaggedUsers(n int) []timedResults {
	var users []timedResults
	for i := range n {
		users = append(users, differentUser(differenceFinding(int64(i), "/Flags")))
	}
	return users
}

func shuffledUsers(users []timedResults, seed uint64) []timedResults {
	users = slices.Clone(users)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(users), func(i, j int) { users[i], users[j] = users[j], users[i] })
	return users
}

var _ = Describe("The sample of users of a group", func() {
	It("is all of them while they are few, and bounded from then on", func() {
		t := stats.New(7)
		for i, u := range flaggedUsers(50) {
			addUsers(t, u)
			Expect(t.Groups[0].Sample).To(HaveLen(min(i+1, maxSample)))
			Expect(t.Groups[0].Users).To(BeEquivalentTo(i + 1))
		}
	})

	It("names nobody twice, and only users who did show it", func() {
		t := countUsers(mixedUsers(4000, 2)...)
		shown := map[string][]int64{}
		for i, u := range mixedUsers(4000, 2) {
			for _, result := range u.looks {
				for _, f := range result.Findings {
					shown[f.Requirement+string(f.Version)+string(f.Operation)] = append(
						shown[f.Requirement+string(f.Version)+string(f.Operation)], int64(i))
				}
			}
		}
		Expect(len(t.Groups)).To(BeNumerically(">", 5))
		for _, g := range t.Groups {
			Expect(g.Sample).To(HaveLen(maxSample), g.Pointer)
			Expect(slices.Compact(sampleIndexes(g))).To(HaveLen(maxSample), g.Pointer)
			for _, f := range g.Sample {
				Expect([]any{f.Operation, f.Version, f.Requirement, f.Kind, f.Waived}).To(
					Equal([]any{g.Operation, g.Version, g.Requirement, g.Kind, g.Waived}))
				Expect(shown[f.Requirement+string(f.Version)+string(f.Operation)]).To(ContainElement(f.User.Index))
				Expect(f.User).To(Equal(numberedUser(f.User.Index)))
			}
		}
	})

	It("names a user once who shows the cause at many places", func() {
		t := stats.New(7)
		for i := range int64(3) {
			var findings []stats.Finding
			for _, at := range []string{"/0", "/1", "/2", "/3", "/4", "/5"} {
				findings = append(findings, differenceFinding(i, at+"/Flags"))
			}
			addUsers(t, differentUser(findings...))
		}
		Expect(t.Groups).To(HaveLen(1))
		Expect(sampleIndexes(t.Groups[0])).To(Equal([]int64{0, 1, 2}))
	})

	It("is the same whatever the order in which the users come", func() {
		users := mixedUsers(2000, 3)
		want := countsWithoutTimes(concludedSummary(countUsers(users...)).Tally)
		for seed := range uint64(5) {
			Expect(countsWithoutTimes(concludedSummary(countUsers(shuffledUsers(users,
				seed)...)).Tally)).To(Equal(want))
		}
	})

	It("is the same for one seed and others for others", func() {
		sampleOf := func(seed uint64) []int64 {
			t := stats.New(seed)
			addUsers(t, flaggedUsers(1000)...)
			return sampleIndexes(t.Groups[0])
		}
		Expect(sampleOf(3)).To(Equal(sampleOf(3)))
		seen := map[int64]bool{}
		for seed := range uint64(20) {
			for _, i := range sampleOf(seed) {
				seen[i] = true
			}
		}
		Expect(len(seen)).To(BeNumerically(">", 150), "twenty samples of ten out of a thousand hardly overlap")
	})

	It("continues unchanged after the counts were written and read", func() {
		users := mixedUsers(1500, 4)
		half := readSummary(writeSummary(concludedSummary(countUsers(users[:700]...)))).Tally
		addUsers(half, users[700:]...)
		Expect(writeSummary(concludedSummary(half))).To(Equal(writeSummary(concludedSummary(countUsers(users...)))))
	})

	// The seeds are fixed, so that this comes out the same each time. Of 200 users each is drawn in a twentieth of
	// 2,000 draws of ten; chi-square has 199 degrees of freedom, made smaller by a twentieth since nobody is drawn
	// twice: 189 ± 19.
	It("draws every user as often as any other, and neighbours no more often together", func() {
		const users, samples = 200, 2000
		sampled, together := make([]float64, users), 0.0
		all := flaggedUsers(users)
		for seed := range uint64(samples) {
			t := stats.New(seed)
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
		Expect(chi).To(BeNumerically("~", 189, 4*19))
		// 199 pairs of neighbours, each drawn with a chance of 10/200 times 9/199, in 2,000 draws: 900 ± 30.
		Expect(together).To(BeNumerically("~", 900, 120))
	})
})
