package population

import (
	"crypto/sha256"
	"encoding/binary"
)

// Shard is the shard of a user, 0 to of-1, among of shards in all; 0 where of is less than 2. It is the same on every
// machine and in every release, whatever stands around the user in its file: the first 8 bytes of the SHA-256 of the
// user's Key, read as an unsigned number with the highest byte first, modulo of.
func Shard(u User, of int) int {
	if of < 2 {
		return 0
	}
	sum := sha256.Sum256([]byte(u.Key()))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(of))
}
