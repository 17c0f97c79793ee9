//go:build !unix

package main

import "os"

// peakOf returns 0, because this system does not report the peak memory.
func peakOf(*os.ProcessState) int64 { return 0 }
