package stats_test

import (
	"math/rand/v2"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/stats"
)

// maxBuckets is the documented bound of stretches of time.
const maxBuckets = 120

// classes is how many classes of latency there are.
var classes = len(stats.Bucket{}.Latency)

// classOf tells the class in which a request is counted that lasted so long.
func classOf(d time.Duration) int {
	GinkgoHelper()
	u := equalUser()
	u.lasted = []time.Duration{d}
	found := -1
	for class, n := range countUsers(u).Times.Buckets[0].Latency {
		if n == 0 {
			continue
		}
		Expect(n).To(BeEquivalentTo(1))
		Expect(found).To(Equal(-1), "it stands in one class")
		found = class
	}
	Expect(found).To(BeNumerically(">=", 0), "it stands in a class")
	return found
}

// userAt is a user who was looked at then.
func userAt(when time.Duration) timedResults {
	u := equalUser()
	u.at = when
	return u
}

var _ = Describe("The latency of requests", func() {
	It("is counted in classes that grow by the square root of two", func() {
		Expect(stats.LatencyBound(1)).To(Equal(2 * time.Microsecond))
		for class := 1; class < classes; class++ {
			Expect(stats.LatencyBound(class)).To(BeNumerically(">", stats.LatencyBound(class-1)))
			if class >= 2 {
				Expect(stats.LatencyBound(class)).To(BeNumerically("~", 2*stats.LatencyBound(class-2), 2))
			}
		}
		Expect(stats.LatencyBound(classes - 1)).To(BeNumerically(">", 10*time.Minute))
	})

	It("stays under the bound of its class, and reaches that of the class below", func() {
		random := rand.New(rand.NewPCG(5, 5))
		check := func(d time.Duration) {
			GinkgoHelper()
			class := classOf(d)
			Expect(d).To(BeNumerically("<", stats.LatencyBound(class)), d.String())
			if class > 0 {
				Expect(d).To(BeNumerically(">=", stats.LatencyBound(class-1)), d.String())
			}
		}
		// Time is counted in whole microseconds. Of each order of magnitude as many are tried as of any other.
		for range 3000 {
			d := time.Duration(1<<random.IntN(30)+random.Int64N(1<<random.IntN(29)+1)) * time.Microsecond
			if d < stats.LatencyBound(classes-1) {
				check(d)
			}
		}
		for class := range classes - 1 {
			edge := stats.LatencyBound(class).Truncate(time.Microsecond)
			check(max(edge, time.Microsecond))
			check(edge + time.Microsecond)
			check(max(edge-time.Microsecond, time.Microsecond))
		}
	})

	DescribeTable("has a class for every duration",
		func(d time.Duration, class int) { Expect(classOf(d)).To(Equal(class)) },
		Entry("none", time.Duration(0), 0), Entry("less than none, by a clock that was set", -time.Second, 0),
		Entry("less than a microsecond", time.Nanosecond, 0), Entry("two microseconds", 2*time.Microsecond, 2),
		Entry("a millisecond", time.Millisecond, 19), Entry("more than the last bound", time.Hour, classes-1),
		Entry("the longest there is", time.Duration(1<<63-1), classes-1))

	bucket := func(lasted ...time.Duration) *stats.Bucket {
		u := equalUser()
		u.lasted = lasted
		return &countUsers(u).Times.Buckets[0]
	}

	It("has quantiles, as precise as the classes", func() {
		var lasted []time.Duration
		for range 98 {
			lasted = append(lasted, time.Millisecond)
		}
		s := bucket(append(lasted, 100*time.Millisecond, 3*time.Second)...)
		bound := func(d time.Duration) time.Duration { return stats.LatencyBound(classOf(d)) }
		for part, want := range map[float64]time.Duration{
			0: bound(time.Millisecond), 0.5: bound(time.Millisecond), 0.98: bound(time.Millisecond),
			0.99: bound(100 * time.Millisecond), 0.995: bound(3 * time.Second), 1: bound(3 * time.Second),
		} {
			Expect(s.Quantile(part)).To(Equal(want), "%g", part)
		}
	})

	It("has no quantile where there was no request", func() {
		Expect(bucket().Quantile(0.5)).To(BeZero())
		Expect(bucket().Quantile(1)).To(BeZero())
	})

	It("has the same quantile whichever part is asked for where all took the same", func() {
		s := bucket(time.Second)
		for _, part := range []float64{0, 0.01, 0.5, 1} {
			Expect(s.Quantile(part)).To(Equal(stats.LatencyBound(classOf(time.Second))))
		}
	})
})

var _ = Describe("What happened when", func() {
	It("is counted by the second at first", func() {
		t := countUsers(userAt(0), userAt(999*time.Millisecond), userAt(time.Second), userAt(5*time.Second+1)).Times
		Expect(t.Seconds).To(BeEquivalentTo(1))
		var users []int64
		for _, s := range t.Buckets {
			users = append(users, s.Users)
			Expect(s.Outcomes[stats.Equal]).To(Equal(2 * s.Users))
		}
		Expect(users).To(Equal([]int64{2, 1, 0, 0, 0, 1}))
	})

	It("is counted more coarsely the longer a sweep takes, without losing a user", func() {
		t := stats.New(1)
		for i := range 10_000 {
			addUsers(t, userAt(time.Duration(i)*1700*time.Millisecond))
			Expect(len(t.Times.Buckets)).To(BeNumerically("<=", maxBuckets))
		}
		users := int64(0)
		for i, s := range t.Times.Buckets {
			users += s.Users
			Expect(s.Outcomes[stats.Equal]).To(Equal(2 * s.Users))
			if i < len(t.Times.Buckets)-1 {
				Expect(s.Users).To(BeNumerically("~", float64(t.Times.Seconds)/1.7, 1), "slot %d", i)
			}
		}
		Expect(users).To(BeEquivalentTo(10_000))
		Expect(t.Times.Seconds).To(BeEquivalentTo(256), "17,000 seconds fit into 120 slots of 256, and not of 128")
	})

	DescribeTable("widens only as far as it takes", func(when time.Duration, seconds int64, slots int) {
		t := countUsers(userAt(0), userAt(when)).Times
		Expect(t.Seconds).To(Equal(seconds))
		Expect(t.Buckets).To(HaveLen(slots))
		Expect(t.Buckets[slots-1].Users).To(BeNumerically(">", 0))
		Expect(t.Buckets[0].Users).To(BeNumerically(">", 0))
	},
		Entry("the last moment of the last bucket", 120*time.Second-1, int64(1), 120),
		Entry("the first moment after it", 120*time.Second, int64(2), 61),
		Entry("a day", 24*time.Hour, int64(1024), 85),
		Entry("years", 5*365*24*time.Hour, int64(1<<21), 76),
		Entry("before the beginning, by a clock that was set", -time.Hour, int64(1), 1),
	)

	It("merges an odd number of buckets in pairs", func() {
		t := countUsers(userAt(0), userAt(time.Second), userAt(2*time.Second), userAt(119*time.Second),
			userAt(121*time.Second)).Times
		Expect(t.Seconds).To(BeEquivalentTo(2))
		Expect([]int64{t.Buckets[0].Users, t.Buckets[1].Users, t.Buckets[59].Users, t.Buckets[60].Users}).To(
			Equal([]int64{2, 1, 1, 1}))
	})

	It("adds up over shards, each from its own beginning on, the shortest beside the longest", func() {
		short, long := []timedResults{userAt(0), userAt(3 * time.Second)}, []timedResults{userAt(0),
			userAt(1000 * time.Second)}
		for _, users := range [][]timedResults{{short[0], long[0], short[1], long[1]},
			{long[0], short[0], long[1], short[1]}} {
			t := mergeShards(shardSummaries(users, 2)).Tally.Times
			Expect(t.Seconds).To(BeEquivalentTo(16))
			Expect(t.Buckets).To(HaveLen(63))
			Expect(t.Buckets[0].Users).To(BeEquivalentTo(3))
			Expect(t.Buckets[62].Users).To(BeEquivalentTo(1))
			Expect(t.Buckets[0].Outcomes[stats.Equal]).To(BeEquivalentTo(6))
		}
	})
})
