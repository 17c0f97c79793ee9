package sanitize

import (
	"encoding/base64"
	"encoding/binary"
	"iter"
	"strings"
	"unicode/utf16"
)

// code is an encoding of bytes as digits. A byte can start at each of the first few digits of a run.
type code struct {
	values *[256]int8 // of each digit; -1 for any other byte
	bits   int        // bits per digit
	starts int
}

var (
	base64Values = valuesOf(base64Digits+"+/", base64Digits+"-_") // in both alphabets at once
	hexValues    = valuesOf("0123456789abcdef", "0123456789ABCDEF")

	base64Code = &code{&base64Values, 6, 4}
	hexCode    = &code{&hexValues, 4, 2}
)

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func valuesOf(alphabets ...string) (values [256]int8) {
	for i := range values {
		values[i] = -1
	}
	for _, alphabet := range alphabets {
		for value, digit := range []byte(alphabet) {
			values[digit] = int8(value)
		}
	}
	return values
}

// runs yields each run of at least size digits.
func (c *code) runs(data []byte, size int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for i := range len(data) + 1 {
			if i < len(data) && c.values[data[i]] >= 0 {
				continue
			}
			if i-start >= size && !yield(data[start:i]) {
				return
			}
			start = i + 1
		}
	}
}

// decoded decodes a run of digits into buffer; leftover bits are dropped. The second result is false if the result has
// no run of at least minLength possible bytes.
func (c *code) decoded(digits []byte, minLength int, possible *[256]bool, buffer []byte) ([]byte, bool) {
	data := buffer[:0]
	held, count, run, longest := uint32(0), 0, 0, 0
	for _, b := range digits {
		held = held<<c.bits | uint32(c.values[b])
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

// separators are the bytes that programs write between pairs of hexadecimal digits; + is a space in form data.
const separators = "-: +"

var isSeparator = setOfBytes(separators)

// joined returns data without separators.
func joined(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, b := range data {
		if !isSeparator[b] {
			out = append(out, b)
		}
	}
	return out
}

func setOfBytes(bytes string) (set [256]bool) {
	for _, b := range []byte(bytes) {
		set[b] = true
	}
	return set
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
