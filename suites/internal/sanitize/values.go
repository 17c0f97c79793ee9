package sanitize

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// Values hides the values of users. It is safe for concurrent use.
type Values struct {
	macs sync.Pool       // of hash.Hash, keyed
	keep map[string]bool // folded names of members that are shown
}

// NewValues returns Values with the key of its digests. Names are the members that are shown: those of the contract and
// those that the settings name. Near misses of them are shown too.
func NewValues(key []byte, names ...string) *Values {
	v := &Values{keep: map[string]bool{}}
	v.macs.New = func() any { return hmac.New(sha256.New, key) }
	for _, name := range names {
		v.keep[schemas.FoldName(name)] = true
	}
	return v
}

// RandomKey returns a key that nobody knows once the process has ended.
func RandomKey() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // crypto/rand.Read never fails
	return key
}

// keyRounds is how often PBKDF2 hashes. It makes the search for a short token by its digests expensive.
const keyRounds = 300_000

// KeyOf returns the key that is derived from the administrator's token. The processes and shards of a sweep, and a run
// and the baseline that it is gated against, then have the same digests. Without the token nobody can find out by trial
// which user has a digest; whoever has it can read the users' data from the target anyway.
func KeyOf(token string) []byte {
	salt := []byte("authenticator-conformance: digests of hidden values")
	key, err := pbkdf2.Key(sha256.New, token, salt, keyRounds, sha256.Size)
	if err != nil {
		panic(err) // only for a length or a hash that is not allowed
	}
	return key
}

// mac returns the keyed digest of texts, each separated from the next.
func (v *Values) mac(texts ...string) []byte {
	mac := v.macs.Get().(interface {
		Write([]byte) (int, error)
		Sum([]byte) []byte
		Reset()
	})
	defer v.macs.Put(mac)
	mac.Reset()
	for _, text := range texts {
		_, _ = mac.Write([]byte(strconv.Itoa(len(text)) + ":" + text)) // a hash never fails
	}
	return mac.Sum(nil)
}

// The lengths of digests in bytes: of a value, and of the name of a member. If two names had the same digest, a member
// would seem to be there twice.
const (
	valueDigest = 5
	nameDigest  = 8
)

// digest returns the digest of a value with this sum, such as #3f9a2c71d0.
func (v *Values) digest(sum strictjson.Sum, scope string) string {
	return "#" + hex.EncodeToString(v.mac("value", scope, string(sum[:]))[:valueDigest])
}

// Keyed returns a keyed digest in the place of an unkeyed one, in the same form: sha256: and 64 hex digits. It returns
// "" for "".
func (v *Values) Keyed(digest string) string {
	if digest == "" {
		return ""
	}
	return "sha256:" + hex.EncodeToString(v.mac("digest", digest))
}

// Fingerprint returns a text that is the same for equal keys only.
func (v *Values) Fingerprint() string {
	return hex.EncodeToString(v.mac("fingerprint")[:nameDigest])
}

// Text returns what is shown of a value: "string, 36 characters, #3f9a2c71d0". What can't be about a user is shown:
// null and the emptiness of a string, an array or an object.
//
// There are only two booleans, so their digests depend on a scope too: whose and which member it is (Scope).
func (v *Values) Text(f strictjson.Excerpt, scope string) string {
	text := f.Type
	switch f.Type {
	case "null":
		return text
	case "string":
		text += ", " + wording.Count(f.Length, "character")
	case "array":
		text += ", " + wording.Count(f.Length, "element")
	case "object":
		text += ", " + wording.Count(f.Length, "member")
	}
	if f.Type != "boolean" {
		scope = ""
	}
	if f.Length == 0 && f.Type != "boolean" && f.Type != "number" {
		return text
	}
	return text + ", " + v.digest(f.Sum, scope)
}

// String is Text for a string.
func (v *Values) String(text string) string { return v.Text(strictjson.ExcerptOf(text), "") }

// Digest returns the digest of a text.
func (v *Values) Digest(text string) string { return v.digest(strictjson.SumOf(text), "") }

// Bytes returns what is shown of a text that is not one JSON value: "120 bytes, #3f9a2c71d0".
func (v *Values) Bytes(size int, sum strictjson.Sum) string {
	if size == 0 {
		return "0 bytes"
	}
	return wording.Count(size, "byte") + ", " + v.digest(sum, "")
}

// Scope returns the scope of a boolean: of a user, at a JSON Pointer or a member.
func Scope(id, userID, pointer string) string {
	return strings.ToLower(id) + " " + userID + " " + pointer[strings.LastIndexByte(pointer, '/')+1:]
}

// User returns what is shown of a user: a digest for the id, and the place in the users file with a digest for the
// userId. The digests are those of the same values in answers. The place, such as "line 19", may be "".
func (v *Values) User(place, id, userID string) (shownID, shownUserID string) {
	shownID, shownUserID = v.Digest(id), v.Digest(userID)
	if place != "" {
		shownUserID = place + ", " + shownUserID
	}
	return shownID, shownUserID
}

// hiddenName begins the text that takes the place of an undocumented member name or header name.
const hiddenName = "undocumented-"

// Name returns what is shown of a member's name.
func (v *Values) Name(name string) string {
	if v.keep[schemas.FoldName(name)] {
		return name
	}
	return hiddenName + hex.EncodeToString(v.mac("name", name)[:nameDigest])
}
