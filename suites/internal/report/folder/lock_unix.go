//go:build unix

package folder

import (
	"errors"
	"fmt"
	"syscall"
)

// lock locks the folder for this process until Close. It is an error if another process has it. If the file system has
// no locks, it does nothing.
func (f *Folder) lock() error {
	err := syscall.Flock(int(f.handle.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("the report folder %q is in use by another process, and was left as it is: wait for its "+
			"end, or name another folder by --report-dir", f.dir)
	}
	return nil
}
