package strictjson

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// quote returns text as a quoted string of printable ASCII, cut if it is long.
func quote(text string) string { return quoteBeginning(text, 120) }

// beginning returns the beginning of a text, quoted: at most one line, but always a character.
func beginning(text string) string {
	if end := strings.IndexAny(text, "\r\n"); end > 0 {
		text = text[:end]
	}
	return quoteBeginning(text, 24)
}

func quoteBeginning(text string, limit int) string {
	if len(text) > limit {
		return strconv.QuoteToASCII(text[:limit]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// Described returns a sentence about a rule that a text breaks, without anything of the text.
func Described(rule string) string {
	return "a body that is not exactly one JSON text: " + rule
}

// explain returns an *Error for a fault that jsontext reported. The decoder reads from a buffer that has the whole
// text, so its offset and pointer are those of the fault.
func (r *reader) explain(err error) *Error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{len(r.text), "", ruleSyntax, "JSON that is cut off"}
	}
	refused := &jsontext.SyntacticError{} // stays empty for io.EOF, after an empty body
	errors.As(err, &refused)
	e := &Error{int(refused.ByteOffset), string(refused.JSONPointer), ruleSyntax, ""}
	rest := r.text[e.Offset:]
	char, width := utf8.DecodeRuneInString(rest)
	switch unit, isUnit := surrogateAt(rest); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Rule, e.Detail = ruleDuplicate, "the member "+quote(refused.JSONPointer.LastToken())+" twice in one object"
	case char == utf8.RuneError && width == 1:
		e.Rule, e.Detail = ruleUTF8, fmt.Sprintf("the byte 0x%02X, which is not UTF-8", rest[0])
	case isUnit:
		e.Rule = ruleSurrogate
		e.Detail = fmt.Sprintf(`\u%04X alone, where surrogates come in pairs (RFC 7493, section 2.1)`, unit)
	default:
		e.Detail = "text that is not JSON: " + beginning(rest)
	}
	return e
}

// surrogateAt returns the UTF-16 code unit of the escape \uhhhh at the start of a text that jsontext refuses there.
func surrogateAt(text string) (unit uint64, ok bool) {
	if len(text) < len(`\uhhhh`) || text[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return unit, err == nil
}
