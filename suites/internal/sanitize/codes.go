package sanitize

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
)

// code is an encoding of bytes as digits. A byte can start at each of the first few digits of a run.
type code struct {
	values [256]int8 // of each digit; -1 for any other byte
	inRun  [256]bool // digits and what may stand between them
	bits   int       // bits per digit
	starts int
}

var (
	base64Code = newCode("", 6, 4, base64Digits+"+/", base64Digits+"-_") // in both alphabets at once
	hexCode    = newCode(separators, 4, 2, "0123456789abcdef", "0123456789ABCDEF")
)

// separators are the bytes that programs write between pairs of hexadecimal digits; + is a space in form data.
const separators = "-: +"

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func newCode(separators string, bits, starts int, alphabets ...string) *code {
	c := &code{inRun: setOfBytes(strings.Join(alphabets, separators)), bits: bits, starts: starts}
	for i := range c.values {
		c.values[i] = -1
	}
	for _, alphabet := range alphabets {
		for value, digit := range []byte(alphabet) {
			c.values[digit] = int8(value)
		}
	}
	return c
}

// runs yields each run of at least size digits, without what separates them.
func (c *code) runs(data []byte, size int) iter.Seq[[]byte] {
	isSeparator := func(b byte) bool { return c.values[b] < 0 }
	return func(yield func([]byte) bool) {
		for begin, end := 0, 0; ; {
			if begin, end = stretch(data, end, size, &c.inRun); begin == end {
				return
			}
			run := data[begin:end]
			if slices.ContainsFunc(run, isSeparator) {
				run = slices.DeleteFunc(bytes.Clone(run), isSeparator)
			}
			if len(run) >= size && !yield(run) {
				return
			}
		}
	}
}

// mayEncode reports whether a run of digits encodes so many bytes of a set in a row.
func (c *code) mayEncode(digits []byte, least int, set *[256]bool) bool {
	number := len(digits) * c.bits / 8
	return rowOf(0, number, least, func(at int) bool { return set[c.byteAt(digits, at)] }) < number
}

// decoded returns the bytes that a run of digits encodes; leftover bits are dropped.
func (c *code) decoded(digits []byte) []byte {
	data := make([]byte, len(digits)*c.bits/8)
	for at := range data {
		data[at] = c.byteAt(digits, at)
	}
	return data
}

// byteAt returns one of the bytes that digits encode. Each is in two of them.
func (c *code) byteAt(digits []byte, at int) byte {
	first, before := at*8/c.bits, at*8%c.bits
	both := uint32(c.values[digits[first]])<<c.bits | uint32(c.values[digits[first+1]])
	return byte(both >> (2*c.bits - 8 - before))
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
