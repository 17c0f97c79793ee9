package strictjson

import (
	"fmt"
	"strconv"
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
	// Detail describes what was expected and what came, in printable ASCII.
	Detail string
}

// Error returns one sentence in printable ASCII: what was expected, what came, and where. Text from the target is
// escaped and cut, but not redacted.
func (e *Error) Error() string {
	location := ""
	if e.Pointer != "" {
		location = " in " + quote(e.Pointer)
	}
	return fmt.Sprintf("%s (at byte %d%s)", e.Detail, e.Offset, location)
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

// Described returns a sentence about a rule that a text breaks, without anything of the text.
func Described(rule string) string {
	return "not exactly one JSON text: the rule that is broken is " + rule
}
