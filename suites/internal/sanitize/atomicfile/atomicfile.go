// Package atomicfile writes files whole or not at all. It writes to a temporary file in the same folder, and renames it
// at the end.
package atomicfile

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// File is a temporary file that is to replace the file at path.
type File struct {
	*os.File
	path string
}

// Create creates a temporary file for a place. The umask applies to the mode. The error is the system's.
func Create(path string, mode fs.FileMode) (*File, error) {
	temporary := prefix(path) + strconv.FormatUint(rand.Uint64(), 10) // that no other file has
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &File{File: file, path: path}, nil
}

// prefix returns the start of the path of all temporary files for a place.
func prefix(path string) string {
	folder, name := filepath.Split(path)
	return filepath.Join(folder, "."+name)
}

// Finish syncs the file to disk and closes it.
func (f *File) Finish() error {
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// Replace renames the file to its place. It must be closed.
func (f *File) Replace() error { return os.Rename(f.Name(), f.path) }

// Discard closes the file and removes it, unless Replace has succeeded. Errors here can't be handled.
func (f *File) Discard() {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// Write writes a text to a place, whole or not at all.
func Write(path string, text []byte, mode fs.FileMode) error {
	file, err := Create(path, mode)
	if err != nil {
		return err
	}
	defer file.Discard()
	if _, err = file.Write(text); err == nil {
		err = file.Finish()
	}
	if err == nil {
		err = file.Replace()
	}
	return err
}

// Clean removes the temporary files for a place that a killed process left behind. The caller has locked the folder, so
// that none is of another process.
func Clean(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // writing to the folder will report the error
	}
	for _, entry := range entries {
		temporary := filepath.Join(filepath.Dir(path), entry.Name())
		number, found := strings.CutPrefix(temporary, prefix(path))
		if found && number != "" && strings.Trim(number, "0123456789") == "" && entry.Type().IsRegular() {
			_ = os.Remove(temporary) // if it stays it does no harm
		}
	}
}
