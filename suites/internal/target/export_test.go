package target

import (
	"time"

	"authenticator-conformance/suites/internal/exchange"
)

// What the tests of this package reach beyond its exported names.
var (
	RetryAfter = func(ex *exchange.Exchange, unasked time.Duration, now time.Time) (time.Duration, bool) {
		return retryAfter(ex, unasked, now)
	}
	BadTokens = badTokens
)
