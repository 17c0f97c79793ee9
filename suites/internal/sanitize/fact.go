package sanitize

import (
	"bufio"
	"crypto/sha256"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/strictjson"
)

// Sum is a digest of a value without a key. It stays in memory, because a short value could be found from it by trial.
type Sum [sha256.Size]byte

// Fact is what can be shown of a value that is hidden.
type Fact struct {
	Type   string // as strictjson.TypeOf names it
	Length int    // in characters, elements or members; 0 for other types
	Sum    Sum    // equal for equal values only
}

// FactOf returns the facts of a decoded JSON value. Numbers of equal value have equal facts, however they are written.
// Of an array or an object that is longer than 1 MiB the sum covers the beginning.
func FactOf(value any) Fact {
	f := Fact{Type: strictjson.TypeOf(value)}
	switch v := value.(type) {
	case string:
		f.Length = utf8.RuneCountInString(v)
	case []any:
		f.Length = len(v)
	case map[string]any:
		f.Length = len(v)
	}
	digest := sha256.New()
	out := bufio.NewWriter(digest)
	strictjson.WriteCanonical(out, value, maxSummed)
	_ = out.Flush() // a hash never fails
	digest.Sum(f.Sum[:0])
	return f
}

// SumOf returns the sum of a text that is not one JSON value.
func SumOf(text []byte) Sum { return sha256.Sum256(text) }

// maxSummed limits the sum of an array or object, in bytes: a hostile answer may be shown in many findings.
const maxSummed = 1 << 20
