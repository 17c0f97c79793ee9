package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// lockFile is what is locked in a report folder on Windows, where a folder itself can't be.
const lockFile = ".lock"

// lock locks a folder for this process and returns a function that releases it. It is an error if another process has
// the lock. If the file system has no locks, it does nothing.
func lock(dir string) (release func(), err error) {
	path, flags := dir, os.O_RDONLY
	if runtime.GOOS == "windows" {
		path, flags = filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR
	}
	held := flock.New(path, flock.SetFlag(flags))
	if locked, err := held.TryLock(); !locked && err == nil {
		return nil, fmt.Errorf("the report folder %q is in use by another process, and was left as it is: wait for "+
			"its end, or name another folder by --report-dir", dir)
	}
	return func() { _ = held.Close() }, nil
}
