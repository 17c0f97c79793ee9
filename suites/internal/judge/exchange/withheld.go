package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"
)

// Withheld describes a body that is not kept (J21): it is not UTF-8 text, so secrets in it might not be found, or it
// contains one. It can't be judged again.
type Withheld struct {
	Size   int    `json:"size"`             // of the body, in bytes
	Digest string `json:"digest,omitempty"` // of the body: "sha256:" and 64 hex digits; "" if values are hidden
	Rule   string `json:"rule"`             // SecretRule or textRule
}

// The rules by which a body is not kept.
const (
	SecretRule = "secret"
	textRule   = "utf-8"
)

func (w *Withheld) String() string {
	reason := "it is not UTF-8 text"
	if w.Rule == SecretRule {
		reason = "it contains a secret"
	}
	text := fmt.Sprintf("of %d bytes, not shown as %s", w.Size, reason)
	if w.Digest != "" {
		text += " (" + w.Digest + ")"
	}
	return text
}

// Unkept describes the body if it is not kept: it was withheld before, or is not UTF-8 text. Otherwise it returns nil.
func (e *Exchange) Unkept() *Withheld {
	if e.Withheld != nil || utf8.Valid(e.Body) {
		return e.Withheld
	}
	return &Withheld{Size: len(e.Body), Digest: DigestOf(e.Body), Rule: textRule}
}

// Partial reports whether the evidence keeps the body only in part, or not at all.
func (e *Exchange) Partial() bool { return e.Cut != nil || e.Withheld != nil }

// Sent is text from a target or a users file within an error, wrapped by %w. The way out cuts it or, if the values of
// users are hidden, describes it instead.
type Sent string

func (s Sent) Error() string { return string(s) }

// DigestOf returns the SHA-256 of a body, or of a key, as "sha256:" and 64 hex digits.
func DigestOf(body []byte) string {
	digest := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(digest[:])
}

// Empty reports whether an answer came without a body.
func (e *Exchange) Empty() bool { return len(e.Body) == 0 && e.Withheld == nil }

// AnswerDigest returns the SHA-256 of the status, the fault and the body, which is equal for the same answer.
func (e *Exchange) AnswerDigest() (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintln(h, e.Status)
	if e.Withheld != nil { // fmt recovers from a panic for a nil one, which takes longer than all else
		fmt.Fprintln(h, e.Withheld)
	}
	if e.Fault != nil {
		fmt.Fprintln(h, e.Fault)
	}
	_, _ = h.Write(e.Body)
	h.Sum(sum[:0])
	return sum
}

// SameAnswer reports whether two answers have the same status and, byte for byte, the same body.
func (e *Exchange) SameAnswer(other *Exchange) bool {
	if e.Fault != nil || other.Fault != nil || e.Status != other.Status {
		return false
	}
	if e.Withheld != nil && other.Withheld != nil {
		return *e.Withheld == *other.Withheld
	}
	return e.Withheld == other.Withheld && bytes.Equal(e.Body, other.Body)
}
