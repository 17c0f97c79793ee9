// Package plainjson is a second JSON reader, for tests of strictjson. It uses the standard library's decoder, and
// checks by hand what that decoder accepts wrongly. It shares no code with strictjson.
package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of J20, copied from the design and not from strictjson.
const (
	maxDepth    = 512
	maxDigits   = 1000
	maxExponent = 10_000
)

// Faults that the standard decoder accepts and strictjson refuses (RFC 7493, J20).
var (
	ErrBound     = errors.New("past a bound")
	ErrDuplicate = errors.New("a duplicate member name")
	ErrText      = errors.New("a string with bytes that are no UTF-8, or with half a surrogate pair")
)

var (
	errTrailing      = errors.New("more than one JSON text")
	escapedBackslash = regexp.MustCompile(`\\\\`)
	surrogatePair    = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate        = regexp.MustCompile(`(?i)\\ud[89a-f]`)
)

// Decode reads a body. The first fault decides the error: ErrBound, ErrDuplicate, ErrText, or any other for what the
// standard decoder refuses.
func Decode(body []byte) (any, error) {
	d := decoder{json.NewDecoder(bytes.NewReader(body)), body}
	d.UseNumber()
	value, err := d.readValue(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return value, nil
}

type decoder struct {
	*json.Decoder
	body []byte
}

// readToken reads a token. It returns ErrText if the token is not valid text.
func (d decoder) readToken() (json.Token, error) {
	start := d.InputOffset()
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	text := d.body[start:d.InputOffset()]
	unpaired := surrogatePair.ReplaceAll(escapedBackslash.ReplaceAll(text, []byte("-")), []byte("-"))
	if !utf8.Valid(text) || surrogate.Match(unpaired) {
		return nil, ErrText
	}
	return token, nil
}

func (d decoder) readValue(depth int) (any, error) {
	token, err := d.readToken()
	switch {
	case err != nil:
		return nil, err
	case token == json.Delim('{') || token == json.Delim('['):
		if depth == maxDepth {
			return nil, ErrBound
		}
		if token == json.Delim('{') {
			return d.readObject(depth + 1)
		}
		return d.readArray(depth + 1)
	}
	if number, ok := token.(json.Number); ok && !bounded(number.String()) {
		return nil, ErrBound
	}
	return token, nil
}

func (d decoder) readObject(depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.readToken()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if _, duplicate := object[name]; duplicate {
			return nil, ErrDuplicate
		}
		if object[name], err = d.readValue(depth); err != nil {
			return nil, err
		}
	}
	_, err := d.readToken()
	return object, err
}

func (d decoder) readArray(depth int) (any, error) {
	array := []any{}
	for d.More() {
		element, err := d.readValue(depth)
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := d.readToken()
	return array, err
}

// bounded reports whether a number is within the bounds for all its digits and for its exponent as written.
func bounded(number string) bool {
	digits := 0
	for _, r := range number {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits > maxDigits {
		return false
	}
	_, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		return true
	}
	value, err := strconv.Atoi(exponent)
	return err == nil && -maxExponent <= value && value <= maxExponent
}
