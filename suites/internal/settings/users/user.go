// Package users reads users files for runs and sweeps. They are CSV, NDJSON, JSON or YAML, optionally compressed,
// and follow the same rules. CSV and NDJSON are read as a stream. It also splits users into shards and draws samples.
package users

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// Row is one entry of a users file.
type Row struct {
	exchange.User
	// EnrolledGiven is true if the file has the member enrolled. Otherwise Enrolled is true by default and means
	// nothing, because a population may have users without authenticators.
	EnrolledGiven bool
	// Index is the user's position in the file, from 0.
	Index int64
	// Line is the line of the file at which the entry starts, from 1; 0 if the user is from no file.
	Line int
}

// Shard returns the shard of a user, 0 to count-1; 0 if count is less than 2. It is the user's Hash, modulo count.
func Shard(u exchange.User, count int) int {
	if count < 2 {
		return 0
	}
	return int(u.Hash() % uint64(count))
}

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
