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

// mostDecoded is how long a body may be, as it came and decoded, that is decoded here; in a longer one there may be
// anything.
const mostDecoded = 1 << 20

// Withhold reports whether a body must be neither kept nor shown, as nobody can say what stands in it: it is no UTF-8,
// and no text free of secrets in UTF-16, UTF-32, Latin-1, gzip or zlib either.
func (s *Secrets) Withhold(body []byte) bool {
	if utf8.Valid(body) {
		return false
	}
	if len(body) > mostDecoded || s.FoundIn(body) {
		return true
	}
	text, ok := decodeText(body)
	return !ok || s.Found(text)
}

// decodeText reads a body that is no UTF-8 as a text; false where it is none.
func decodeText(body []byte) (string, bool) {
	if from := unpacker(body); from != nil {
		text, err := io.ReadAll(io.LimitReader(from, mostDecoded+1))
		return string(text), err == nil && len(text) <= mostDecoded && utf8.Valid(text)
	}
	if charset := charsetOf(body); charset != nil {
		text, err := charset.NewDecoder().Bytes(body)
		return string(text), err == nil && !bytes.ContainsRune(text, utf8.RuneError)
	}
	return latin1(body)
}

// unpacker undoes gzip or zlib, where a body begins so.
func unpacker(body []byte) io.Reader {
	if from, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		return from
	}
	// What follows the end of zlib would not be read.
	rest := bytes.NewReader(body)
	from, err := zlib.NewReader(rest)
	if err != nil {
		return nil
	}
	return io.MultiReader(from, rest)
}

// charsetOf tells UTF-16 and UTF-32 by their byte order mark, and by the zero bytes of a first character of ASCII (RFC
// 4627, section 3); nil where it is neither.
func charsetOf(body []byte) encoding.Encoding {
	for _, charset := range []struct {
		marks   []string
		charset encoding.Encoding
	}{
		{[]string{"\xff\xfe\x00\x00", "?\x00\x00\x00"}, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{[]string{"\x00\x00\xfe\xff", "\x00\x00\x00?"}, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{[]string{"\xff\xfe", "?\x00"}, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{[]string{"\xfe\xff", "\x00?"}, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	} {
		for _, mark := range charset.marks {
			if beginsLike(body, mark) {
				return charset.charset
			}
		}
	}
	return nil
}

// beginsLike compares the first bytes of a body; ? stands for any character of ASCII but zero.
func beginsLike(body []byte, mark string) bool {
	if len(body) < len(mark) {
		return false
	}
	for i := range len(mark) {
		if ascii := 0 < body[i] && body[i] < utf8.RuneSelf; body[i] != mark[i] && (mark[i] != '?' || !ascii) {
			return false
		}
	}
	return true
}

// latin1 reads a text of one byte a character. Three of four are ASCII and none is a control character: what is
// compressed has both otherwise.
func latin1(body []byte) (string, bool) {
	text, others := make([]rune, len(body)), 0
	for i, b := range body {
		switch {
		case b < ' ' && b != '\t' && b != '\n' && b != '\r', b == 0x7f:
			return "", false
		case b >= utf8.RuneSelf:
			others++
		}
		text[i] = rune(b)
	}
	return string(text), 4*others <= len(body)
}
