//go:build !defect

package run

// injectDefect does nothing in the suite as it ships.
func injectDefect() {}
