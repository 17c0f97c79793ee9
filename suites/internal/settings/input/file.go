// Package input reads the files that users give to the suite. They have a size limit, valid UTF-8, and an optional byte
// order mark, which is removed. Every error names the file and line, and shows at most a line of its content.
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

// maxFile is the largest file that is read into memory, in bytes.
const maxFile = 64 << 20

// ReadFile returns the content of a file or pipe without its byte order mark. A device or more than 64 MiB is an error.
// Errors do not contain the path, which may be a misplaced secret.
func ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, "use a smaller file")
}

// ReadAll returns a text by the rules of ReadFile. advice ends the error for a text that is too long.
func ReadAll(text io.Reader, advice string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(text, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it is longer than 64 MiB: " + advice)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %v", WithoutPath(err))
	}
	return WithoutByteOrderMark(data), nil
}

// Open opens a file or a pipe. Errors do not contain the path.
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

// RefuseDevice returns an error for a device such as /dev/zero, which may be endless. The error does not contain the
// path.
func RefuseDevice(path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeDevice != 0 {
		return errors.New("it is a device: use a file or a pipe")
	}
	return nil
}

// WithoutPath returns the system's error about a file without the path.
func WithoutPath(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// ByteOrderMark is a byte order mark, which may precede a text.
const ByteOrderMark = "\ufeff"

// WithoutByteOrderMark returns the text without its byte order mark.
func WithoutByteOrderMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(ByteOrderMark)) }

// NotUTF8 is the error text for a file in another encoding.
const NotUTF8 = "is not valid UTF-8: save the file in UTF-8"

// CheckUTF8 returns an error if data is not valid UTF-8. It names the file and the first wrong line.
func CheckUTF8(name string, data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		if number++; !utf8.Valid(line) {
			return fmt.Errorf("%s:%d: %s", name, number, NotUTF8)
		}
	}
	return nil
}

// LineAt returns the line of the byte at an offset, counted from 1.
func LineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}
