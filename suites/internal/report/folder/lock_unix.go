//go:build unix

package folder

import (
	"errors"
	"fmt"
	"syscall"
)

// Lock locks the folder for this process until Close. The error wraps ErrInUse if another process has it. If the file
// system has no locks, it does nothing.
func (f *Folder) Lock() error {
	err := syscall.Flock(int(f.handle.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("the report folder %q is %w: wait for its end, or name another folder by --report-dir", f.dir,
			ErrInUse)
	}
	return nil
}
