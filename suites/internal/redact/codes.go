package redact

import (
	"encoding/base64"
	"strings"
)

// A run of digits is decoded from each of its first digits on that gives another reading.
type code struct {
	bits   int // of a digit
	starts int
	digit  func(b byte) int // -1 where b is none
}

// codes are base64, in both alphabets at once, and hexadecimal. Eight bits begin at every fourth digit of base64 and
// every second of hexadecimal.
func codes() [2]code {
	return [2]code{{bits: 6, starts: 4, digit: base64Digit}, {bits: 4, starts: 2, digit: hexDigit}}
}

func base64Digit(b byte) int {
	switch {
	case 'A' <= b && b <= 'Z':
		return int(b - 'A')
	case 'a' <= b && b <= 'z':
		return int(b-'a') + 26
	case '0' <= b && b <= '9':
		return int(b-'0') + 52
	case b == '+' || b == '-':
		return 62
	case b == '/' || b == '_':
		return 63
	}
	return -1
}

func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return int(b|0x20-'a') + 10
	}
	return -1
}

// decoded reads the run of digits from start to before end; bits that are left over make no byte. It uses buffer.
func (v *view) decoded(c code, start, end int, buffer []byte) *view {
	data, held, count := buffer[:0], uint32(0), 0
	for _, b := range v.data[start:end] {
		held = held<<c.bits | uint32(c.digit(b))
		if count += c.bits; count >= 8 {
			count -= 8
			data = append(data, byte(held>>count))
		}
	}
	return &view{data: data, parent: v, base: start, bits: c.bits}
}

// leastCore is how many bytes a secret has at least for its base64 to be known whatever became of its letters.
const leastCore = 9

// cores gives the base64 of a secret in both alphabets and after no, one or two bytes, without the digits that depend on
// what stands before and after it. Decoding finds base64 as it was written; these find it where its letters were made small
// or large, as happens to the names of headers and to media types.
func cores(secret string) []string {
	if len(secret) < leastCore {
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
