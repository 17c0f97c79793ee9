// Package wording formats numbers and counts for all reports and messages.
package wording

import (
	"strconv"
	"strings"
)

// Number formats a number with a comma before every three digits: 20,000.
func Number[N int | int64](n N) string {
	sign, digits := "", strconv.FormatInt(int64(n), 10)
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Count formats a count of something whose plural ends in s: "1 user", "20,000 users".
func Count[N int | int64](n N, noun string) string { return Plural(n, noun, noun+"s") }

// Plural formats a count with the matching form of the noun: "1 entry", "2 entries".
func Plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Times formats how often something happened: "never", "once", "3 times".
func Times[N int | int64](n N) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return Number(n) + " times"
}

// maxDecimals is enough for one in a hundred billion.
const maxDecimals = 9

// Percent formats a part of a whole: "1.7 %". It returns "0 %" and "100 %" only for none and all, and "–" for a whole
// of 0.
func Percent(n, total int64) string {
	switch {
	case total <= 0:
		return "–"
	case n <= 0:
		return "0 %"
	case n >= total:
		return "100 %"
	}
	share := 100 * float64(n) / float64(total)
	for decimals := 1; decimals < maxDecimals; decimals++ {
		text := strconv.FormatFloat(share, 'f', decimals, 64)
		if strings.Trim(text, "0.") != "" && !strings.HasPrefix(text, "100") {
			return text + " %"
		}
	}
	return "almost none or all"
}

// List lists texts in a sentence: "a, b and c".
func List(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
