package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// maxFile is how many bytes a file of settings may have.
const (
	maxFile     = 64 << 20
	maxFileText = "64 MiB"
)

// Files reads the files that settings name, each once, as a pipe gives what it holds only once. The zero value is ready
// for use, and safe for concurrent use; nil reads a file as often as it is asked for.
type Files struct {
	mu   sync.Mutex
	read map[string]func() ([]byte, error)
}

// content is what a file holds, without its byte order mark. Errors do not repeat the path.
func (f *Files) content(path string) ([]byte, error) {
	if f == nil {
		return ReadFile(path)
	}
	f.mu.Lock()
	read, known := f.read[path]
	if !known {
		read = sync.OnceValues(func() ([]byte, error) { return ReadFile(path) })
		if f.read == nil {
			f.read = map[string]func() ([]byte, error){}
		}
		f.read[path] = read
	}
	f.mu.Unlock()
	return read()
}

// text is the content of a file in valid UTF-8. Errors name the file, and the line.
func (f *Files) text(path string) ([]byte, error) {
	data, err := f.content(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return checkedText(path, data)
}

// ReadFile reads a file or a pipe, without its byte order mark. It refuses devices and what is longer than 64 MiB.
// Errors do not repeat the path.
func ReadFile(path string) ([]byte, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(&bounded{from: file, left: maxFile})
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	return withoutMark(data), nil
}

// RefuseDevice is an error for a device, such as /dev/zero, which may have no end. It does not repeat the path.
func RefuseDevice(path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeDevice != 0 {
		return errors.New("it is a device: name a file or a pipe")
	}
	return nil
}

// openFile opens a file or a pipe. Errors do not repeat the path.
func openFile(path string) (*os.File, error) {
	err := RefuseDevice(path)
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	return file, nil
}

// folderOf is the folder against which a file's relative paths are read; that of a pipe is the working folder, as a
// shell makes pipes where nothing else stands (/dev/fd).
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return ""
	}
	return filepath.Dir(path)
}

// bounded refuses a text that is longer than what is left for it.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("it is longer than " + maxFileText + ", more than a file of settings may have")
	}
	return n, err
}
