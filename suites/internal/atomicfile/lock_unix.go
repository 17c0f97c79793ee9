//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// lock keeps a file for this process until it is closed. An error means that another one has it, or that there are no
// locks.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
