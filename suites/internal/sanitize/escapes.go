package sanitize

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodings undo one encoding in a whole text. Each needs a certain byte in the text, else there is nothing to undo.
var decodings = map[byte]func(text []byte) []byte{
	'\\': func(text []byte) []byte { return unescape(text, '\\', jsonEscape) },
	'%':  func(text []byte) []byte { return unescape(text, '%', percentEscape) },
	'&':  func(text []byte) []byte { return []byte(html.UnescapeString(string(text))) },
}

// unescape decodes the escapes in a text that begin with a byte. decode returns what the escape at the start of a text
// means, and its width, or 0 if it is no escape.
func unescape(text []byte, mark byte, decode func([]byte) (string, int)) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, mark)
		if i < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:i]...), text[i:]
		plain, width := decode(text)
		if width == 0 {
			plain, width = string(mark), 1
		}
		out, text = append(out, plain...), text[width:]
	}
}

// jsonEscape decodes an escape of JSON (RFC 8259 section 7). A surrogate pair is one escape.
func jsonEscape(text []byte) (plain string, width int) {
	if len(text) < 2 {
		return "", 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, text[1]); i >= 0 {
		return "\"\\/\b\f\n\r\t"[i : i+1], 2
	}
	const size = len(`\u0000`)
	high, ok := hexNumber(text, `\u`, size)
	if !ok {
		return "", 0
	}
	low, _ := hexNumber(text[size:], `\u`, size)
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return string(r), 2 * size
	}
	return string(high), size
}

// percentEscape decodes an escape of a URL (RFC 3986 section 2.1).
func percentEscape(text []byte) (plain string, width int) {
	const size = len("%00")
	b, ok := hexNumber(text, "%", size)
	if !ok {
		return "", 0
	}
	return string([]byte{byte(b)}), size
}

// hexNumber returns the number of up to four digits in an escape of so many bytes. It returns false if there is no such
// escape.
func hexNumber(text []byte, prefix string, size int) (rune, bool) {
	if len(text) < size || !bytes.HasPrefix(text, []byte(prefix)) {
		return 0, false
	}
	var number [2]byte
	digits := text[len(prefix):size]
	_, err := hex.Decode(number[len(number)-len(digits)/2:], digits)
	return rune(binary.BigEndian.Uint16(number[:])), err == nil
}
