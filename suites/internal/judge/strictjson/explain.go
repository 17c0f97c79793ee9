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
	offset, pointer := r.skipSpace(r.end), string(r.decoder.StackPointer())
	named := parent == '{' && count%2 == 1 // a member name is expected next, not its value
	if count > 0 && !named {
		pointer = string(jsontext.Pointer(pointer).Parent())
	}
	switch next := r.peek(offset); {
	case named && next != ':':
		return r.unexpected(offset, pointer, "a colon after the member name")
	case count > 0 && !named && next != ',':
		closing := string(parent + 2) // in ASCII, } and ] are the opening character plus two
		return r.unexpected(offset, pointer, fmt.Sprintf("a comma or %q", closing))
	case count > 0:
		offset = r.skipSpace(offset + 1)
	}
	if parent == '[' {
		pointer = Pointer(pointer, strconv.FormatInt(count, 10))
	}
	switch next := r.peek(offset); {
	case next == '"':
		return r.badString(int(refused.ByteOffset), pointer)
	case parent == '{' && !named:
		return r.unexpected(offset, pointer, "a member name in quotation marks")
	case next == '-' || isDigit(next):
		return r.badNumber(offset, int(refused.ByteOffset), pointer)
	}
	return r.unexpected(offset, pointer, "a value")
}

// badString returns the fault of a string that jsontext refuses from an offset on.
func (r *reader) badString(offset int, pointer string) *Error {
	fault := func(rule string, offset int, detail string) *Error { return &Error{offset, pointer, rule, detail} }
	switch rest := r.text[offset:]; {
	case rest == "":
		return fault(ruleSyntax, offset, "expected a quotation mark to end the string, got the end of the text")
	case rest[0] < ' ':
		return fault(ruleSyntax, offset,
			fmt.Sprintf("expected control characters in strings to be escaped, got a raw %U", rest[0]))
	case rest[0] != '\\':
		return fault(ruleUTF8, offset, "expected a JSON text in UTF-8, got "+r.quoteAt(offset)+" in a string")
	case rest == `\`:
		return fault(ruleSyntax, offset+1, "expected the rest of an escape, got the end of the text")
	case rest[1] != 'u':
		return fault(ruleSyntax, offset,
			`expected one of " \ / b f n r t u after a backslash, got `+r.quoteAt(offset+1))
	default:
		escape := rest[:min(6, len(rest))]
		if unit, err := strconv.ParseUint(escape[2:], 16, 16); err == nil && len(escape) == 6 {
			return fault(ruleSurrogate, offset,
				fmt.Sprintf("expected surrogates in pairs, got \\u%04X alone (RFC 7493, section 2.1)", unit))
		}
		return fault(ruleSyntax, offset, `expected four hexadecimal digits after \u, got `+quote(escape))
	}
}

// badNumber returns the fault of a number that lacks a digit at an offset. For a number cut off by the end of the text,
// the fault is at the number's start.
func (r *reader) badNumber(start, offset int, pointer string) *Error {
	if offset == start {
		offset = len(r.text)
	}
	switch {
	case offset == start+1:
		return r.unexpected(offset, pointer, "a digit after the minus sign")
	case r.text[offset-1] == '.':
		return r.unexpected(offset, pointer, "a digit after the decimal point")
	}
	return r.unexpected(offset, pointer, "a digit in the exponent")
}

// unexpected returns the fault for another character than the wanted one at an offset.
func (r *reader) unexpected(offset int, pointer, wanted string) *Error {
	if char, width := utf8.DecodeRuneInString(r.text[offset:]); char == utf8.RuneError && width == 1 {
		return &Error{offset, pointer, ruleUTF8, "expected a JSON text in UTF-8, got " + r.quoteAt(offset)}
	}
	return &Error{offset, pointer, ruleSyntax, "expected " + wanted + ", got " + r.quoteAt(offset)}
}

// fault returns an *Error at an offset, for the last token or for the body.
func (r *reader) fault(rule string, offset int, detail string) *Error {
	return &Error{offset, string(r.decoder.StackPointer()), rule, detail}
}

// quoteAt describes the text at an offset.
func (r *reader) quoteAt(offset int) string {
	char, width := utf8.DecodeRuneInString(r.text[offset:])
	switch {
	case width == 0:
		return "the end of the text"
	case char == utf8.RuneError && width == 1:
		return fmt.Sprintf("the byte 0x%02X", r.text[offset])
	}
	return quote(string(char))
}
