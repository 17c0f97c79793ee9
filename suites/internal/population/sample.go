package population

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Sample draws users at random in one pass over a population of any length: each user is as likely to be drawn as any
// other, and so is each set of users. Its memory is that of the users drawn.
type Sample struct {
	size   int
	seen   uint64
	random *rand.PCG
	drawn  []Row
}

// NewSample begins a sample of up to size users; none where size is less than 1. The same users in the same order give
// the same sample for a seed, on every machine and in every release.
func NewSample(size int, seed uint64) *Sample {
	// Seeds lie close together, and neighbours in a PCG's state begin alike: a hash tells them apart.
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, seed))
	return &Sample{size: size, random: rand.NewPCG(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:]))}
}

// Add shows one more user to the sample: algorithm R of Vitter, "Random Sampling with a Reservoir" (1985).
func (s *Sample) Add(u Row) {
	s.seen++
	if len(s.drawn) < s.size {
		s.drawn = append(s.drawn, u)
		return
	}
	if place := s.below(s.seen); place < uint64(max(s.size, 0)) {
		s.drawn[place] = u
	}
}

// below draws a number less than n, each as likely as any other (Lemire, "Fast Random Integer Generation in an
// Interval", 2019). math/rand/v2 has one too, but promises nowhere that it will draw the same for ever.
func (s *Sample) below(n uint64) uint64 {
	number, rest := bits.Mul64(s.random.Uint64(), n)
	for unfair := -n % n; rest < unfair; {
		number, rest = bits.Mul64(s.random.Uint64(), n)
	}
	return number
}

// Users are those drawn so far, in the order of the file.
func (s *Sample) Users() []Row {
	users := slices.Clone(s.drawn)
	slices.SortFunc(users, func(a, b Row) int { return cmp.Compare(a.Index, b.Index) })
	return users
}
