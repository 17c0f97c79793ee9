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

// Substitutes for a number that is costly to judge: the schemas ask of a number only whether it is whole (the lint
// allows no keyword that asks for more), and these answer like it.
const (
	wholeSubstitute      = json.Number("1")
	fractionalSubstitute = json.Number("0.5")
)

// substituteHugeNumbers guards against the cost of huge numbers: gojsonschema expands an exponent to all its digits,
// so one number of nine bytes could cost it a megabyte and a body of them hours. Past an exponent of a million it takes
// every number for fractional. The result has substitutes where the schema looks at a number. The value itself is not
// changed: what holds such a number is copied, all else is given back as it is.
//
// It guards against values of other Go types too, which gojsonschema would pass over without judging them: it panics on
// a type that decoding JSON with numbers kept does not give.
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
	panic(fmt.Sprintf("schemas: expected a value decoded from JSON with numbers kept, got one of type %T", value))
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

// jsonNumber splits a number into whole digits, fraction digits and exponent.
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
	power := saturated(parts[3]) - len(parts[2]) + trailingZeros
	return power >= 0, true
}

// saturated reads an exponent and limits it to more digits than a text can hold. Larger exponents give the same result.
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
