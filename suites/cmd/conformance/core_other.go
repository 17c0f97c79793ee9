//go:build !unix

package main

// forbidCoreDumps does nothing: this system makes none by itself.
func forbidCoreDumps() {}
