package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/settings/input"
)

// CheckPlace returns an error unless the file that a flag names may be written: nothing is there, an empty file, or a
// regular file that isOurs accepts by its content. A link to one counts as one. kind is what the flag writes.
func CheckPlace(flag, path, kind string, isOurs func(content []byte) bool) error {
	refuse := func(is string) error {
		return fmt.Errorf("%s: %s %s, and is not replaced: name another file", flag, path, is)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: %s: the folder does not exist: make it", flag, path)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse("is a link to a file that does not exist")
	case err != nil:
		return refuse("cannot be read: " + input.WithoutPath(err).Error())
	case info.IsDir():
		return refuse("is a folder")
	case !info.Mode().IsRegular():
		return refuse("is a device or a pipe")
	case info.Size() == 0:
		return nil
	}
	content, err := input.ReadFile(path)
	switch {
	case err != nil:
		return refuse(err.Error())
	case !isOurs(content):
		return refuse("is no " + kind)
	}
	return nil
}
