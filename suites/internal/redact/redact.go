// Package redact keeps two things out of everything that is written: traces of secrets, and characters that do
// something instead of being shown.
//
// A target can echo the token that it was sent, whole or in part, and in any encoding that its own machinery applies.
// So a text is read in each way it could be meant, escapes undone and base64 and hexadecimal runs decoded, and each
// reading is searched for runs of the secret. A string, number or word with such a trace is replaced as a whole by a
// pseudonym: equal originals get equal ones, so that answers are compared and judged as if nothing had been replaced.
package redact

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// Placeholder is what Secrets show of themselves.
const Placeholder = "[secret]"

// Secrets knows what must not be shown. It is safe for use by several goroutines. A nil *Secrets knows nothing and
// redacts nothing. Formatted by fmt or dumped by Gomega it shows the Placeholder only.
type Secrets struct {
	index index
	least int                         // length of the shortest trace, in bytes
	key   [32]byte                    // of the pseudonyms: nobody can try out which original one stands for
	scans sync.Pool                   // of *scan, so that their buffers are not made for each text
	clean [257]atomic.Pointer[[]byte] // the last texts without a trace
	seed  maphash.Seed
}

// New makes Secrets of values: tokens, values of headers, keys. Space around a value is no part of it and values of
// less than 8 characters are left out. Of the value of an Authorization header, what follows the name of the scheme is
// the secret, not the word Bearer; of Basic credentials the password by itself is one too.
func New(values ...string) *Secrets {
	s := &Secrets{}
	var all []string
	for _, value := range values {
		all = append(all, forms(value)...)
	}
	s.index = newIndex(all)
	if len(all) > 0 {
		s.least = s.index.lengths[0]
	}
	s.seed = maphash.MakeSeed()
	_, _ = rand.Read(s.key[:]) // crypto/rand.Read never fails
	return s
}

// Ignore takes words of the contract that everybody knows, such as names of members, out of what is a trace: a token
// that has one in it does not rename a member. It is not safe for use while other goroutines use the secrets.
func (s *Secrets) Ignore(words []string) {
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
// A trace is a run of twelve bytes of a secret, or all of a shorter one. The run may be plain, in either case (ASCII),
// or encoded: JSON and backslash escapes, percent-encoding (with + for space), HTML entities, all of them mixed and up
// to five deep; base64 in any alignment, in both alphabets, padded or not, and hexadecimal, its pairs side by side or
// with one separator between them, up to two deep, each with any escapes inside and around; and any of these of its
// UTF-16. A text that is made to be costlier to read than that counts as a trace.
func (s *Secrets) Found(text string) bool { return s.FoundIn([]byte(text)) }

// FoundIn is Found for bytes. They must not change later: a text that equals one of the last ones without a trace is
// not read again. A target is asked for the same answer in both versions, and its headers are nearly always the same.
func (s *Secrets) FoundIn(text []byte) bool {
	if s == nil || len(text) < s.least {
		return false
	}
	bucket := &s.clean[len(s.clean)-1]
	if len(text) <= mostRemembered {
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

// mostRemembered is how many bytes a text has at most of which several are remembered; of larger ones the last one is.
const mostRemembered = 16 << 10

// Body replaces each string literal, number and run of other characters in which a trace stands by a pseudonym of the
// same form, so that the body of an answer is read and judged as before. The second result is false, and the first
// empty, where a trace can't be taken out.
func (s *Secrets) Body(text string) (string, bool) {
	if s == nil {
		return text, true
	}
	return s.replace(text)
}

// String gives the pseudonym of a value in which a trace stands, the same as Body gives a string literal of that value;
// else the value.
func (s *Secrets) String(value string) string {
	if !s.Found(value) {
		return value
	}
	return s.ofString(value)
}

// Clean is Body for texts that are not judged. What can't be cleaned otherwise is replaced as a whole.
func (s *Secrets) Clean(text string) string {
	clean, ok := s.Body(text)
	if !ok {
		return s.ofString(text)
	}
	return clean
}

// Show is Printable of the cleaned text: what may be shown of something that a target sent.
func (s *Secrets) Show(text string, limit int) string { return Printable(s.Clean(text), limit) }

// Format keeps every verb of fmt from showing what is kept here.
func (s *Secrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Placeholder)) }

// GomegaString keeps the message of a failed assertion from showing it.
func (s *Secrets) GomegaString() string { return Placeholder }
