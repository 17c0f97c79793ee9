// Package sanitize is the one way out: everything that leaves the process passes it once. It does three things.
//
// It takes secrets out. A target can echo the token that it was sent, whole or in part, plain or encoded once (J21). A
// string or word with such a trace becomes "[redacted]". A body with one is not kept: only its size and digest are.
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
	"iter"
)

const (
	// Placeholder is the text of a Secrets in logs and messages.
	Placeholder = "[secret]"
	// Redacted takes the place of a string or word with a trace of a secret.
	Redacted = "[redacted]"
	// tooShort takes its place if it has a trace itself. It is too short to have one.
	tooShort = "***"
)

// Secrets finds and replaces secrets in texts. It is safe for concurrent use. A nil *Secrets redacts nothing. Formatted
// by fmt or dumped by Gomega it shows only the Placeholder.
type Secrets struct {
	values   []string // that were given
	ignored  []string // texts that are no traces
	redacted string   // takes the place of a trace
	index    *index   // of all traces
}

const (
	// maxRun is how many bytes of a secret in a row count as a trace of it. A shorter part occurs by chance in a date
	// or an identifier, and a longer one should never be shown. A shorter secret is a trace only as a whole.
	maxRun = 12
	// maxRunBase64 is how many digits of the base64 of maxRun bytes depend on nothing else, in any alignment.
	maxRunBase64 = 15
)

// NewSecrets returns Secrets for values: tokens, values of headers, keys. Surrounding space is removed, and values of
// less than 8 characters are ignored. Of the value of an Authorization header only the credentials are secret, not a
// scheme such as Bearer. The password of Basic credentials is a secret by itself too.
func NewSecrets(values ...string) *Secrets {
	s := &Secrets{values: values, redacted: Redacted, index: newIndex()}
	for _, value := range values {
		for _, secret := range searchTexts(value) {
			for part := range runsOf(secret, maxRun) {
				s.index.add(part, Redacted)
				s.index.addHexadecimal(part, Redacted)
			}
			for _, encoded := range inBase64(secret) {
				for part := range runsOf(encoded, maxRunBase64) {
					s.index.add(part, Redacted)
				}
			}
		}
	}
	if s.Found(Redacted) {
		s.redacted = tooShort
	}
	return s
}

// runsOf yields all parts of a text with a length, or the whole of a shorter text.
func runsOf(text string, length int) iter.Seq[string] {
	length = min(length, len(text))
	return func(yield func(string) bool) {
		for i := range len(text) - length + 1 {
			if !yield(text[i : i+length]) {
				return
			}
		}
	}
}

// Ignore excludes words, such as member names of the contract, from the traces. So a token that contains such a word
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
// A trace is twelve bytes of a secret in a row, or all of a shorter one, whatever the case of ASCII letters. They are
// plain or encoded once: escaped for JSON, a URL (with + for space) or HTML, in hexadecimal with or without an ASCII
// character between the pairs, or in base64 of either alphabet and any alignment. Other encodings are not undone.
func (s *Secrets) Found(text string) bool { return s.FoundIn([]byte(text)) }

// FoundIn is Found for bytes.
func (s *Secrets) FoundIn(text []byte) bool {
	if s == nil {
		return false
	}
	if s.index.find(text) != "" {
		return true
	}
	for mark, decode := range decodings {
		if bytes.IndexByte(text, mark) >= 0 && s.index.find(decode(text)) != "" {
			return true
		}
	}
	return false
}

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
