//go:build unix

package main

import (
	"os"
	"syscall"
)

// peakOf returns the peak of a process's resident memory in bytes.
func peakOf(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10 // Linux counts KiB
	}
	return 0
}
