package parity

import (
	"strings"
	"time"

	"authenticator-conformance/schemas"
)

// isEquivalent reports whether two different strings are the same GUID or the same instant. They may differ in
// case, in the offset, or in trailing zeros of the fraction (J14).
func isEquivalent(left, right string) bool {
	if schemas.IsGUID(left) {
		return strings.EqualFold(left, right)
	}
	l, lfraction, lok := instant(left)
	r, rfraction, rok := instant(right)
	return lok && rok && l.Equal(r) && lfraction == rfraction
}

// instant splits a date-time with an offset into its whole second and its fraction without trailing zeros. A time.Time
// alone would cut the fraction after nine digits.
func instant(s string) (second time.Time, fraction string, ok bool) {
	local, fraction, offset, _ := schemas.SplitDateTime(s)
	second, err := time.Parse(time.RFC3339, local+offset)
	return second, strings.TrimRight(fraction, ".0"), err == nil
}
