package strictjson

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Decimal is the exact value of a JSON number. It is canonical: two numbers of equal value, such as 1, 1.0 and 10e-1,
// or 0 and -0, give Decimals that are equal by == too. The zero value is the number zero.
//
// It uses no binary fractions and never expands an exponent, so 1e10000 costs no more than 1.
type Decimal struct {
	negative bool
	digits   string // no zero at either end; empty for zero
	power    int    // the value is digits × 10^power
}

// powerLimit prevents an integer overflow, for an exponent that Decode would have refused.
const powerLimit = 1 << 30

// ParseDecimal returns the value of a number that Decode accepted. For any other text the result is meaningless.
func ParseDecimal(n json.Number) Decimal {
	text := string(n)
	unsigned := strings.TrimPrefix(text, "-")
	mantissa, power := unsigned, 0
	if e := strings.IndexAny(unsigned, "eE"); e >= 0 {
		mantissa = unsigned[:e]
		power = exponentValue(unsigned[e+1:], powerLimit)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power -= len(fraction)

	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return Decimal{}
	}
	return Decimal{
		negative: len(unsigned) < len(text),
		digits:   significant,
		power:    power + len(digits) - len(significant),
	}
}

// exponentValue reads an exponent, "5", "+5" or "-005", and stops counting past the limit.
func exponentValue(text string, limit int) int {
	digits := strings.TrimLeft(text, "+-")
	value := 0
	for i := 0; i < len(digits) && value <= limit; i++ {
		value = value*10 + int(digits[i]-'0')
	}
	value = min(value, limit+1)
	if strings.HasPrefix(text, "-") {
		return -value
	}
	return value
}

// Equal reports whether both are the same number.
func (d Decimal) Equal(o Decimal) bool { return d == o }

// Compare returns -1 if d is less than o, 0 if they are equal, and 1 if d is greater.
func (d Decimal) Compare(o Decimal) int {
	if d.sign() != o.sign() {
		return compareInts(d.sign(), o.sign())
	}
	return d.sign() * d.compareSize(o)
}

func (d Decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compareSize compares the absolute values of two numbers that are not zero. If their first digits have the same power
// of ten, the digits compare as text, since neither has trailing zeros.
func (d Decimal) compareSize(o Decimal) int {
	if order := compareInts(len(d.digits)+d.power, len(o.digits)+o.power); order != 0 {
		return order
	}
	return strings.Compare(d.digits, o.digits)
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// plainDigits is how many digits String writes before it uses an exponent.
const plainDigits = 30

// String returns one exact text per value. It has plain digits if at most 30 are needed (-12.5, 1000), else scientific
// notation (1.5e10000).
func (d Decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	point := len(d.digits) + d.power // how many digits are before the decimal point; may be negative
	switch {
	case d.power >= 0 && point <= plainDigits:
		return sign + d.digits + strings.Repeat("0", d.power)
	case d.power < 0 && point > 0 && len(d.digits) <= plainDigits:
		return sign + d.digits[:point] + "." + d.digits[point:]
	case d.power < 0 && point <= 0 && 1-d.power <= plainDigits:
		return sign + "0." + strings.Repeat("0", -point) + d.digits
	}
	text := sign + d.digits[:1]
	if len(d.digits) > 1 {
		text += "." + d.digits[1:]
	}
	return text + "e" + strconv.Itoa(point-1)
}
