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
	l, err := time.Parse(time.RFC3339Nano, left)
	if err != nil {
		return false
	}
	r, err := time.Parse(time.RFC3339Nano, right)
	return err == nil && l.Equal(r)
}

// looksLikeGUID tells whether a string has a GUID's length and hyphens. Whether it is one is the schema's to say; here it
// only tells a change of letters' case in an identifier from one in a text.
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
