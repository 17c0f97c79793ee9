package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
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
	if charset := charsetOf(body); charset != nil {
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

// charsetOf returns UTF-16 or UTF-32, or nil if the body is neither. It recognises their byte order marks, and the zero
// bytes of a first ASCII character (RFC 4627, section 3).
func charsetOf(body []byte) encoding.Encoding {
	for _, charset := range []struct {
		signatures []string
		charset    encoding.Encoding
	}{
		{[]string{"\xff\xfe\x00\x00", "?\x00\x00\x00"}, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{[]string{"\x00\x00\xfe\xff", "\x00\x00\x00?"}, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{[]string{"\xff\xfe", "?\x00"}, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{[]string{"\xfe\xff", "\x00?"}, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	} {
		for _, signature := range charset.signatures {
			if startsLike(body, signature) {
				return charset.charset
			}
		}
	}
	return nil
}

// startsLike reports whether a body starts with mark. In it, ? is any ASCII character but zero.
func startsLike(body []byte, signature string) bool {
	if len(body) < len(signature) {
		return false
	}
	for i := range len(signature) {
		if ascii := 0 < body[i] && body[i] < utf8.RuneSelf; body[i] != signature[i] && (signature[i] != '?' || !ascii) {
			return false
		}
	}
	return true
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
