// Package users reads users files for runs and sweeps. They are CSV, NDJSON, JSON or YAML, optionally compressed,
// and follow the same rules. CSV and NDJSON are read as a stream. It also splits users into shards and draws samples.
package users

import (
	"crypto/sha256"
	"encoding/binary"

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

// Shard returns the shard of a user, 0 to count-1; 0 if count is less than 2. It depends only on the user, and is the
// same on every machine and in every release. It is the first 8 bytes of the SHA-256 of the user's Key, as a big-endian
// unsigned number, modulo count.
func Shard(u exchange.User, count int) int {
	if count < 2 {
		return 0
	}
	sum := sha256.Sum256([]byte(u.Key()))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(count))
}
