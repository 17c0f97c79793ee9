package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Open opens a file or a pipe. A pipe that sends nothing for some time is an error of Read, also if nobody opens its
// other end. Errors do not contain the path.
func Open(path string) (io.ReadCloser, error) {
	if IsPipe(path) {
		return openPipe(path), nil
	}
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

// IsPipe reports whether a path leads to a pipe.
func IsPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// patience is how long a pipe may send nothing.
var patience = 30 * time.Second

// pipe is an open pipe. Another goroutine opens and reads it, because either may block for ever, and not every system
// has deadlines for pipes.
type pipe struct {
	text *io.PipeReader
	ends *io.PipeWriter
}

func openPipe(path string) *pipe {
	text, sent := io.Pipe()
	go func() {
		file, err := os.Open(path)
		if err == nil {
			_, err = io.Copy(sent, file)
			_ = file.Close()
		}
		_ = sent.CloseWithError(err) // nil becomes io.EOF
	}()
	return &pipe{text, sent}
}

func (p *pipe) Read(to []byte) (int, error) {
	silent := fmt.Errorf("it is a pipe from which nothing came for %v: does the program that writes to it still run? "+
		"Write its output to a file, and use that", patience)
	timer := time.AfterFunc(patience, func() { _ = p.ends.CloseWithError(silent) })
	defer timer.Stop()
	return p.text.Read(to)
}

func (p *pipe) Close() error { return p.text.Close() }
