package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/report/stats"
)

// classes is how many classes of latency there are.
var classes = len(stats.Bucket{}.Latency)

// userAt is a user who was looked at then.
func userAt(when time.Duration) timedResults {
	u := namedUser(0, "equal")
	u.at = when
	return u
}

// timesOf are the times of requests that lasted so long.
func timesOf(lasted ...time.Duration) *stats.Times {
	u := userAt(0)
	u.lasted = lasted
	return &countUsers(u).Times
}

// classOf is the class in which a request is counted that lasted so long.
func classOf(d time.Duration) int {
	GinkgoHelper()
	found := []int{}
	for class, n := range timesOf(d).Buckets[0].Latency {
		if n > 0 {
			found = append(found, class)
		}
	}
	Expect(found).To(HaveLen(1))
	return found[0]
}

var _ = Describe("The latency of requests", func() {
	It("Is counted in classes that grow by the square root of two, each below its bound", func() {
		Expect(stats.LatencyBound(1)).To(Equal(2 * time.Microsecond))
		Expect(stats.LatencyBound(classes - 1)).To(BeNumerically(">", 10*time.Minute))
		random := rand.New(rand.NewPCG(5, 5))
		for class := 1; class < classes; class++ {
			below, bound := stats.LatencyBound(class-1), stats.LatencyBound(class)
			Expect(bound).To(BeNumerically("~", float64(below)*math.Sqrt2, 3))
			// Time is counted in whole microseconds.
			first := below.Truncate(time.Microsecond)
			for _, d := range []time.Duration{first, first + time.Microsecond, bound - time.Microsecond,
				below + time.Duration(random.Int64N(int64(bound-below)))} {
				d = max(d.Truncate(time.Microsecond), time.Microsecond)
				counted := classOf(d)
				Expect(d).To(BeNumerically("<", stats.LatencyBound(counted)))
				Expect(counted == 0 || d >= stats.LatencyBound(counted-1)).To(BeTrue(), d.String())
			}
		}
	})

	DescribeTable("Has a class for every duration",
		func(d time.Duration, class int) { Expect(classOf(d)).To(Equal(class)) },
		Entry("None", time.Duration(0), 0), Entry("Less than none, by a clock that was set", -time.Second, 0),
		Entry("Less than a microsecond", time.Nanosecond, 0), Entry("Two microseconds", 2*time.Microsecond, 2),
		Entry("A millisecond", time.Millisecond, 19), Entry("More than the last bound", time.Hour, classes-1),
		Entry("The longest there is", time.Duration(1<<63-1), classes-1))

	It("Has quantiles as precise as the classes, and none without requests", func() {
		lasted := []time.Duration{100 * time.Millisecond, 3 * time.Second}
		for range 98 {
			lasted = append(lasted, time.Millisecond)
		}
		for part, want := range map[float64]time.Duration{0: time.Millisecond, 0.5: time.Millisecond,
			0.98: time.Millisecond, 0.99: 100 * time.Millisecond, 0.995: 3 * time.Second, 1: 3 * time.Second} {
			Expect(check.Quantile(timesOf(lasted...).Latency(), part)).To(
				Equal(stats.LatencyBound(classOf(want))), "%g", part)
			Expect(check.Quantile(timesOf().Latency(), part)).To(BeZero())
		}
	})
})

// describeTimes gives the width of a period and, by the number of each in which somebody was checked, how many.
func describeTimes(t stats.Times) string {
	text := fmt.Sprintf("%d s:", t.Seconds)
	for i, bucket := range t.Buckets {
		if bucket.Users > 0 {
			Expect(bucket.Outcomes[stats.Equal]).To(Equal(2 * bucket.Users))
			text += fmt.Sprintf(" %d:%d", i, bucket.Users)
		}
	}
	return text
}

var _ = Describe("What happened when in a sweep", func() {
	DescribeTable("Is counted by the second, and more coarsely only as far as it takes",
		func(want string, times ...time.Duration) {
			t := stats.New(1, schemas.Versions()...)
			for _, at := range times {
				addUsers(t, userAt(at))
			}
			Expect(describeTimes(t.Times)).To(Equal(want))
		},
		Entry("Some seconds", "1 s: 0:2 1:1 5:1", time.Duration(0), 999*time.Millisecond, time.Second, 5*time.Second+1),
		Entry("The last moment of the last period", "1 s: 0:1 119:1", time.Duration(0), 120*time.Second-1),
		Entry("The first moment after it", "2 s: 0:1 60:1", time.Duration(0), 120*time.Second),
		Entry("A day", "1024 s: 0:1 84:1", time.Duration(0), 24*time.Hour),
		Entry("Years", "2097152 s: 0:1 75:1", time.Duration(0), 5*365*24*time.Hour),
		Entry("Before the beginning, by a clock that was set", "1 s: 0:2", time.Duration(0), -time.Hour),
		Entry("An odd number of periods, joined in pairs", "2 s: 0:2 1:1 60:1", time.Duration(0), time.Second,
			2*time.Second, 121*time.Second),
	)

	It("Is counted in periods of one width, however often that was doubled, without losing a user", func() {
		t, users := stats.New(1, schemas.Versions()...), int64(0)
		for i := range 2000 {
			addUsers(t, userAt(time.Duration(i)*1700*time.Millisecond))
			Expect(len(t.Times.Buckets)).To(BeNumerically("<=", maxBuckets))
		}
		Expect(t.Times.Seconds).To(BeEquivalentTo(32), "3,400 seconds fit into 120 periods of 32, and not of 16")
		for i, s := range t.Times.Buckets {
			users += s.Users
			if i < len(t.Times.Buckets)-1 {
				Expect(s.Users).To(BeNumerically("~", 32/1.7, 1), "period %d", i)
			}
		}
		Expect(users).To(BeEquivalentTo(2000))
	})

	It("Adds up over shards, each from its own beginning on, whichever of them took longer", func() {
		short, long := []timedResults{userAt(0), userAt(3e9)}, []timedResults{userAt(0), userAt(1000e9)}
		for _, users := range [][]timedResults{{short[0], long[0], short[1], long[1]},
			{long[0], short[0], long[1], short[1]}} {
			Expect(describeTimes(mergeShards(shardSummaries(users, 2)).Tally.Times)).To(Equal("16 s: 0:3 62:1"))
		}
	})
})
