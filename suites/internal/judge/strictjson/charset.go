package strictjson

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Charset returns UTF-16 or UTF-32, or nil if the body is neither. It recognises their byte order marks, and the zero
// bytes of a first ASCII character (RFC 4627, section 3).
func Charset(body []byte) encoding.Encoding {
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

// inUTF8 returns a body in UTF-8, if it is in UTF-16 or UTF-32, and else unchanged. What can't be decoded becomes
// U+FFFD.
func inUTF8(body []byte) []byte {
	charset := Charset(body)
	if charset == nil {
		return body
	}
	text, _ := charset.NewDecoder().Bytes(body) // it reports no error
	return text
}
