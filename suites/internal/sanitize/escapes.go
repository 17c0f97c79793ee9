package sanitize

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes one layer of escapes in data: JSON and other backslashes, URLs and HTML. It also removes zero bytes,
// which makes ASCII of UTF-16, and line breaks, which divide base64 (RFC 2045). It returns the result in buffer, and in edges the offsets in it where escapes started
// and ended. It returns false if there is no escape.
func unescape(data, buffer []byte, escapeEdges []uint32) ([]byte, []uint32, bool) {
	out, escapeEdges, done := buffer[:0], escapeEdges[:0], 0
	for i := nextEscape(data, 0); i < len(data); {
		plain, width := escape(data[i:])
		if width == 0 {
			i = nextEscape(data, i+1)
			continue
		}
		out = append(out, data[done:i]...)
		escapeEdges = append(escapeEdges, uint32(len(out)))
		out = append(out, plain...)
		escapeEdges = append(escapeEdges, uint32(len(out)))
		done = i + width
		i = nextEscape(data, done)
	}
	return append(out, data[done:]...), escapeEdges, len(escapeEdges) > 0
}

func nextEscape(data []byte, i int) int {
	for i < len(data) && classes[data[i]]&escapeStart == 0 {
		i++
	}
	return i
}

// escape returns the decoded form of the escape at the start of data, and the escape's width, or 0 if there is none.
func escape(data []byte) (plain string, width int) {
	switch data[0] {
	case 0:
		return "", len(data) - len(bytes.TrimLeft(data, "\x00"))
	case '\r', '\n':
		return "", len(data) - len(bytes.TrimLeft(data, "\r\n"))
	case '\\':
		return backslash(data)
	case '%':
		if b, ok := number(data[1:], 2, 16); ok {
			return string([]byte{byte(b)}), 3
		}
		return unit(data, "%u")
	}
	if len(data) > 1 && data[1] == '#' {
		return reference(data)
	}
	return entity(data)
}

// backslash decodes the escapes of JSON, similar ones of other languages, and a backslash before anything that is no
// letter, digit, space or control character, as in Markdown.
func backslash(data []byte) (plain string, width int) {
	if len(data) < 2 {
		return "", 0
	}
	const letters, meanings = "bfnrt", "\b\f\n\r\t"
	switch next := data[1]; {
	case next == 'u':
		return unit(data, `\u`)
	case next == 'x':
		if b, ok := number(data[2:], 2, 16); ok {
			return string([]byte{byte(b)}), 4
		}
	case strings.IndexByte(letters, next) >= 0:
		return string(meanings[strings.IndexByte(letters, next)]), 2
	case next >= '!' && !isAlphanumeric(next):
		return string([]byte{next}), 2
	}
	return "", 0
}

// unit decodes an escape of four hexadecimal digits, or two that form a surrogate pair.
func unit(data []byte, prefix string) (plain string, width int) {
	width = len(prefix) + 4
	high, ok := unitAt(data, prefix)
	if !ok {
		return "", 0
	}
	low, _ := unitAt(data[width:], prefix)
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return string(r), 2 * width
	}
	return string(high), width
}

func unitAt(data []byte, prefix string) (rune, bool) {
	if len(data) < len(prefix) || string(data[:len(prefix)]) != prefix {
		return 0, false
	}
	return number(data[len(prefix):], 4, 16)
}

// number parses the first count digits of data in a radix. It returns false if there are not as many.
func number(data []byte, count int, radix rune) (rune, bool) {
	if len(data) < count {
		return 0, false
	}
	value := rune(0)
	for _, b := range data[:count] {
		digit := rune(hexValues[b])
		if classes[b]&hexDigit == 0 || digit >= radix {
			return 0, false
		}
		value = value*radix + digit
	}
	return value, true
}

// reference decodes a numeric character reference of HTML, &#65; or &#x41;. The semicolon is optional.
func reference(data []byte) (plain string, width int) {
	at, radix := len("&#"), rune(10)
	if at < len(data) && data[at]|0x20 == 'x' {
		at, radix = at+1, 16
	}
	start, value := at, rune(0)
	for digit, ok := number(data[at:], 1, radix); ok; digit, ok = number(data[at:], 1, radix) {
		value = min(value*radix+digit, utf8.MaxRune+1)
		at++
	}
	if at == start {
		return "", 0
	}
	if at < len(data) && data[at] == ';' {
		at++
	}
	return string(value), at
}

// entity decodes a named character reference of HTML. The semicolon is optional after amp, lt, gt and quot.
func entity(data []byte) (plain string, width int) {
	end := 1
	for end < len(data) && isAlphanumeric(data[end]) {
		end++
	}
	if end < len(data) && data[end] == ';' {
		name := string(data[:end+1])
		if text := html.UnescapeString(name); text != name {
			return text, end + 1
		}
	}
	for _, known := range [...]struct{ name, text string }{{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", `"`}} {
		if strings.HasPrefix(string(data[1:end]), known.name) {
			return known.text, 1 + len(known.name)
		}
	}
	return "", 0
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
