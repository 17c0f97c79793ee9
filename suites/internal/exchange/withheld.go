package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/strictjson"
)

// Withheld describes a body that is not kept. Either it is not UTF-8 text, so secrets in it might not be found, or a
// secret could not be removed. It keeps what judging needs: why the body is not one JSON text.
type Withheld struct {
	Size    int    `json:"size"`    // of the body, in bytes
	Digest  string `json:"digest"`  // of the body: "sha256:" and 64 hex digits
	Rule    string `json:"rule"`    // the rule of strictjson.Error, or ruleSecret
	Pointer string `json:"pointer"` // the pointer of strictjson.Error, redacted
	Why     string `json:"why"`     // the error in a sentence, redacted
}

func (w *Withheld) String() string {
	return fmt.Sprintf("of %d bytes, not shown as %s (%s)", w.Size, w.Reason(), w.Digest)
}

// Reason returns a sentence about why the body is not kept.
func (w *Withheld) Reason() string {
	if w.Rule == ruleSecret {
		return "it contains a secret"
	}
	return "it is not UTF-8 text"
}

// ruleSecret is the rule of a body that is withheld because a secret can't be removed from it.
const ruleSecret = "secret"

// withhold describes the body if it must not be shown. It returns nil if the body may be shown.
func (e *Exchange) withhold(secrets *sanitize.Secrets) *Withheld {
	if e.Withheld != nil || !secrets.Withhold(e.Body) {
		return e.Withheld
	}
	w := &Withheld{Size: len(e.Body), Digest: DigestOf(e.Body)}
	var broken *strictjson.Error
	if errors.As(strictjson.Valid(e.Body), &broken) {
		w.Rule, w.Pointer, w.Why = broken.Rule, secrets.Clean(broken.Pointer), secrets.Clean(broken.Error())
	}
	return w
}

// FirstLine returns the first line of the body that is not blank, redacted, with at most limit characters. It is "" if
// there is none. If values are hidden, it describes the body.
func (e *Exchange) FirstLine(values *sanitize.Values, limit int) string {
	switch {
	case e.Withheld != nil:
		return "a body " + e.Withheld.String()
	case values != nil && len(e.Body) > 0:
		return "a body of " + values.Bytes(e.Length(), sanitize.SumOf(e.Body))
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(e.Body), []byte("\n"))
	return sanitize.Printable(string(bytes.TrimSpace(line[:min(len(line), maxOfLine)])), limit)
}

// maxOfLine is how many bytes of a line are read for a message.
const maxOfLine = 64 << 10

// DigestOf returns the SHA-256 of a body as "sha256:" and 64 hex digits.
func DigestOf(body []byte) string {
	digest := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(digest[:])
}

// Empty reports whether an answer came without a body.
func (e *Exchange) Empty() bool { return len(e.Body) == 0 && e.Withheld == nil }

// SameAnswer reports whether two answers have the same status and, byte for byte, the same body.
func (e *Exchange) SameAnswer(other *Exchange) bool {
	if e.Fault != nil || other.Fault != nil || e.Dropped || other.Dropped || e.Status != other.Status {
		return false
	}
	if e.Withheld != nil && other.Withheld != nil {
		return *e.Withheld == *other.Withheld
	}
	return e.Withheld == other.Withheld && bytes.Equal(e.Body, other.Body)
}
