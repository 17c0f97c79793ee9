//go:build !unix

package main

// forbidCoreDumps does nothing: this system writes no core dumps by default.
func forbidCoreDumps() {}
