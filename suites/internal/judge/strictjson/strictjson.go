// Package strictjson reads one JSON text strictly and within bounds.
//
// Common JSON readers accept what a contract can't: text after the value, duplicate member names, invalid UTF-8, and
// unpaired surrogates. With each of them, two programs may read the same answer differently. Here they are errors with
// offset, JSON Pointer and the broken rule (RFC 8259, RFC 7493).
//
// jsontext reads the tokens. This package adds bounds, since the target is not trusted, the lenient reading that J13
// needs, and numbers that compare exactly.
package strictjson

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of a text. A text that exceeds one is refused with an *Error.
const (
	// MaxDepth is how deep arrays and objects may nest: 512 nested arrays are read, 513 are not.
	MaxDepth = 512
	// MaxDigits is how many digits a number may have in all, those of its exponent included.
	MaxDigits = 1000
	// MaxExponent is how far from zero a number's exponent may be, as written after the e.
	MaxExponent = 10000
)

const byteOrderMark = "\uFEFF"

// Decode reads a body that has to be exactly one JSON text. The value is made of map[string]any, []any, string,
// json.Number (the text as written), bool and nil. A body that breaks a rule or passes a bound gives a nil value and
// an *Error.
//
// Strings and numbers in the value share the memory of one copy of the body. Treat the value as read-only; it keeps
// that copy alive. In addition, numbers or strings take up to 16 bytes per byte of body, and small objects up to 60.
// While it grows it takes half as much again. Callers that decode several large bodies at once must add that up.
func Decode(body []byte) (any, error) {
	var value any
	err := readBody(body, func(r *reader) (err error) {
		value, err = r.readValue()
		return err
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Valid checks a body as Decode does, without building its value: it accepts the same bodies and returns the same
// *Error for the rest.
func Valid(body []byte) error {
	return readBody(body, (*reader).skipValue)
}

// readBody reads the only value of a body with the given function, and refuses anything after it.
func readBody(body []byte, readValue func(*reader) error) error {
	r := newReader(body)
	defer r.close()
	err := r.readOnly(readValue)
	if fault := (*Error)(nil); errors.As(err, &fault) {
		return identify(body, fault)
	}
	return err
}

func (r *reader) readOnly(readValue func(*reader) error) error {
	if strings.HasPrefix(r.text, byteOrderMark) {
		return r.fault(ruleMark, 0, "a byte order mark before the JSON (RFC 8259, section 8.1)")
	}
	if offset := r.skipSpace(0); offset == len(r.text) {
		return r.fault(ruleEmpty, 0, map[bool]string{true: "an empty body", false: "white space only"}[offset == 0])
	}
	if err := readValue(r); err != nil {
		return err
	}
	if offset := r.skipSpace(r.end); offset < len(r.text) {
		return r.fault(ruleTrailing, offset, "text after the JSON: "+beginning(r.text[offset:]))
	}
	return nil
}

// First reads the first JSON value of a body, leniently, to look for data such as a record in a refusal. It accepts a
// byte order mark, text after the value, and duplicate member names (the last one counts). It also accepts raw control
// characters in strings, which become spaces, and invalid UTF-8 and unpaired surrogates, which become U+FFFD. The
// bounds still apply. The second result is false if no value could be read.
func First(body []byte) (any, bool) {
	body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	r := newReader(withoutControls(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	defer r.close()
	value, err := r.readValue()
	return value, err == nil
}

// withoutControls returns a text with spaces in the place of raw control characters in strings, which jsontext always
// refuses.
func withoutControls(text []byte) []byte {
	text = bytes.Clone(text)
	inString, escaped := false, false
	for i, b := range text {
		if inString && b < ' ' {
			text[i] = ' '
		}
		if b == '"' && !escaped {
			inString = !inString
		}
		escaped = b == '\\' && !escaped
	}
	return text
}
