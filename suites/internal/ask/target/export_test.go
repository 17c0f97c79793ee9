package target

import "time"

// Unexported names that the tests of this package need.
var (
	RetryAfter  = retryAfter
	FailedHere  = failedHere
	CloseGrace  = &closeGrace
	IdleTimeout = &idleTimeout
)

// PausedUntil returns when requests continue after a target asked to wait until each of these times, one after the
// other.
func PausedUntil(ends ...time.Time) time.Time {
	var p throttlePause
	for _, end := range ends {
		p.until(end)
	}
	return *p.end.Load()
}
