package stats

import (
	"math/bits"
	"slices"
	"time"
)

// Times is what happened over time, in buckets of equal width.
type Times struct {
	Seconds int64    `json:"seconds"` // width of a bucket; it doubles if there are too many buckets
	Buckets []Bucket `json:"slots"`
}

// Bucket is what happened in one period.
type Bucket struct {
	Users    int64               `json:"users"`
	Outcomes map[Outcome]int64   `json:"outcomes"` // users times operations
	Latency  [latencyCount]int64 `json:"latency"`  // requests by latency class, see LatencyBound
}

const (
	maxSeconds   = 1 << 27 // a bucket of four years
	maxBuckets   = 120
	latencyCount = 60 // up to twelve minutes, more than the longest deadline of a request
)

// bucket returns the bucket for a time since the beginning, widening all buckets if necessary.
func (t *Times) bucket(at time.Duration) *Bucket {
	i := max(0, int(at/(time.Duration(t.Seconds)*time.Second)))
	for i >= maxBuckets {
		t.widen()
		i /= 2
	}
	for len(t.Buckets) <= i {
		t.Buckets = append(t.Buckets, Bucket{Outcomes: map[Outcome]int64{}})
	}
	return &t.Buckets[i]
}

// widen merges each two buckets into one.
func (t *Times) widen() {
	half := make([]Bucket, 0, maxBuckets)
	for pair := range slices.Chunk(t.Buckets, 2) {
		merged := pair[0]
		if len(pair) == 2 {
			merged.Add(pair[1])
		}
		half = append(half, merged)
	}
	t.Buckets, t.Seconds = half, 2*t.Seconds
}

// Add adds what happened in another period.
func (b *Bucket) Add(other Bucket) {
	b.Users += other.Users
	for o, n := range other.Outcomes {
		b.Outcomes[o] += n
	}
	for i, n := range other.Latency {
		b.Latency[i] += n
	}
}

// add adds the times of another shard, each counted from its own beginning, because shards may not have run at the same
// time.
func (t *Times) add(other Times) {
	for t.Seconds < other.Seconds {
		t.widen()
	}
	width := time.Duration(other.Seconds) * time.Second
	for i, s := range other.Buckets {
		t.bucket(time.Duration(i) * width).Add(s)
	}
}

// latencyClass returns the class of a duration: its microseconds as a power of √2, rounded down.
func latencyClass(d time.Duration) int {
	microseconds := uint64(max(1, min(d, time.Hour).Microseconds()))
	class := 2 * (bits.Len64(microseconds) - 1)
	if microseconds*microseconds >= uint64(1)<<(class+1) {
		class++
	}
	return min(class, latencyCount-1)
}

// LatencyBound returns the upper bound of a latency class: a power of √2 microseconds.
func LatencyBound(class int) time.Duration {
	microseconds := float64(uint64(1) << ((class + 1) / 2))
	if class%2 == 0 {
		microseconds *= 1.4142135623730951
	}
	return time.Duration(microseconds * float64(time.Microsecond))
}

// Latency returns how many requests took less than which time, as precise as the latency classes.
func (t *Times) Latency() map[time.Duration]int64 {
	count := map[time.Duration]int64{}
	for _, b := range t.Buckets {
		for class, n := range b.Latency {
			if n > 0 {
				count[LatencyBound(class)] += n
			}
		}
	}
	return count
}
