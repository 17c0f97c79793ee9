package strictjson

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// First reads the first JSON value of a body for those who ask only whether something stands there, such as a record
// in a refusal. A byte order mark before it, anything after it, doubled member names (the last one counts), bytes that
// are not UTF-8, raw control characters in strings and unpaired surrogates (both become U+FFFD if they can't be
// kept) are all forgiven; the bounds are not. The second result is false if no value could be read.
func First(body []byte) (any, bool) {
	text := bytes.ToValidUTF8(FirstText(body), []byte("\uFFFD"))
	r := newLenient(replaceControls(text, func(raw byte) string { return fmt.Sprintf(`\u%04x`, raw) }))
	defer r.close()
	value, err := r.readValue()
	return value, err == nil
}

// FirstText is the text of the value that First reads, and nil if it reads none. It builds nothing.
func FirstText(body []byte) []byte {
	body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	r := newLenient(replaceControls(body, func(byte) string { return " " }))
	defer r.close()
	start := r.skipSpace(0)
	if r.skipValue() != nil {
		return nil
	}
	return body[start:r.end]
}

func newLenient(text []byte) *reader {
	return newReader(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// replaceControls replaces the raw control characters in strings, which jsontext never takes.
func replaceControls(text []byte, with func(raw byte) string) []byte {
	replaced := make([]byte, 0, len(text))
	inString, escaped := false, false
	for _, b := range text {
		if inString && b < ' ' && !escaped {
			replaced = append(replaced, with(b)...)
			continue
		}
		replaced = append(replaced, b)
		if b == '"' && !escaped {
			inString = !inString
		}
		escaped = inString && b == '\\' && !escaped
	}
	return replaced
}
