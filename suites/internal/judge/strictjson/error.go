package strictjson

import (
	"fmt"
	"strconv"
	"strings"
)

// The values of Error.Rule: the rules that a text can break.
const (
	ruleEmpty     = "empty"
	ruleMark      = "byte-order-mark"
	ruleUTF8      = "utf-8"
	ruleSyntax    = "syntax"
	ruleTrailing  = "trailing"
	ruleDuplicate = "duplicate-member"
	ruleSurrogate = "surrogate"
	ruleDepth     = "depth"
	ruleDigits    = "number-digits"
	ruleExponent  = "number-exponent"
)

// Error describes where a text is not exactly one JSON text, or which bound it exceeds.
type Error struct {
	// Offset is the position of the fault, in bytes from the start of the body, starting at 0.
	Offset int
	// Pointer is the JSON Pointer (RFC 6901) of the value that was being read; "" is the whole text. It contains the
	// target's member names as they are, neither escaped for display nor cut.
	Pointer string
	// Rule is one of the words empty, byte-order-mark, utf-8, syntax, trailing, duplicate-member, surrogate, depth,
	// number-digits and number-exponent.
	Rule string
	// Detail is what came, in printable ASCII: "a byte order mark before the JSON".
	Detail string
}

// Error returns what came instead of exactly one JSON text, and where, in printable ASCII. Text from the target is
// escaped and cut, but not redacted.
func (e *Error) Error() string {
	switch {
	case e.Pointer != "":
		return fmt.Sprintf("%s (at byte %d in %s)", e.Detail, e.Offset, quote(e.Pointer))
	case e.Offset > 0:
		return fmt.Sprintf("%s (at byte %d)", e.Detail, e.Offset)
	}
	return e.Detail
}

// quoteLimit is how many bytes of the target's text a message quotes.
const quoteLimit = 120

// quote returns text as a quoted string of printable ASCII, cut if it is long.
func quote(text string) string {
	if len(text) > quoteLimit {
		return strconv.QuoteToASCII(text[:quoteLimit]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// beginning returns the beginning of a text, quoted: at most one line, but always a character.
func beginning(text string) string {
	const limit = 24
	if end := strings.IndexAny(text, "\r\n"); end > 0 {
		text = text[:end]
	}
	if len(text) > limit {
		return strconv.QuoteToASCII(text[:limit]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// Described returns a sentence about a rule that a text breaks, without anything of the text.
func Described(rule string) string {
	return "a body that is not exactly one JSON text: " + rule
}
