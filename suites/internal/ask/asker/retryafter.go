package asker

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// retryAfter returns how long an answer asks to wait, and whether it says so. Retry-After is seconds or an HTTP date
// (RFC 9110 §10.2.3). A date is measured from the answer's own Date, as the clocks of both sides may differ.
func retryAfter(ex *exchange.Exchange) (time.Duration, bool) {
	header := strings.TrimSpace(ex.Header.Get("Retry-After"))
	if at, err := http.ParseTime(header); err == nil {
		now, err := http.ParseTime(ex.Header.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		return at.Sub(now), true
	}
	if header == "" || strings.Trim(header, "0123456789") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(header, 10, 32)
	if err != nil {
		seconds = 1 << 30 // more than an int32 can hold: longer than any run
	}
	return time.Duration(seconds) * time.Second, true
}
