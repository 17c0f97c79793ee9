package schemas

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// plainNumber is the length up to which a number without exponent is left to gojsonschema as it stands.
const plainNumber = 32

// Stand-ins for a number that is costly to judge: the schemas ask of a number only whether it is whole (the lint
// allows no keyword that asks for more), and these answer like it.
const (
	wholeStandIn      = json.Number("1")
	fractionalStandIn = json.Number("0.5")
)

// tameNumber gives a number that gojsonschema judges like n, at a bounded cost. gojsonschema expands an exponent to all
// its digits, so that one number of nine bytes could cost it a megabyte and a body of them hours; and past an exponent
// of a million it takes every number for fractional.
func tameNumber(n json.Number) json.Number {
	text := string(n)
	if len(text) <= plainNumber && !strings.ContainsAny(text, "eE") {
		return n
	}
	whole, ok := isWhole(text)
	switch {
	case !ok:
		return n
	case whole:
		return wholeStandIn
	default:
		return fractionalStandIn
	}
}

// jsonNumber splits a number into whole digits, fraction digits and exponent.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// isWhole tells whether the value of a JSON number has no fractional part, exactly and in one pass over its text; ok is
// false where the text is no JSON number (RFC 8259, section 6).
func isWhole(text string) (whole, ok bool) {
	parts := jsonNumber.FindStringSubmatch(text)
	if parts == nil {
		return false, false
	}
	digits := strings.TrimRight(parts[1]+parts[2], "0")
	if digits == "" {
		return true, true // zero, whatever its exponent
	}
	// The value is a number that ends in a digit other than 0, times ten to the power of `power`.
	trailingZeros := len(parts[1]) + len(parts[2]) - len(digits)
	power := saturated(parts[3]) - len(parts[2]) + trailingZeros
	return power >= 0, true
}

// saturated reads an exponent; one past any text's length is cut to that, for more digits than a text can hold answer
// the same.
func saturated(exponent string) int {
	const limit = math.MaxInt / 4
	value, err := strconv.Atoi(exponent)
	switch {
	case exponent == "":
		return 0
	case err == nil:
		return max(-limit, min(limit, value))
	case strings.HasPrefix(exponent, "-"):
		return -limit
	default:
		return limit
	}
}
