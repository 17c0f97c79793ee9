package page

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"authenticator-conformance/suites/internal/wording"
)

func grouped(n int64) string { return wording.Number(n) }

func users(n int64) string { return wording.Count(n, "user") }

// rounded formats a number with as many digits as are meaningful.
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

func percent(n, of int64) string { return wording.Percent(n, of) }

// formatDuration formats a time in seconds in suitable units.
func formatDuration(seconds float64) string {
	switch {
	case seconds < 60:
		return rounded(seconds) + " s"
	case seconds > math.MaxInt64/float64(time.Second):
		return rounded(seconds/24/3600) + " days"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// latency formats the duration of a request with two digits and a unit.
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

// clock formats a time since the beginning.
func clock(seconds float64) string {
	if seconds >= 1<<53 {
		return rounded(seconds) + " s"
	}
	s := int64(seconds)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
