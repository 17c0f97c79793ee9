package population_test

import (
	"math"
	"slices"

	"authenticator-conformance/suites/internal/population"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sampledNumbers are the numbers of the users that a sample of 0 to users-1 drew.
func sampledNumbers(users, size int, seed uint64) []int {
	s := population.NewSample(size, seed)
	for i := range users {
		s.Add(numberedRow(i))
	}
	var numbers []int
	for _, u := range s.Users() {
		Expect(u).To(Equal(numberedRow(int(u.Index))))
		numbers = append(numbers, int(u.Index))
	}
	return numbers
}

var _ = Describe("A sample", func() {
	// A change of any of these would draw other users for the seed of an earlier sweep.
	DescribeTable("of a seed stands still", func(users, size int, seed uint64, want []int) {
		Expect(sampledNumbers(users, size, seed)).To(Equal(want))
		Expect(sampledNumbers(users, size, seed)).To(Equal(want))
	},
		Entry(nil, 1000, 10, uint64(0), []int{42, 101, 118, 174, 235, 278, 537, 591, 663, 708}),
		Entry(nil, 1000, 10, uint64(7), []int{46, 115, 239, 363, 441, 488, 559, 595, 898, 912}),
		Entry(nil, 1000, 10, uint64(math.MaxUint64), []int{138, 163, 234, 289, 351, 698, 792, 881, 889, 960}),
	)

	It("has all users where there are no more than it may have, in the file's order", func() {
		for _, size := range []int{10, 11, 1000} {
			Expect(sampledNumbers(10, size, 7)).To(Equal([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
		}
		Expect(sampledNumbers(0, 10, 7)).To(BeEmpty())
		for _, size := range []int{0, -1} {
			Expect(sampledNumbers(10, size, 7)).To(BeEmpty())
		}
	})

	It("has so many users, each once, in the file's order", func() {
		for seed := range uint64(50) {
			users := sampledNumbers(300, 100, seed)
			Expect(users).To(HaveLen(100))
			Expect(slices.IsSorted(users)).To(BeTrue())
			Expect(slices.Compact(users)).To(HaveLen(100))
		}
	})

	It("can be looked at while it is drawn, and is not the caller's to change", func() {
		s := population.NewSample(2, 7)
		s.Add(numberedRow(0))
		s.Users()[0].UserID = "changed"
		s.Add(numberedRow(1))
		Expect(s.Users()).To(Equal([]population.Row{numberedRow(0), numberedRow(1)}))
	})

	It("draws each user as often as any other", func() {
		const users, size, samples = 100, 10, 5000
		counts := make([]int, users)
		for seed := range uint64(samples) {
			for _, number := range sampledNumbers(users, size, seed) {
				counts[number]++
			}
		}
		// Draws without replacement spread less than independent ones. The bound is the 99.9% quantile of the
		// chi-square distribution with 99 degrees of freedom.
		statistic := chiSquare(counts, size*samples/users) * (users - 1) / (users - size)
		Expect(statistic).To(BeNumerically("<", 148.23))
	})

	It("draws each pair of users as often as any other", func() {
		const users, samples = 8, 14_000
		counts := map[[2]int]int{}
		for seed := range uint64(samples) {
			users := sampledNumbers(users, 2, seed)
			counts[[2]int{users[0], users[1]}]++
		}
		Expect(counts).To(HaveLen(28))
		var all []int
		for _, count := range counts {
			all = append(all, count)
		}
		// The 99.9% quantile with 27 degrees of freedom.
		Expect(chiSquare(all, samples/28)).To(BeNumerically("<", 55.48))
	})

	It("draws otherwise for each seed, neighbours too", func() {
		seen := map[[3]int]bool{}
		for seed := range uint64(300) {
			seen[[3]int(sampledNumbers(1000, 3, seed))] = true
		}
		Expect(len(seen)).To(BeNumerically(">", 298))
	})
})
