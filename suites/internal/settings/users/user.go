// Package users reads users files for runs and sweeps. They are CSV, NDJSON, JSON or YAML, optionally compressed,
// and follow the same rules. CSV and NDJSON are read as a stream. It also splits users into shards and draws samples.
package users

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// User is a user that the target knows, whose authenticators are requested.
type User struct {
	// ID is a GUID and UserID a non-empty string. Together they are the lookup key of §4.1.
	ID     string `json:"id"`
	UserID string `json:"userId"`
	// Enrolled is true if the target has an authenticator for this user.
	Enrolled bool `json:"enrolled"`
	// Name is a comment for readers of the file.
	Name string `json:"name,omitempty"`
}

// Key returns the id in lower case, a space and the userId. It is equal for equal users, because the case of a GUID
// does not matter.
func (u User) Key() string { return strings.ToLower(u.ID) + " " + u.UserID }

// Row is one entry of a users file.
type Row struct {
	User
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
func Shard(u User, count int) int {
	if count < 2 {
		return 0
	}
	sum := sha256.Sum256([]byte(u.Key()))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(count))
}
