package spec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of J20 as the design states them; the judge's own are not asked.
const (
	deepest    = 512
	mostDigits = 1000
	farthest   = 10_000
)

var (
	errBound    = errors.New("past a bound")
	errTrailing = errors.New("more than one JSON text")
)

// decode reads a body with another decoder than the judge's, which refuses all that RFC 8259 and RFC 7493 do, and sees
// to the bounds. The first thing wrong decides: errBound, or whatever that decoder says.
func decode(body []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	value, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errTrailing
	}
	return value, nil
}

func decodeValue(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	switch {
	case err != nil:
		return nil, err
	case d.StackDepth() > deepest:
		return nil, errBound
	}
	switch token.Kind() {
	case '{':
		return decodeObject(d)
	case '[':
		return decodeArray(d)
	case '"':
		return token.String(), nil
	case '0':
		if number := token.String(); bounded(number) {
			return json.Number(number), nil
		}
		return nil, errBound
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func decodeObject(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		member := name.String()
		if object[member], err = decodeValue(d); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func decodeArray(d *jsontext.Decoder) (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		element, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := d.ReadToken()
	return array, err
}

// bounded tells whether a number keeps its bounds: digits in all, and the exponent as written.
func bounded(number string) bool {
	digits := 0
	for _, r := range number {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits > mostDigits {
		return false
	}
	_, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		return true
	}
	value, err := strconv.Atoi(exponent)
	return err == nil && -farthest <= value && value <= farthest
}
