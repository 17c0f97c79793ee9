package input

import "time"

// SetPatience sets how long a pipe may send nothing, and returns what it was.
func SetPatience(now time.Duration) (before time.Duration) {
	before, patience = patience, now
	return before
}
