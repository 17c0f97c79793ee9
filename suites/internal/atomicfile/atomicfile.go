// Package atomicfile writes files whole or not at all: beside their places first, where they wait to be put there.
package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// File is a file that is not in its place yet.
type File struct {
	*os.File
	place  string
	closed bool
	broke  error // why it is not durable, once it is closed
	placed bool
}

// Create begins a file that is meant for a place, with the mode that the process's mask leaves of the one given. The
// error is that of the system.
func Create(place string, mode fs.FileMode) (*File, error) {
	for {
		path := prefix(place) + strconv.FormatUint(rand.Uint64(), 10)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_ = lock(file) // where there are no locks, nobody takes it for one that was left behind
		return &File{File: file, place: place}, nil
	}
}

// prefix is what the names of all files begin with that are meant for a place.
func prefix(place string) string {
	folder, name := filepath.Split(place)
	return filepath.Join(folder, "."+name)
}

// Replace makes the file durable and puts it into its place.
func (f *File) Replace() error {
	err := f.Finish()
	if err == nil {
		err = os.Rename(f.Name(), f.place)
	}
	f.placed = err == nil
	return err
}

// Finish makes the file durable and closes it. Replace does so too, unless it was done before.
func (f *File) Finish() error {
	if !f.closed {
		f.closed = true
		f.broke = f.Sync()
		if err := f.Close(); f.broke == nil {
			f.broke = err
		}
	}
	return f.broke
}

// Discard removes the file unless it is in its place.
func (f *File) Discard() {
	if !f.closed {
		f.closed = true
		_ = f.Close() // it is not needed any more
	}
	if !f.placed {
		f.placed = true
		_ = os.Remove(f.Name()) // nothing is left to do where this fails
	}
}

// Write puts a text into a place.
func Write(place string, text []byte, mode fs.FileMode) error {
	file, err := Create(place, mode)
	if err != nil {
		return err
	}
	defer file.Discard()
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Replace()
}

// Clean removes the files meant for a place that a process left behind as it was killed: those that nobody holds
// locked.
func Clean(place string) {
	entries, err := os.ReadDir(filepath.Dir(place))
	if err != nil {
		return // what keeps the folder from being read will be told where it is written to
	}
	for _, entry := range entries {
		path := filepath.Join(filepath.Dir(place), entry.Name())
		number, found := strings.CutPrefix(path, prefix(place))
		if found && number != "" && strings.Trim(number, "0123456789") == "" && entry.Type().IsRegular() {
			remove(path)
		}
	}
}

func remove(path string) {
	file, err := os.Open(path)
	if err != nil {
		return // it is in nobody's way
	}
	err = lock(file)
	_ = file.Close() // before it is removed, for systems that keep what is open
	if err == nil {
		_ = os.Remove(path)
	}
}
