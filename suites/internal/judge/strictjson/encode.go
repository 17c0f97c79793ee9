package strictjson

import (
	"bytes"
	"encoding/json"
	"io"
)

// Encode returns a value as compact JSON. < > & are not escaped, for human readers and for the search for secrets.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// EncodeMembers returns an object as compact JSON, with members in the given order: name, value, name, value …
func EncodeMembers(members ...any) ([]byte, error) {
	text := []byte("{")
	for i, part := range members {
		encoded, err := Encode(part)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ",:"[i%2])
		}
		text = append(text, encoded...)
	}
	return append(text, '}'), nil
}

// WriteIndented writes a value as JSON of several lines, without escaping < > &.
func WriteIndented(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
