// Package sanitize is the one way out: everything that leaves the process passes it once. It does three things.
//
// It takes secrets out. A target can echo the token that it was sent, whole or in part, in any encoding that its
// software applies. So a text is decoded in every possible way: escapes, base64 and hexadecimal. Each result is
// searched for runs of the secret. A string or word with such a trace becomes "[redacted]". A body with one is not
// kept: only its size and digest are.
//
// It hides the values of users, if the settings say so. The type and the length take the place of a value.
//
// It makes text safe to print: characters that have an effect instead of a shape become visible escapes.
//
// Answers are judged and compared as they were sent, in memory. What was taken out or hidden is not judged again.
package sanitize

import (
	"bytes"
	"fmt"
	"sync/atomic"
)

const (
	// Placeholder is the text of a Secrets in logs and messages.
	Placeholder = "[secret]"
	// redacted takes the place of a string or word with a trace of a secret.
	redacted = "[redacted]"
	// tooShort takes its place if it has a trace itself. It is too short to have one.
	tooShort = "***"
)

// Secrets finds and replaces secrets in texts. It is safe for concurrent use. A nil *Secrets redacts nothing. Formatted
// by fmt or dumped by Gomega it shows only the Placeholder.
type Secrets struct {
	values   []string               // that were given
	ignored  []string               // words that are no traces
	redacted string                 // takes the place of a trace
	index    *index                 // of all traces
	clean    atomic.Pointer[[]byte] // the most recent large text without a trace

	// possible is true for bytes that can occur in an encoded secret or in a nested encoding. Random data soon decodes
	// to other bytes.
	possible [256]bool
}

// maxRun is how many bytes of a secret count as a trace of it. A shorter part occurs by chance in a date or an
// identifier, and a longer one should never be shown. A shorter secret is a trace only as a whole.
const maxRun = 12

// NewSecrets returns Secrets for values: tokens, values of headers, keys. Surrounding space is removed, and values of
// less than 8 characters are ignored. Of the value of an Authorization header only the credentials are secret, not a
// scheme such as Bearer. The password of Basic credentials is a secret by itself too.
func NewSecrets(values ...string) *Secrets {
	s := &Secrets{values: values, redacted: redacted, index: newIndex()}
	for b := ' '; b <= '~'; b++ {
		s.possible[b] = true
	}
	s.possible[0] = true // in UTF-16
	for _, value := range values {
		for _, secret := range searchTexts(value) {
			for _, text := range append(cores(secret), secret) {
				s.addTraces(text, maxRun)
			}
			for _, text := range utf16Texts(secret) {
				s.addTraces(text, 2*maxRun)
			}
		}
	}
	if s.Found(redacted) {
		s.redacted = tooShort
	}
	return s
}

// addTraces adds all runs of a text with the given length, or the whole text if it is shorter.
func (s *Secrets) addTraces(text string, length int) {
	length = min(length, len(text))
	for i := range len(text) {
		s.possible[text[i]] = true
	}
	for i := range len(text) - length + 1 {
		s.index.add(text[i:i+length], redacted)
	}
}

// Ignore excludes words of the contract, such as member names, from the traces. So a token that contains such a word
// does not cause the member to be renamed. It is not safe for use while other goroutines use the secrets.
func (s *Secrets) Ignore(words []string) {
	s.ignored = append(s.ignored, words...)
	for _, length := range s.index.lengths {
		for _, word := range words {
			for at := range len(word) - length + 1 {
				delete(s.index.names, string(fold([]byte(word[at:at+length]))))
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

// FoundIn is Found for bytes, which must not change later: the last large text without a trace is remembered and not
// searched again. That helps because both versions often get the same large answer.
func (s *Secrets) FoundIn(text []byte) bool {
	if s == nil {
		return false
	}
	if known := s.clean.Load(); known != nil && bytes.Equal(*known, text) {
		return false
	}
	found := s.scan(text)
	if !found && len(text) >= remembered {
		s.clean.Store(&text)
	}
	return found
}

// remembered is the least size in bytes of a text that is remembered.
const remembered = 16 << 10

// String returns a value without a secret: a value with a trace becomes "[redacted]" as a whole.
func (s *Secrets) String(value string) string {
	if s.Found(value) {
		return s.redacted
	}
	return value
}

const (
	// rounds is how often a redacted text is searched again: removing a part can join two others to a trace.
	rounds = 4
	// maxCleaned is the largest text in bytes of which words are replaced. A larger one is replaced as a whole.
	maxCleaned = 128 << 10
)

// Clean returns a text in which each string literal or word with a trace is replaced. If a trace remains, the whole
// text is.
func (s *Secrets) Clean(text string) string {
	if !s.Found(text) {
		return text
	}
	if len(text) > maxCleaned {
		return s.redacted
	}
	for range rounds {
		if text = s.replace(text); !s.Found(text) {
			return text
		}
	}
	return s.redacted
}

// Format writes the Placeholder for every verb of fmt.
func (s *Secrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Placeholder)) }

// GomegaString returns the Placeholder for the message of a failed assertion.
func (s *Secrets) GomegaString() string { return Placeholder }
