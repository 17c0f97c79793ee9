package strictjson

import (
	"fmt"
	"strconv"
)

// The rules that a text can break, as they stand in Error.Rule.
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

// Error says where a text is not one JSON text, or which bound it passes.
type Error struct {
	// Offset counts bytes from the start of the body, from 0, to where the fault was seen.
	Offset int
	// Pointer is the JSON Pointer (RFC 6901) of the value that was being read; "" is the whole text. It is made of
	// the target's own member names, unquoted and uncut.
	Pointer string
	// Rule is one of the words empty, byte-order-mark, utf-8, syntax, trailing, duplicate-member, surrogate, depth,
	// number-digits and number-exponent.
	Rule string
	// Detail says what was expected and what came, in printable ASCII.
	Detail string
}

// Error is one sentence in printable ASCII: what was expected, what came, and where. What it quotes of the target is
// escaped and cut, but not redacted.
func (e *Error) Error() string {
	where := ""
	if e.Pointer != "" {
		where = " in " + quote(e.Pointer)
	}
	return fmt.Sprintf("%s (at byte %d%s)", e.Detail, e.Offset, where)
}

// Bound reports whether the text was refused because it passes a bound, not because it is ill-formed.
func (e *Error) Bound() bool {
	return e.Rule == ruleDepth || e.Rule == ruleDigits || e.Rule == ruleExponent
}

// quoteLimit is how many bytes of the target's text a message quotes.
const quoteLimit = 120

// quote gives text as a quoted string of printable ASCII, cut where it is long.
func quote(text string) string {
	if len(text) > quoteLimit {
		return strconv.QuoteToASCII(text[:quoteLimit]) + "..."
	}
	return strconv.QuoteToASCII(text)
}
