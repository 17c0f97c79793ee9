package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// Substitutes for numbers. The schemas require of a number only that it is whole, and the lint allows no other keyword
// for numbers.
const (
	wholeSubstitute      = json.Number("1")
	fractionalSubstitute = json.Number("0.5")
)

// judged returns what gojsonschema judges in the place of a value: a copy with substitutes for the numbers at the
// places that the schema judges. It panics on a Go type that decoding JSON with json.Number does not give, because
// gojsonschema would ignore such a value.
//
// gojsonschema expands an exponent to all its digits: a number of nine bytes could cost a megabyte, and a body full of
// them hours. Past an exponent of a million it treats every number as fractional.
func (d *definition) judged(value any) any {
	switch v := value.(type) {
	case nil, bool, string:
		return v
	case json.Number:
		if isWhole(string(v)) {
			return wholeSubstitute
		}
		return fractionalSubstitute
	case map[string]any:
		members := maps.Clone(v)
		for i, name := range d.Properties.names {
			if member, present := v[name]; present {
				members[name] = d.Properties.schemas[i].judged(member)
			}
		}
		return members
	case []any:
		if d.Items == nil {
			return v
		}
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = d.Items.judged(element)
		}
		return elements
	}
	panic(fmt.Sprintf("schemas: expected a value decoded from JSON with json.Number, got one of type %T", value))
}

// isWhole reports whether the value of a JSON number has no fractional part. It is exact and reads the text once.
func isWhole(number string) bool {
	mantissa, exponent := strings.TrimPrefix(number, "-"), ""
	if e := strings.IndexAny(mantissa, "eE"); e >= 0 {
		mantissa, exponent = mantissa[:e], mantissa[e+1:]
	}
	integer, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(integer+fraction, "0")
	if digits == "" {
		return true // zero, whatever its exponent
	}
	// The value is a number that ends in a digit other than 0, times ten to the power of the sum. The limit, more
	// digits than a text can have, prevents an overflow.
	const limit = math.MaxInt / 4
	power, _ := strconv.Atoi(exponent) // of one past every integer, the largest or smallest integer
	return max(-limit, min(limit, power))+len(integer)-len(digits) >= 0
}
