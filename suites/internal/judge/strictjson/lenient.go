package strictjson

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decoder reads a text token by token as it was written, with its order and spelling. Raw is the text of a value.
type (
	Decoder = jsontext.Decoder
	Raw     = jsontext.Value
)

// NewDecoder returns a lenient Decoder: it accepts names that occur twice and bytes that are no UTF-8.
func NewDecoder(text []byte) *Decoder {
	return jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
}

// IsJSON reports whether a text is one JSON value for a lenient reader.
func IsJSON(text []byte) bool {
	return Raw(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// AppendQuoted appends a text as a JSON string. Invalid UTF-8 is replaced.
func AppendQuoted(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, text)
	return to
}

// Unquoted returns the text of a JSON string.
func Unquoted(quoted string) string {
	text, _ := jsontext.AppendUnquote(nil, quoted) // a string that was parsed is valid except for bad UTF-8
	return string(text)
}

// WriteComplete is WriteIndented, but writes a list without elements as [], and never null. Characters that end a line
// in JavaScript are escaped. Bytes that are no UTF-8 are replaced, or are an error.
func WriteComplete(w io.Writer, value any, replace bool) error {
	err := json.MarshalWrite(w, value, json.Deterministic(true), jsontext.EscapeForJS(true),
		jsontext.AllowInvalidUTF8(replace), jsontext.WithIndent("  "))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}
