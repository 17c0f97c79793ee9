package sanitize

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// describeExcerpt returns what is shown of a hidden value: its type and its length, such as "string, 36 characters".
func describeExcerpt(e strictjson.Excerpt) string {
	switch e.Type {
	case "string":
		return "string, " + wording.Count(e.Length, "character")
	case "array":
		return "array, " + wording.Count(e.Length, "element")
	case "object":
		return "object, " + wording.Count(e.Length, "member")
	}
	return e.Type
}

// describe is describeExcerpt for a text.
func describe(text string) string { return describeExcerpt(strictjson.ExcerptOf(text)) }

// names are the folded names of members that are shown if values are hidden: those of the contract and those that the
// settings name. Near misses of them are shown too.
type names map[string]bool

func namesOf(list ...string) names {
	n := names{}
	for _, name := range list {
		n[schemas.FoldName(name)] = true
	}
	return n
}

// hiddenName takes the place of an undocumented name of a member or a header.
const hiddenName = "undocumented"

// shown returns the name of a member, or what takes its place.
func (n names) shown(name string) string {
	if n[schemas.FoldName(name)] {
		return name
	}
	return hiddenName
}

// keyRounds is how often PBKDF2 hashes. It makes the search for a short token by the digests expensive.
const keyRounds = 300_000

// keyOf returns a key for digests that is derived from the administrator's token, so that the processes and shards of a
// sweep, and a run and its baseline, have the same digest for the same list of users. Without a token, as when evidence
// is judged again, it is random.
func keyOf(token string) []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // crypto/rand.Read never fails
	if token != "" {
		salt := []byte("authenticator-conformance: digests of hidden values")
		key, _ = pbkdf2.Key(sha256.New, token, salt, keyRounds, sha256.Size) // fails only for a bad length or hash
	}
	return key
}
