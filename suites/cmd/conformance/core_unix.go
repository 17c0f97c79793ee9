//go:build unix

package main

import "syscall"

// forbidCoreDumps keeps the memory of this process, in which the token stands, from any disk.
func forbidCoreDumps() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // less is always allowed
}
