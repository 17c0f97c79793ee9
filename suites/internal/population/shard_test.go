package population_test

import (
	"math"
	"strings"

	"authenticator-conformance/suites/internal/population"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A shard", func() {
	// Worked out by another program: a change of any of these would split resumed sweeps and those of many machines.
	DescribeTable("of a user stands still", func(id, userID string, count, want int) {
		Expect(population.Shard(population.User{ID: id, UserID: userID}, count)).To(Equal(want))
	},
		Entry(nil, "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01", "a", 16, 11),
		Entry(nil, "0F6A2F4E-9A1D-4C53-8A55-0D2B1C7E9F01", "a", 16, 11),
		Entry(nil, "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01", "b", 16, 2),
		Entry(nil, "0F6A2F4E-9a1d-4c53-8a55-0d2b1c7e9f02", "007", 16, 11),
		Entry(nil, "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01", "ü\n", 3, 0),
		Entry(nil, "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01", "a", 1000000007, 58333953),
	)

	It("does not depend on the case of the id, or on what is no part of the key", func() {
		for i := range 100 {
			u := numberedRow(i).User
			other := u
			other.ID, other.Name, other.Enrolled = strings.ToUpper(u.ID), "n", false
			Expect(population.Shard(other, 1000)).To(Equal(population.Shard(u, 1000)))
		}
	})

	It("depends on id and userId", func() {
		byID, byUserID := map[int]bool{}, map[int]bool{}
		for i := range 100 {
			a, b := numberedRow(0), numberedRow(0)
			a.ID, b.UserID = numberedRow(i).ID, numberedRow(i).UserID
			byID[population.Shard(a.User, math.MaxInt)] = true
			byUserID[population.Shard(b.User, math.MaxInt)] = true
		}
		Expect(byID).To(HaveLen(100))
		Expect(byUserID).To(HaveLen(100))
	})

	DescribeTable("is as large as any other", func(count int, most float64) {
		const users = 60_000
		counts := make([]int, count)
		for i := range users {
			counts[population.Shard(numberedRow(i).User, count)]++
		}
		Expect(chiSquare(counts, float64(users)/float64(count))).To(BeNumerically("<", most))
	},
		// The bounds are the 99.9% quantiles of the chi-square distribution with of-1 degrees of freedom.
		Entry(nil, 2, 10.83), Entry(nil, 3, 13.82), Entry(nil, 16, 37.70), Entry(nil, 100, 148.23),
	)

	It("is the only one where there are fewer than two", func() {
		for _, count := range []int{1, 0, -1, math.MinInt} {
			Expect(population.Shard(numberedRow(7).User, count)).To(BeZero())
		}
	})
})

// chiSquare is how far counts are from what was expected of each.
func chiSquare(counts []int, expected float64) (sum float64) {
	for _, count := range counts {
		sum += (float64(count) - expected) * (float64(count) - expected) / expected
	}
	return sum
}
