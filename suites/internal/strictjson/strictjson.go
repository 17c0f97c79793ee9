// Package strictjson reads one JSON text strictly and within bounds.
//
// The JSON readers in common use forgive what a contract can't: text after the value, a member name that stands twice,
// bytes that are not UTF-8, half of a surrogate pair. Each of those lets two programs read different things out of the
// same answer. Here they are errors, each with its offset, its JSON Pointer and the rule it breaks (RFC 8259, RFC
// 7493).
//
// jsontext reads the tokens. This package adds the bounds, since what is read comes from a target that nobody vouches
// for; the lenient reading that J13 needs; and numbers that compare exactly.
package strictjson

import "strings"

// The bounds of what is read. A text past one is refused with an *Error whose Bound method says true.
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
// Strings and numbers of the value share the memory of one copy of the body: the value is meant to be read, and keeps
// that copy alive. Beside the copy, a value takes up to 16 bytes per byte of a body of numbers or strings, but up to 60
// if the body is one of small objects, and half as much again while it grows: whoever decodes several large bodies at
// once adds that up.
func Decode(body []byte) (any, error) {
	var value any
	err := readBody(body, func(r *reader) (err *Error) {
		value, err = r.readValue()
		return err
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Valid judges a body as Decode does, without building its value: the same bodies pass, and the rest give the same
// *Error.
func Valid(body []byte) error {
	if err := readBody(body, (*reader).skipValue); err != nil {
		return err
	}
	return nil
}

// readBody reads the one value of a body, by the function given, and refuses anything else beside it.
func readBody(body []byte, readValue func(*reader) *Error) *Error {
	r := newReader(body)
	defer r.close()
	if strings.HasPrefix(r.text, byteOrderMark) {
		return r.fault(ruleMark, 0,
			"expected a JSON text, got a byte order mark before it: it has to go (RFC 8259, section 8.1)")
	}
	if at := r.skipSpace(0); at == len(r.text) {
		return r.fault(ruleEmpty, at, "expected a JSON text, got nothing but white space or no byte at all")
	}
	if err := readValue(r); err != nil {
		return err
	}
	if at := r.skipSpace(r.end); at < len(r.text) {
		return r.fault(ruleTrailing, at, "expected the end after one JSON text, got "+r.quoteAt(at))
	}
	return nil
}
