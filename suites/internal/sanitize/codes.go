package sanitize

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// code is an encoding of bytes as digits. A run of digits is decoded from each start position that gives a different
// result.
type code struct {
	class     class
	bits      int // bits per digit
	starts    int
	separated bool // a separator follows every two digits
}

// codes are base64 in both alphabets at once, and hexadecimal without and with separators. A byte can start at each of
// four digits of base64, and at each of two of hexadecimal.
var codes = [...]code{
	{class: base64Digit, bits: 6, starts: 4},
	{class: hexDigit, bits: 4, starts: 2},
	{class: hexDigit, bits: 4, starts: 1, separated: true},
}

// class is a set of byte classes.
type class uint8

const (
	base64Digit class = 1 << iota
	hexDigit
	separator   // between pairs of hexadecimal digits
	escapeStart // first byte of an escape
)

// separators are the bytes that programs write between pairs of hexadecimal digits; + is a space in form data.
const separators = "-: +"

// classes has the class of each byte. base64Values and hexValues have the value of each digit.
var classes, base64Values, hexValues = tables()

func tables() (classes [256]class, ofBase64, ofHex [256]uint8) {
	for _, alphabet := range []string{"+/", "-_"} {
		for value, digit := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + alphabet) {
			classes[digit] |= base64Digit
			ofBase64[digit] = uint8(value)
		}
	}
	for _, letters := range []string{"abcdef", "ABCDEF"} {
		for value, digit := range []byte("0123456789" + letters) {
			classes[digit] |= hexDigit
			ofHex[digit] = uint8(value)
		}
	}
	for _, b := range []byte(separators) {
		classes[b] |= separator
	}
	for _, b := range []byte("\\%&\x00\r\n") {
		classes[b] |= escapeStart
	}
	return classes, ofBase64, ofHex
}

// size returns how many bytes of text encode the given number of bytes at least.
func (c *code) size(decoded int) int {
	if c.separated {
		return 3*decoded - 1
	}
	return (decoded*8 + c.bits - 1) / c.bits
}

// next returns the first run of at least size digits that starts at from or later. start is negative if there is none.
// It checks only every size-th byte until it finds a digit.
func (c *code) next(data []byte, from, size int) (start, end int) {
	if c.separated {
		return nextPairs(data, from, size)
	}
	for at := from + size - 1; at < len(data); at += size {
		if classes[data[at]]&c.class == 0 {
			continue
		}
		for start = at; start > from && classes[data[start-1]]&c.class != 0; {
			start--
		}
		for end = at + 1; end < len(data) && classes[data[end]]&c.class != 0; {
			end++
		}
		if end-start >= size {
			return start, end
		}
		at = end
	}
	return -1, -1
}

// nextPairs is next for pairs of hexadecimal digits, where every third byte is a separator.
func nextPairs(data []byte, from, size int) (start, end int) {
	pair := func(at int) bool {
		return at >= from && at+1 < len(data) && classes[data[at]]&hexDigit != 0 && classes[data[at+1]]&hexDigit != 0
	}
	for at := from + size - 3; at >= from && at+2 < len(data); at += size - 2 {
		for middle := at; middle < at+3; middle++ {
			if classes[data[middle]]&separator == 0 || !pair(middle-2) || !pair(middle+1) {
				continue
			}
			for start = middle - 2; pair(start-3) && data[start-1] == data[middle]; {
				start -= 3
			}
			for end = middle + 3; pair(end+1) && data[end] == data[middle]; {
				end += 3
			}
			if end-start >= size {
				return start, end
			}
		}
	}
	return -1, -1
}

// decoded decodes a run of digits into buffer; leftover bits are dropped. The second result is false if the result has
// no run of at least `least` plausible bytes.
func (c *code) decoded(digits []byte, minLength int, possible *[256]bool, buffer []byte) ([]byte, bool) {
	data, values := buffer[:0], &hexValues
	if c.class == base64Digit {
		values = &base64Values
	}
	held, count, run, longest := uint32(0), 0, 0, 0
	for _, b := range digits {
		if c.separated && classes[b]&hexDigit == 0 {
			continue
		}
		held = held<<c.bits | uint32(values[b])
		if count += c.bits; count >= 8 {
			count -= 8
			one := byte(held >> count)
			data = append(data, one)
			if run++; !possible[one] {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	return data, longest >= minLength
}

// minCore is the least number of bytes in a secret whose base64 is recognised even if its case was changed.
const minCore = 9

// cores returns the base64 of a secret in both alphabets and all three alignments. Digits that depend on neighbouring
// bytes are left out. It finds base64 whose case was changed, as in header names and media types, which decoding can't
// find.
func cores(secret string) []string {
	if len(secret) < minCore {
		return nil
	}
	var list []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			whole := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			whole = whole[(8*before+5)/6:]
			if (before+len(secret))%3 != 0 {
				whole = whole[:len(whole)-1]
			}
			list = append(list, whole)
		}
	}
	return list
}

// utf16Texts returns the UTF-16 bytes of a text, little-endian and big-endian.
func utf16Texts(text string) []string {
	var littleEndian, bigEndian []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		littleEndian = binary.LittleEndian.AppendUint16(littleEndian, unit)
		bigEndian = binary.BigEndian.AppendUint16(bigEndian, unit)
	}
	return []string{string(littleEndian), string(bigEndian)}
}
