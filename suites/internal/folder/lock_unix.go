//go:build unix

package folder

import (
	"errors"
	"fmt"
	"syscall"
)

// Lock keeps the folder for this process until it is closed. The error says that another one has it. Where the file
// system knows no locks, nothing is kept.
func (f *Folder) Lock() error {
	err := syscall.Flock(int(f.held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("the report folder %q is %w: wait for its end, or name another folder by --report-dir", f.dir,
			ErrInUse)
	}
	return nil
}
