package parity

import (
	"strings"
	"time"
)

// sameInOtherWords tells whether two different strings are the same GUID or the same instant, written otherwise: in the
// other case, with another offset, with more zeros in the fraction (J14).
func sameInOtherWords(left, right string) bool {
	if looksLikeGUID(left) && looksLikeGUID(right) {
		return strings.EqualFold(left, right)
	}
	l, lfraction, lok := instant(left)
	r, rfraction, rok := instant(right)
	return lok && rok && l.Equal(r) && lfraction == rfraction
}

// instant splits a date-time with an offset into its whole second and the digits of its fraction without trailing
// zeros: time.Time would cut them after nine.
func instant(s string) (second time.Time, fraction string, ok bool) {
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		end := dot + 1
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		if end == dot+1 {
			return second, "", false
		}
		fraction = strings.TrimRight(s[dot+1:end], "0")
		s = s[:dot] + s[end:]
	}
	second, err := time.Parse(time.RFC3339, s)
	return second, fraction, err == nil
}

// looksLikeGUID tells whether a string has a GUID's length and hyphens. Whether it is one is the schema's to say; here
// it only tells a change of letters' case in an identifier from one in a text.
func looksLikeGUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		hex := '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
		if hyphen != (c == '-') || !hyphen && !hex {
			return false
		}
	}
	return true
}
