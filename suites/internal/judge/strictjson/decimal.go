package strictjson

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Decimal is the exact value of a JSON number. It is canonical: two numbers of equal value, such as 1, 1.0 and 10e-1,
// or 0 and -0, give Decimals that are equal by ==. The zero value is the number zero.
//
// It uses no binary fractions and never expands an exponent, so 1e10000 costs no more than 1.
type Decimal struct {
	sign   int    // -1, 0 or 1
	digits string // no zero at either end; empty for zero
	power  int    // the value is sign × digits × 10^power
}

// powerLimit prevents an integer overflow, for an exponent that Decode would have refused.
const powerLimit = 1<<30 + 1

// ParseDecimal returns the value of a number that Decode accepted. For any other text the result is meaningless.
func ParseDecimal(n json.Number) Decimal {
	mantissa, negative := strings.CutPrefix(string(n), "-")
	power := 0
	if e := strings.IndexAny(mantissa, "eE"); e >= 0 {
		power, _ = strconv.Atoi(mantissa[e+1:]) // of one past every integer, the largest or smallest integer
		power = max(-powerLimit, min(powerLimit, power))
		mantissa = mantissa[:e]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return Decimal{}
	}
	d := Decimal{1, significant, power - len(fraction) + len(digits) - len(significant)}
	if negative {
		d.sign = -1
	}
	return d
}

// Compare returns -1 if d is less than o, 0 if they are equal, and 1 if d is greater.
func (d Decimal) Compare(o Decimal) int {
	if d.sign != o.sign {
		return cmp.Compare(d.sign, o.sign)
	}
	// If their first digits have the same power of ten, the digits compare as text, since neither has trailing zeros.
	return d.sign * cmp.Or(cmp.Compare(d.point(), o.point()), strings.Compare(d.digits, o.digits))
}

// point returns how many digits are before the decimal point; it may be negative.
func (d Decimal) point() int { return len(d.digits) + d.power }

// plainDigits is how many digits String writes before it uses an exponent.
const plainDigits = 30

// String returns one exact text per value. It has plain digits if at most 30 are needed (-12.5, 1000), else scientific
// notation (1.5e10000).
func (d Decimal) String() string {
	if d.sign == 0 {
		return "0"
	}
	sign, point := "", d.point()
	if d.sign < 0 {
		sign = "-"
	}
	switch {
	case d.power >= 0 && point <= plainDigits:
		return sign + d.digits + strings.Repeat("0", d.power)
	case d.power < 0 && point > 0 && len(d.digits) <= plainDigits:
		return sign + d.digits[:point] + "." + d.digits[point:]
	case point <= 0 && 1-d.power <= plainDigits:
		return sign + "0." + strings.Repeat("0", -point) + d.digits
	}
	text := sign + d.digits[:1]
	if len(d.digits) > 1 {
		text += "." + d.digits[1:]
	}
	return text + "e" + strconv.Itoa(point-1)
}
