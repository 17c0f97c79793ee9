package population

import (
	"crypto/sha256"
	"encoding/binary"
)

// Shard returns the shard of a user, 0 to of-1, for a total of `of` shards; 0 if of is less than 2. It depends only on
// the user, and is the same on every machine and in every release. It is the first 8 bytes of the SHA-256 of the user's
// Key, as a big-endian unsigned number, modulo of.
func Shard(u User, count int) int {
	if count < 2 {
		return 0
	}
	sum := sha256.Sum256([]byte(u.Key()))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(count))
}
