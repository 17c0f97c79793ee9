// Package strictjson reads one JSON text strictly and within bounds.
//
// The JSON readers in common use forgive what a contract can't: text after the value, a member name that stands twice,
// bytes that are not UTF-8, half of a surrogate pair. Each of those lets two programs read different things out of the
// same answer. Here they are errors, each with its offset, its JSON Pointer and the rule it breaks (RFC 8259, RFC
// 7493).
//
// What is read comes from a target that nobody vouches for, so time and memory are bounded: one look at the text
// decides whether it is well-formed and how large each array and object is, and only a good text is built, at its
// exact size.
package strictjson

// The bounds of what is read. A text past one is refused with an *Error whose Bound method says true.
const (
	// MaxDepth is how deep arrays and objects may nest: 512 nested arrays are read, 513 are not.
	MaxDepth = 512
	// MaxDigits is how many digits a number may have in all, those of its exponent included.
	MaxDigits = 1000
	// MaxExponent is how far from zero a number's exponent may be, as written after the e.
	MaxExponent = 10000
)

// Decode reads a body that has to be exactly one JSON text. The value is made of map[string]any, []any, string,
// json.Number (the text as written), bool and nil. A body that breaks a rule or passes a bound gives a nil value and
// an *Error.
//
// Strings and numbers of the value share the memory of one copy of the body: the value is meant to be read, and keeps
// that copy alive. Beside the copy, a value takes up to 16 bytes per byte of a body of numbers or strings, but up to 60
// where the body is one of small objects: whoever decodes several large bodies at once adds that up.
func Decode(body []byte) (any, error) {
	text := string(body)
	c := checker{text: text, sized: true}
	if err := c.document(); err != nil {
		return nil, err
	}
	b := builder{text: text, sizes: c.sizes}
	b.skipSpace()
	return b.value(), nil
}

// Valid judges a body as Decode does, without building its value: the same bodies pass, and the rest give the same
// *Error.
func Valid(body []byte) error {
	c := checker{text: string(body)}
	if err := c.document(); err != nil {
		return err
	}
	return nil
}

// First reads the first JSON value of a body for those who ask only whether something stands there, such as a record
// in a refusal. A byte order mark before it, anything after it, doubled member names (the last one counts), bytes that
// are not UTF-8, raw control characters in strings and unpaired surrogates (both become U+FFFD where they can't be
// kept) are all forgiven; the bounds are not. The second result is false where no value could be read.
func First(body []byte) (any, bool) {
	text := string(body)
	c := checker{text: text, sized: true, lenient: true}
	if err := c.first(); err != nil {
		return nil, false
	}
	b := builder{text: text, sizes: c.sizes, lenient: true, pos: c.start}
	return b.value(), true
}

// FirstText is the text of the value that First reads, and nil where it reads none. It builds nothing.
func FirstText(body []byte) []byte {
	c := checker{text: string(body), lenient: true}
	if err := c.first(); err != nil {
		return nil
	}
	return body[c.start:c.pos]
}
