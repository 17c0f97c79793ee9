package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// plainNumber is the length up to which a number without exponent is cheap to judge.
const plainNumber = 32

// isPlain reports whether a JSON number is cheap for gojsonschema.
func isPlain(number string) bool {
	return len(number) <= plainNumber && !strings.ContainsAny(number, "eE")
}

// Substitutes for a number that is costly to judge. The schemas require of a number only that it is whole, and the lint
// allows no other keyword for numbers.
const (
	wholeSubstitute      = json.Number("1")
	fractionalSubstitute = json.Number("0.5")
)

// substituteHugeNumbers returns the value with a substitute for each huge number that the schema judges. Objects and
// arrays with such a number are copied; the value itself is not changed. It panics on a Go type that decoding JSON with
// json.Number does not give, because gojsonschema would ignore such a value.
//
// gojsonschema expands an exponent to all its digits: a number of nine bytes could cost a megabyte, and a body full of
// them hours. Past an exponent of a million it treats every number as fractional.
func (n *schemaNode) substituteHugeNumbers(value any) (judged any, changed bool) {
	switch v := value.(type) {
	case json.Number:
		substitute := substituteFor(v)
		return substitute, substitute != v
	case map[string]any:
		return n.substituteInObject(v)
	case []any:
		return n.substituteInArray(v)
	case nil, bool, string:
		return v, false
	}
	panic(fmt.Sprintf("schemas: expected a value decoded from JSON with json.Number, got one of type %T", value))
}

func (n *schemaNode) substituteInObject(object map[string]any) (any, bool) {
	out, copied := object, false
	for i, name := range n.names {
		value, present := object[name]
		if !present {
			continue
		}
		judged, changed := n.members[i].substituteHugeNumbers(value)
		if !changed {
			continue
		}
		if !copied {
			out, copied = maps.Clone(object), true
		}
		out[name] = judged
	}
	return out, copied
}

func (n *schemaNode) substituteInArray(array []any) (any, bool) {
	if n.items == nil {
		return array, false
	}
	out, copied := array, false
	for i, value := range array {
		judged, changed := n.items.substituteHugeNumbers(value)
		if !changed {
			continue
		}
		if !copied {
			out, copied = slices.Clone(array), true
		}
		out[i] = judged
	}
	return out, copied
}

// substituteFor returns a number that gojsonschema judges like this one, at a limited cost.
func substituteFor(number json.Number) json.Number {
	if isPlain(string(number)) {
		return number
	}
	whole, ok := isWhole(string(number))
	switch {
	case !ok:
		return number
	case whole:
		return wholeSubstitute
	default:
		return fractionalSubstitute
	}
}

// jsonNumber splits a number into integer digits, fraction digits and exponent.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// isWhole reports whether the value of a JSON number has no fractional part. It is exact and reads the text once. Ok is
// false if the text is not a JSON number (RFC 8259, section 6).
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
	power := parseExponent(parts[3]) - len(parts[2]) + trailingZeros
	return power >= 0, true
}

// parseExponent reads an exponent and limits it to more digits than a text can have. Larger ones give the same result.
func parseExponent(exponent string) int {
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
