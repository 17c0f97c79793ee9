package client

// Unexported names that the tests of this package need.
var (
	FailedHere  = failedHere
	HangGrace   = &hangGrace
	IdleTimeout = &idleTimeout
)
