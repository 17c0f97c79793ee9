// Package sanitize is the one way out: everything that leaves the process passes it once. It does three things.
//
// It takes secrets out. A target can echo the token that it was sent, whole or in part, in any encoding that its
// software applies. So a text is decoded in every possible way: escapes, base64 and hexadecimal. Each result is
// searched for runs of the secret. A string, number or word with such a trace is replaced as a whole by a pseudonym of
// the same form. Equal originals get equal pseudonyms, so that evidence that is judged again gives the same results.
//
// It hides the values of users, if the settings say so. The type, the length and a keyed digest take the place of a
// value. Equal values have equal digests and different ones differ, so a difference remains visible as a difference.
//
// It makes text safe to print: characters that have an effect instead of a shape become visible escapes.
//
// Answers are judged and compared as they were sent, in memory.
package sanitize

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
)

// Placeholder is the text of a Secrets in logs and messages.
const Placeholder = "[secret]"

// Secrets finds and replaces secrets in texts. It is safe for concurrent use. A nil *Secrets redacts nothing. Formatted
// by fmt or dumped by Gomega it shows only the Placeholder.
type Secrets struct {
	values    []string // that were given
	ignored   []string // words that are no traces
	index     index
	minLength int                         // length of the shortest trace, in bytes
	key       [32]byte                    // key of the pseudonyms, so that nobody can find an original by trial
	scans     sync.Pool                   // of *scan, to reuse their buffers
	clean     [257]atomic.Pointer[[]byte] // the most recent texts without a trace, by hash
	seed      maphash.Seed
}

// NewSecrets returns Secrets for values: tokens, values of headers, keys. Surrounding space is removed, and values of
// less than 8 characters are ignored. Of the value of an Authorization header only the credentials are secret, not a
// scheme such as Bearer. The password of Basic credentials is a secret by itself too.
func NewSecrets(values ...string) *Secrets {
	s := &Secrets{values: values}
	var all []string
	for _, value := range values {
		all = append(all, searchTexts(value)...)
	}
	s.index = newIndex(all)
	if len(all) > 0 {
		s.minLength = s.index.lengths[0]
	}
	s.seed = maphash.MakeSeed()
	_, _ = rand.Read(s.key[:]) // crypto/rand.Read never fails
	return s
}

// With returns Secrets that find further values, too. Equal originals keep their pseudonyms.
func (s *Secrets) With(values ...string) *Secrets {
	more := NewSecrets(slices.Concat(s.values, values)...)
	more.key = s.key
	more.Ignore(s.ignored)
	return more
}

// Ignore excludes words of the contract, such as member names, from the traces. So a token that contains such a word
// does not cause the member to be renamed. It is not safe for use while other goroutines use the secrets.
func (s *Secrets) Ignore(words []string) {
	s.ignored = append(s.ignored, words...)
	for i, length := range s.index.lengths {
		for _, word := range words {
			for at := range len(word) - length + 1 {
				delete(s.index.runs[i], lower(word[at:at+length]))
			}
		}
	}
}

// Found reports whether text has a trace of a secret.
//
// A trace is a run of twelve bytes of a secret, or all of a shorter one. It may be plain, ignoring ASCII case, or
// encoded:
//   - JSON and backslash escapes, percent-encoding (with + for space) and HTML entities, mixed and up to five deep
//   - base64 in any alignment and both alphabets, padded or not; hexadecimal with or without one separator between its
//     pairs
//   - base64 and hexadecimal up to two deep, each with any escapes inside and around
//   - any of these of its UTF-16
//
// A text that is too costly to decode also counts as a trace.
func (s *Secrets) Found(text string) bool { return s.FoundIn([]byte(text)) }

// FoundIn is Found for bytes, which must not change later: recent texts without a trace are remembered and not searched
// again. That helps because both versions get the same answers, and headers are nearly always the same.
func (s *Secrets) FoundIn(text []byte) bool {
	if s == nil {
		return false
	}
	bucket := &s.clean[len(s.clean)-1]
	if len(text) <= maxRemembered {
		bucket = &s.clean[maphash.Bytes(s.seed, text)%uint64(len(s.clean)-1)]
	}
	if known := bucket.Load(); known != nil && bytes.Equal(*known, text) {
		return false
	}
	found, tooComplex, _ := s.scan(text)
	if !found && !tooComplex {
		bucket.Store(&text)
	}
	return found || tooComplex
}

// maxRemembered is the largest text in bytes of which several are remembered. Of larger texts only the last is.
const maxRemembered = 16 << 10

// Body replaces each string literal, number or other word with a trace by a pseudonym of the same form. The body can
// still be judged. It returns "" and false if a trace would remain, or if the search is too costly.
func (s *Secrets) Body(text string) (string, bool) {
	if s == nil {
		return text, true
	}
	r := replacement{s, len(text)*replaceCost + replaceCostBeside}
	for round := range rounds {
		if !r.found(text) {
			return text, r.cost > 0
		}
		if round == 0 {
			text = r.each(text)
		} else {
			text = r.across(text)
		}
	}
	return "", false
}

// String returns the pseudonym of a value with a trace, the same that Body uses for a string literal of it. Other
// values are returned unchanged.
func (s *Secrets) String(value string) string {
	if !s.Found(value) {
		return value
	}
	return s.ofString(value)
}

// Clean is Body for texts that are not judged. If Body fails, the whole text is replaced.
func (s *Secrets) Clean(text string) string {
	clean, ok := s.Body(text)
	if !ok {
		return s.ofString(text)
	}
	return clean
}

// Show returns the cleaned text made Printable: the form in which text from a target may be shown.
func (s *Secrets) Show(text string, limit int) string { return Printable(s.Clean(text), limit) }

// Format writes the Placeholder for every verb of fmt.
func (s *Secrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Placeholder)) }

// GomegaString returns the Placeholder for the message of a failed assertion.
func (s *Secrets) GomegaString() string { return Placeholder }
