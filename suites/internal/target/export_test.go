package target

import (
	"time"

	"authenticator-conformance/suites/internal/exchange"
)

// What the tests of this package reach beyond its exported names.
var (
	RetryAfter = func(ex *exchange.Exchange, defaultWait time.Duration, now time.Time) (time.Duration, bool) {
		return retryAfter(ex, defaultWait, now)
	}
	BadTokens = badTokens
)

// PausedUntil is when requests go on where a target asked to wait until these moments, one after the other.
func PausedUntil(ends ...time.Time) time.Time {
	var p throttlePause
	for _, end := range ends {
		p.until(end)
	}
	return p.end
}
