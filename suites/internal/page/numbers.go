package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// grouped writes a number with a comma before each three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

func users(n int64) string {
	if n == 1 {
		return "1 user"
	}
	return grouped(n) + " users"
}

func often(n int64) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return grouped(n) + " times"
}

// rounded writes a number with as many digits as say something.
func rounded(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case x == 0:
		return "0"
	case x >= 100 && x < 1<<62:
		return grouped(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// mostDecimals is enough for one user of a hundred billion.
const mostDecimals = 9

// percent writes a part of a whole. It says 0 and 100 only where it is none and all.
func percent(n, of int64) string {
	switch {
	case of <= 0:
		return "–"
	case n <= 0:
		return "0 %"
	case n >= of:
		return "100 %"
	}
	share := 100 * float64(n) / float64(of)
	for decimals := 1; decimals < mostDecimals; decimals++ {
		text := strconv.FormatFloat(share, 'f', decimals, 64)
		if strings.Trim(text, "0.") != "" && !strings.HasPrefix(text, "100") {
			return text + " %"
		}
	}
	return "almost none or all"
}

// lasting writes a time in seconds, in the units that fit it.
func lasting(seconds float64) string {
	switch {
	case seconds < 60:
		return rounded(seconds) + " s"
	case seconds > math.MaxInt64/float64(time.Second):
		return rounded(seconds/24/3600) + " days"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// latency writes how long a request took: two digits, and a unit.
func latency(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	x, unit := float64(d.Microseconds()), "µs"
	switch {
	case d >= time.Second:
		x, unit = d.Seconds(), "s"
	case d >= time.Millisecond:
		x, unit = d.Seconds()*1000, "ms"
	}
	decimals := 0
	if x < 10 && x != math.Trunc(x) {
		decimals = 1
	}
	return fmt.Sprintf("%.*f %s", decimals, x, unit)
}

// clock writes a time since the beginning.
func clock(seconds float64) string {
	if seconds >= 1<<53 {
		return rounded(seconds) + " s"
	}
	s := int64(seconds)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
