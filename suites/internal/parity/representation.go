package parity

import (
	"strings"
	"time"

	"authenticator-conformance/schemas"
)

// sameInOtherWords tells whether two different strings are the same GUID or the same instant, written otherwise: in the
// other case, with another offset, with more zeros in the fraction (J14).
func sameInOtherWords(left, right string) bool {
	if schemas.IsGUID(left) && schemas.IsGUID(right) {
		return strings.EqualFold(left, right)
	}
	l, lfraction, lok := instant(left)
	r, rfraction, rok := instant(right)
	return lok && rok && l.Equal(r) && lfraction == rfraction
}

// instant splits a date-time with an offset into its whole second and the digits of its fraction without trailing
// zeros: time.Time would cut them after nine.
func instant(s string) (second time.Time, fraction string, ok bool) {
	local, fraction, offset, _ := schemas.SplitDateTime(s)
	second, err := time.Parse(time.RFC3339, local+offset)
	return second, strings.TrimRight(fraction, ".0"), err == nil
}
