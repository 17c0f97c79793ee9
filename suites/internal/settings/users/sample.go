package users

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Sample draws a uniform random sample of users in one pass. Each set of users is equally likely. It holds only the
// drawn users in memory.
type Sample struct {
	size   int
	seen   uint64
	random *rand.PCG
	users  []Row
}

// NewSample returns a sample of up to size users, or of none if size is less than 1. The same users in the same order
// with the same seed give the same sample, on every machine and in every release.
func NewSample(size int, seed uint64) *Sample {
	// Similar seeds give PCG streams that start alike, so the seed is hashed first.
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, seed))
	return &Sample{size: size, random: rand.NewPCG(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:]))}
}

// Add offers one more user to the sample, by algorithm R of Vitter, "Random Sampling with a Reservoir" (1985).
func (s *Sample) Add(u Row) {
	s.seen++
	if len(s.users) < s.size {
		s.users = append(s.users, u)
		return
	}
	if index := s.randomBelow(s.seen); index < uint64(max(s.size, 0)) {
		s.users[index] = u
	}
}

// randomBelow returns a uniform random number less than n (Lemire, "Fast Random Integer Generation in an Interval",
// 2019). math/rand/v2 does not promise the same numbers in later releases.
func (s *Sample) randomBelow(n uint64) uint64 {
	number, fraction := bits.Mul64(s.random.Uint64(), n)
	for biased := -n % n; fraction < biased; {
		number, fraction = bits.Mul64(s.random.Uint64(), n)
	}
	return number
}

// Users returns the users drawn so far, in the order of the file.
func (s *Sample) Users() []Row {
	users := slices.Clone(s.users)
	slices.SortFunc(users, func(a, b Row) int { return cmp.Compare(a.Index, b.Index) })
	return users
}
