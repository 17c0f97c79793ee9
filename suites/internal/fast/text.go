package fast

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// pass gives the position of the next byte of a string that has to be looked at: a quotation mark, a backslash, a
// control character, or one of a character beyond ASCII; the end of the body where none is left.
func pass(body []byte, pos int) int {
	// Eight bytes at a time: the highest bit of a byte in `found` says that it has to be looked at. A subtraction sets it
	// where the byte is below what is taken away, and borrows from the byte behind; so that one may be wrong, but the
	// first is right.
	const each, highest = 0x0101010101010101, 0x8080808080808080
	for ; len(body)-pos >= 8; pos += 8 {
		eight := binary.LittleEndian.Uint64(body[pos:])
		quotes, backslashes := eight^each*'"', eight^each*'\\'
		found := (eight | (eight - each*' ') | (quotes - each) | (backslashes - each)) & highest
		if found != 0 {
			return pos + bits.TrailingZeros64(found)/8
		}
	}
	for pos < len(body) && body[pos] >= ' ' && body[pos] != '"' && body[pos] != '\\' && body[pos] < utf8.RuneSelf {
		pos++
	}
	return pos
}

// escape reads the escape that the text begins with; two where they make a surrogate pair. The size is 0 where the text
// begins with none, or with half of a pair.
func escape(text []byte) (char rune, size int) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, 0
	}
	if text[1] != 'u' {
		const letters, chars = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		if i := strings.IndexByte(letters, text[1]); i >= 0 {
			return rune(chars[i]), 2
		}
		return 0, 0
	}
	high, ok := unit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, unitSize
	}
	low, ok := unit(text[unitSize:])
	if char = utf16.DecodeRune(high, low); !ok || char == utf8.RuneError {
		return 0, 0
	}
	return char, 2 * unitSize
}

// unitSize is how many bytes an escape of four hex digits takes.
const unitSize = len(`\u0000`)

// unit reads the UTF-16 unit that an escape of four hex digits stands for.
func unit(text []byte) (rune, bool) {
	if len(text) < unitSize || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	value := rune(0)
	for _, c := range text[2:unitSize] {
		switch {
		case isDigit(c):
			value = value<<4 | rune(c-'0')
		case isHex(c):
			value = value<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return value, true
}

// isUser is J12: a string that was read names the user; a difference of case is only observed. With escapes it has to
// name the user exactly.
func isUser(raw []byte, plain bool, user string) bool {
	if plain {
		return string(raw) == user || strings.EqualFold(string(raw), user)
	}
	for len(raw) > 0 {
		char, size := utf8.DecodeRune(raw)
		if char == '\\' {
			char, size = escape(raw)
		}
		// A user that is not UTF-8 holds bytes that no string holds: their width tells them from U+FFFD.
		next, width := utf8.DecodeRuneInString(user)
		if next != char || width != utf8.RuneLen(char) {
			return false
		}
		raw, user = raw[size:], user[width:]
	}
	return user == ""
}
