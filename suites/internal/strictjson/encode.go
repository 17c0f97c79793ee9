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

// WriteIndented writes a value as JSON of several lines, without escaping < > &.
func WriteIndented(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
