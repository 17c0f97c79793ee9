package strictjson

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// explain returns an *Error for a fault that jsontext reported. It computes offset and pointer from the decoder's
// position after the last good token. Those of jsontext itself depend on how far it read ahead.
func (r *reader) explain(err error) *Error {
	refused := &jsontext.SyntacticError{} // stays empty for io.EOF, after an empty body
	errors.As(err, &refused)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return &Error{int(refused.ByteOffset), string(refused.JSONPointer), ruleDuplicate,
			"expected each member name once in an object, got " + quote(refused.JSONPointer.LastToken()) +
				" a second time"}
	}
	parent, count := r.decoder.StackIndex(r.decoder.StackDepth())
	at, pointer := r.skipSpace(r.end), string(r.decoder.StackPointer())
	named := parent == '{' && count%2 == 1 // a member name is expected next, not its value
	if count > 0 && !named {
		pointer = string(jsontext.Pointer(pointer).Parent())
	}
	switch next := r.peek(at); {
	case named && next != ':':
		return r.unexpected(at, pointer, "a colon after the member name")
	case count > 0 && !named && next != ',':
		closing := string(parent + 2) // in ASCII, } and ] are the opening character plus two
		return r.unexpected(at, pointer, fmt.Sprintf("a comma or %q", closing))
	case count > 0:
		at = r.skipSpace(at + 1)
	}
	if parent == '[' {
		pointer = Pointer(pointer, strconv.FormatInt(count, 10))
	}
	switch next := r.peek(at); {
	case next == '"':
		return r.badString(int(refused.ByteOffset), pointer)
	case parent == '{' && !named:
		return r.unexpected(at, pointer, "a member name in quotation marks")
	case next == '-' || isDigit(next):
		return r.badNumber(at, int(refused.ByteOffset), pointer)
	}
	return r.unexpected(at, pointer, "a value")
}

// badString returns the fault of a string that jsontext refuses from an offset on.
func (r *reader) badString(at int, pointer string) *Error {
	fault := func(rule string, at int, detail string) *Error { return &Error{at, pointer, rule, detail} }
	switch rest := r.text[at:]; {
	case rest == "":
		return fault(ruleSyntax, at, "expected a quotation mark to end the string, got the end of the text")
	case rest[0] < ' ':
		return fault(ruleSyntax, at,
			fmt.Sprintf("expected control characters in strings to be escaped, got a raw %U", rest[0]))
	case rest[0] != '\\':
		return fault(ruleUTF8, at, "expected a JSON text in UTF-8, got "+r.quoteAt(at)+" in a string")
	case rest == `\`:
		return fault(ruleSyntax, at+1, "expected the rest of an escape, got the end of the text")
	case rest[1] != 'u':
		return fault(ruleSyntax, at, `expected one of " \ / b f n r t u after a backslash, got `+r.quoteAt(at+1))
	default:
		escape := rest[:min(6, len(rest))]
		if unit, err := strconv.ParseUint(escape[2:], 16, 16); err == nil && len(escape) == 6 {
			return fault(ruleSurrogate, at,
				fmt.Sprintf("expected surrogates in pairs, got \\u%04X alone (RFC 7493, section 2.1)", unit))
		}
		return fault(ruleSyntax, at, `expected four hexadecimal digits after \u, got `+quote(escape))
	}
}

// badNumber returns the fault of a number that lacks a digit at an offset. For a number cut off by the end of the text,
// the fault is at the number's start.
func (r *reader) badNumber(start, at int, pointer string) *Error {
	if at == start {
		at = len(r.text)
	}
	switch {
	case at == start+1:
		return r.unexpected(at, pointer, "a digit after the minus sign")
	case r.text[at-1] == '.':
		return r.unexpected(at, pointer, "a digit after the decimal point")
	}
	return r.unexpected(at, pointer, "a digit in the exponent")
}

// unexpected returns the fault for another character than the wanted one at an offset.
func (r *reader) unexpected(at int, pointer, wanted string) *Error {
	if char, width := utf8.DecodeRuneInString(r.text[at:]); char == utf8.RuneError && width == 1 {
		return &Error{at, pointer, ruleUTF8, "expected a JSON text in UTF-8, got " + r.quoteAt(at)}
	}
	return &Error{at, pointer, ruleSyntax, "expected " + wanted + ", got " + r.quoteAt(at)}
}

// fault returns an *Error at an offset, for the last token or for the body.
func (r *reader) fault(rule string, at int, detail string) *Error {
	return &Error{at, string(r.decoder.StackPointer()), rule, detail}
}

// quoteAt describes the text at an offset.
func (r *reader) quoteAt(at int) string {
	char, width := utf8.DecodeRuneInString(r.text[at:])
	switch {
	case width == 0:
		return "the end of the text"
	case char == utf8.RuneError && width == 1:
		return fmt.Sprintf("the byte 0x%02X", r.text[at])
	}
	return quote(string(char))
}

// peek returns the byte at an offset, or 0 at the end, as JSON never allows a zero byte.
func (r *reader) peek(at int) byte {
	if at == len(r.text) {
		return 0
	}
	return r.text[at]
}
