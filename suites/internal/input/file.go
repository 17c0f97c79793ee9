// Package input reads the files that people hand to the suite: bounded, without a byte order mark, in valid UTF-8.
// Every error says which file and line is wrong, and shows no more of it than fits on a line.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"
)

// MaxFile is how many bytes of a file are held in memory.
const MaxFile = 64 << 20

// ReadFile reads a file or a pipe, without its byte order mark. It refuses devices and what is longer than 64 MiB.
// Errors do not repeat the path, which may be a secret in the wrong place.
func ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, "more than a file of settings may have")
}

// ReadAll reads a text as ReadFile does. The error for one that is too long ends with what to do.
func ReadAll(text io.Reader, whatToDo string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(text, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = errors.New("it is longer than 64 MiB, " + whatToDo)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %v", WithoutPath(err))
	}
	return WithoutMark(data), nil
}

// Open opens a file or a pipe. Errors do not repeat the path.
func Open(path string) (*os.File, error) {
	err := RefuseDevice(path)
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", WithoutPath(err))
	}
	return file, nil
}

// RefuseDevice is an error for a device such as /dev/zero, which may have no end. It does not repeat the path.
func RefuseDevice(path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeDevice != 0 {
		return errors.New("it is a device: name a file or a pipe")
	}
	return nil
}

// WithoutPath is what the system said about a file, without the path.
func WithoutPath(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// Mark is a byte order mark, which may begin a text and is no part of it.
const Mark = "\ufeff"

// WithoutMark is a text without its byte order mark.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(Mark)) }

// NotUTF8 says that a text is in another encoding.
const NotUTF8 = "is not valid UTF-8: save the file in UTF-8"

// CheckUTF8 is an error for a text in another encoding. It names the file and the first wrong line.
func CheckUTF8(name string, data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		if number++; !utf8.Valid(line) {
			return fmt.Errorf("%s:%d: %s", name, number, NotUTF8)
		}
	}
	return nil
}

// LineAt is the line, counted from 1, of the byte at an offset.
func LineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}
