package stats

import (
	"math/bits"
	"time"
)

// Times is what happened when: one slot for each stretch of time, all of the same width.
type Times struct {
	Seconds int64    `json:"seconds"` // a slot's width; it doubles when there are too many
	Buckets []Bucket `json:"slots"`
}

// Bucket is what happened in one stretch of time.
type Bucket struct {
	Users    int64               `json:"users"`
	Outcomes map[Outcome]int64   `json:"outcomes"` // of users and operations
	Latency  [latencyCount]int64 `json:"latency"`  // requests by LatencyBound
}

const (
	mostSeconds  = 1 << 27 // four years a slot
	mostSlots    = 120
	latencyCount = 60 // up to twelve minutes, over the longest deadline of a request
)

func newTimes() Times { return Times{Seconds: 1, Buckets: []Bucket{}} }

// bucket is the one for a moment.
func (t *Times) bucket(at time.Duration) *Bucket {
	i := max(0, int(at/(time.Duration(t.Seconds)*time.Second)))
	for i >= mostSlots {
		t.widen()
		i /= 2
	}
	for len(t.Buckets) <= i {
		t.Buckets = append(t.Buckets, Bucket{Outcomes: map[Outcome]int64{}})
	}
	return &t.Buckets[i]
}

// widen makes one slot of each two.
func (t *Times) widen() {
	half := make([]Bucket, 0, mostSlots)
	for j := 0; j < len(t.Buckets); j += 2 {
		merged := t.Buckets[j]
		if j+1 < len(t.Buckets) {
			merged.add(t.Buckets[j+1])
		}
		half = append(half, merged)
	}
	t.Buckets, t.Seconds = half, 2*t.Seconds
}

func (s *Bucket) add(other Bucket) {
	s.Users += other.Users
	for o, n := range other.Outcomes {
		s.Outcomes[o] += n
	}
	for i, n := range other.Latency {
		s.Latency[i] += n
	}
}

// add adds the times of another shard, each from its own beginning on: shards may not have been swept at the same time.
func (t *Times) add(other Times) {
	for t.Seconds < other.Seconds {
		t.widen()
	}
	width := time.Duration(other.Seconds) * time.Second
	for i, s := range other.Buckets {
		t.bucket(time.Duration(i) * width).add(s)
	}
}

// latencyClass is the power of √2 of a duration's microseconds.
func latencyClass(d time.Duration) int {
	us := uint64(max(1, min(d, time.Hour).Microseconds()))
	class := 2 * (bits.Len64(us) - 1)
	if us*us >= uint64(1)<<(class+1) {
		class++
	}
	return min(class, latencyCount-1)
}

// LatencyBound is the duration under which the requests of a class stay: a power of √2 of a microsecond.
func LatencyBound(class int) time.Duration {
	us := float64(uint64(1) << ((class + 1) / 2))
	if class%2 == 0 {
		us *= 1.4142135623730951
	}
	return time.Duration(us * float64(time.Microsecond))
}

// Quantile is the latency under which a part of a slot's requests stay, as far as the classes tell; 0 where there are
// none.
func (s *Bucket) Quantile(part float64) time.Duration {
	total := int64(0)
	for _, n := range s.Latency {
		total += n
	}
	seen := int64(0)
	for class, n := range s.Latency {
		seen += n
		if n > 0 && float64(seen) >= part*float64(total) {
			return LatencyBound(class)
		}
	}
	return 0
}
