// Package redact keeps two things out of everything that is written: traces of secrets, and characters that do
// something instead of being shown.
//
// A target can echo the token that it was sent, whole or in part, and in any encoding that its own machinery applies.
// So a secret is not searched for as a text to be replaced: the text is read in each way it could be meant, escapes
// undone and base64 and hexadecimal runs decoded, and each reading is searched for runs of the secret. What is found is
// mapped back to where it came from.
package redact

import (
	"fmt"
	"slices"
	"strings"
)

// Placeholder stands for a secret as a whole. Where a trace of one was in a text, Hidden stands.
const Placeholder = "[secret]"

// Secrets knows what must not be shown. It is safe for use by several goroutines. A nil *Secrets knows
// nothing and redacts nothing. Formatted by fmt or dumped by Gomega it shows the Placeholder only.
type Secrets struct {
	index       index
	short       []string // lower-case values of less than shortest bytes
	placeholder string   // for all of a text; "" only where even that would have a trace
	names       *names   // of what was hidden; nil where these could not be free of traces
}

// New makes Secrets of values: tokens, values of headers, keys. Space around a value is no part of it and empty values
// are left out. Of the value of an Authorization header, what follows the name of the scheme is the secret, not the
// word Bearer; of Basic credentials the password by itself is one too. The three words of JSON are no secrets: a header may
// well have one of them as its value, and no answer could be kept as JSON without them.
func New(values ...string) *Secrets {
	s := &Secrets{}
	var long []string
	for _, value := range values {
		if slices.Contains([]string{"true", "false", "null"}, strings.TrimSpace(value)) {
			continue
		}
		for _, form := range forms(value) {
			if len(form) < shortest {
				s.short = append(s.short, lower(form))
			} else {
				long = append(long, form)
			}
		}
	}
	s.index = newIndex(long)
	if !s.Found(hiddenBegins) && !slices.ContainsFunc(slices.Concat(long, s.short), withinHidden) {
		s.names = newNames()
	}
	// The first that has no trace of its own; the empty one never has.
	for _, candidate := range []string{Placeholder, "[***]", "[-]", ""} {
		if s.placeholder = candidate; !s.Found(candidate) {
			break
		}
	}
	return s
}

// rounds is how often Clean looks again at its own result. What it takes out can bring together what stood apart.
const rounds = 8

// Clean replaces every trace of a secret by a name that tells how long it was; traces that overlap or touch become one. Two
// different traces get different names, and the same one the same name again: texts that differ still differ without them.
// Where the secrets at hand share a run with that very text, a shorter one stands in its place, so that no output of Clean
// has a trace.
//
// A trace is a run of characters of a secret: at least a quarter of it, but never under 6 characters, so that ordinary
// words pass that happen to share a few letters with it, and from 12 characters on in any case. Both halves of a token
// of 12 characters or more are traces, therefore, and so are both parts of a token that was cut in two, down to that
// length. A secret of 4 or 5 characters is found as a whole, one of less than 4 only unencoded and standing by itself,
// between characters that are neither letters nor digits.
//
// The run may be plain, in either case (ASCII), or encoded: JSON and backslash escapes, percent-encoding (with + for
// space), HTML entities, all of them mixed and up to five deep; base64 in any alignment, in both alphabets, padded or
// not, and hexadecimal, up to two deep, each with any escapes inside and around. A text that is made to be costlier to
// read than that is a trace as a whole.
//
// Clean(Clean(text)) is Clean(text), and Found(Clean(text)) is false.
func (s *Secrets) Clean(text string) string {
	if s == nil {
		return text
	}
	for range rounds {
		marks, tangled := s.hunt(text, false)
		if tangled {
			return s.placeholder
		}
		if len(marks) == 0 {
			return text
		}
		text = s.replace(text, marks)
	}
	return s.placeholder
}

// Found reports whether text has a trace of a secret, as Clean understands it.
func (s *Secrets) Found(text string) bool {
	if s == nil {
		return false
	}
	marks, tangled := s.hunt(text, true)
	return tangled || len(marks) > 0
}

// Show is Printable of the cleaned text: what may be shown of something that a target sent.
func (s *Secrets) Show(text string, limit int) string {
	return Printable(s.Clean(text), limit)
}

// Format keeps every verb of fmt from showing what is kept here.
func (s *Secrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Placeholder)) }

// GomegaString keeps the message of a failed assertion from showing it.
func (s *Secrets) GomegaString() string { return Placeholder }
