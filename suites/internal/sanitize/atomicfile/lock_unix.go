//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// lock locks a file for this process until it is closed. An error means that another process has it, or that locks are
// not supported.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
