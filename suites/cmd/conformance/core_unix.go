//go:build unix

package main

import "syscall"

// forbidCoreDumps disables core dumps, because the memory of this process contains the token.
func forbidCoreDumps() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // lowering a limit is always allowed
}
