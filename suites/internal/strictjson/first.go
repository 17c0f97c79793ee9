package strictjson

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// First reads the first JSON value of a body, leniently, to look for data such as a record in a refusal. It accepts a
// byte order mark, text after the value, and duplicate member names (the last one counts). It also accepts invalid
// UTF-8, raw control characters in strings, and unpaired surrogates. The latter two become U+FFFD if they can't be
// kept. The bounds still apply. The second result is false if no value could be read.
func First(body []byte) (any, bool) {
	text := bytes.ToValidUTF8(FirstText(body), []byte("\uFFFD"))
	r := newLenient(replaceControls(text, func(raw byte) string { return fmt.Sprintf(`\u%04x`, raw) }))
	defer r.close()
	value, err := r.readValue()
	return value, err == nil
}

// FirstText returns the text of the value that First reads, or nil if there is none. It builds no value.
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

// replaceControls replaces the raw control characters in strings, which jsontext always refuses.
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
