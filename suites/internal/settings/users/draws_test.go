package users_test

import (
	"math"
	"slices"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sampledNumbers are the numbers of the users that a sample of 0 to total-1 drew.
func sampledNumbers(total, size int, seed uint64) (numbers []int) {
	s := users.NewSample(size, seed)
	for i := range total {
		s.Add(numberedRow(i))
	}
	for _, u := range s.Users() {
		if u != numberedRow(int(u.Index)) {
			Fail("another user came out: " + u.UserID)
		}
		numbers = append(numbers, int(u.Index))
	}
	return numbers
}

// chiSquare is how far counts are from what was expected of each.
func chiSquare(counts []int, expected float64) (sum float64) {
	for _, count := range counts {
		sum += (float64(count) - expected) * (float64(count) - expected) / expected
	}
	return sum
}

var _ = Describe("A sample", func() {
	// A change of any of these would draw other users for the seed of an earlier sweep.
	DescribeTable("of a seed stands still:", func(seed uint64, want ...int) {
		Expect(sampledNumbers(1000, 10, seed)).To(Equal(want))
		Expect(sampledNumbers(1000, 10, seed)).To(Equal(want))
	},
		Entry(nil, uint64(0), 42, 101, 118, 174, 235, 278, 537, 591, 663, 708),
		Entry(nil, uint64(7), 46, 115, 239, 363, 441, 488, 559, 595, 898, 912),
		Entry(nil, uint64(math.MaxUint64), 138, 163, 234, 289, 351, 698, 792, 881, 889, 960),
	)

	It("has all users where there are no more than it may have, in the file's order", func() {
		for _, size := range []int{10, 11, 1000} {
			Expect(sampledNumbers(10, size, 7)).To(Equal([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
		}
		for _, size := range []int{0, -1} {
			Expect(sampledNumbers(10, size, 7)).To(BeEmpty())
		}
	})

	It("can be looked at while it is drawn, and is not the caller's to change", func() {
		s := users.NewSample(2, 7)
		s.Add(numberedRow(0))
		s.Users()[0].UserID = "changed"
		s.Add(numberedRow(1))
		Expect(s.Users()).To(Equal([]users.Row{numberedRow(0), numberedRow(1)}))
	})

	It("draws each pair of users, in the file's order, as often as any other", func() {
		const total, samples = 8, 14_000
		counts := map[[2]int]int{}
		for seed := range uint64(samples) {
			pair := [2]int(sampledNumbers(total, 2, seed))
			Expect(slices.IsSorted(pair[:])).To(BeTrue())
			counts[pair]++
		}
		Expect(counts).To(HaveLen(28))
		var all []int
		for _, count := range counts {
			all = append(all, count)
		}
		// The 99.9% quantile of the chi-square distribution with 27 degrees of freedom.
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

var _ = Describe("A shard", func() {
	// Worked out by another program: a change of any of these would split resumed sweeps and those of many machines.
	DescribeTable("depends on id and userId alone, and stands still:", func(id, userID string, count, want int) {
		user := exchange.User{ID: id, UserID: userID}
		Expect(users.Shard(user, count)).To(Equal(want))
		user.Name, user.Enrolled = "n", true
		Expect(users.Shard(user, count)).To(Equal(want))
	}, testkit.Entries("shards"))

	It("is as large as any other", func() {
		const total = 16_000
		counts := make([]int, 16)
		for i := range total {
			counts[users.Shard(numberedRow(i).User, len(counts))]++
		}
		// The 99.9% quantile with 15 degrees of freedom.
		Expect(chiSquare(counts, total/16)).To(BeNumerically("<", 37.70))
	})
})
