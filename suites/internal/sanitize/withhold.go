package sanitize

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/strictjson"
)

// maxDecoded is the longest body, before and after decoding, that is decoded here. A longer one is withheld.
const maxDecoded = 1 << 20

// Withhold reports whether a body must be neither stored nor shown, because its content can't be checked. Such a body
// is not UTF-8. It is also not text without secrets in UTF-16, UTF-32, Latin-1, gzip or zlib.
func (s *Secrets) Withhold(body []byte) bool {
	if utf8.Valid(body) {
		return false
	}
	if len(body) > maxDecoded || s.FoundIn(body) {
		return true
	}
	text, ok := decodeText(body)
	return !ok || s.Found(text)
}

// decodeText returns the text of a body that is not UTF-8, or false if it is not text.
func decodeText(body []byte) (string, bool) {
	if from := unpacker(body); from != nil {
		text, err := io.ReadAll(io.LimitReader(from, maxDecoded+1))
		return string(text), err == nil && len(text) <= maxDecoded && utf8.Valid(text)
	}
	if charset := strictjson.Charset(body); charset != nil {
		text, err := charset.NewDecoder().Bytes(body)
		return string(text), err == nil && !bytes.ContainsRune(text, utf8.RuneError)
	}
	return latin1(body)
}

// unpacker returns a reader of a gzip or zlib body, or nil for another body.
func unpacker(body []byte) io.Reader {
	if from, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		return from
	}
	// The zlib reader ignores what follows its stream, so that is read separately.
	rest := bytes.NewReader(body)
	from, err := zlib.NewReader(rest)
	if err != nil {
		return nil
	}
	return io.MultiReader(from, rest)
}

// latin1 decodes a text with one byte per character. At least three of four must be ASCII and none a control character,
// which excludes compressed data.
func latin1(body []byte) (string, bool) {
	text, nonText := make([]rune, len(body)), 0
	for i, b := range body {
		switch {
		case b < ' ' && b != '\t' && b != '\n' && b != '\r', b == 0x7f:
			return "", false
		case b >= utf8.RuneSelf:
			nonText++
		}
		text[i] = rune(b)
	}
	return string(text), 4*nonText <= len(body)
}
