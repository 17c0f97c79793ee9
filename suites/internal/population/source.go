package population

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/input"
)

// source is where the users come from.
type source struct {
	// name is what errors call it.
	name string
	form form
	// text is the decompressed text.
	text io.Reader
	// raw is the file as it is, and total its size in bytes, 0 if that is not known.
	raw     *counter
	total   int64
	closers []func() error
}

func open(path string, stdin io.Reader) (*source, error) {
	if path == StandardInput {
		s := &source{name: "standard input", raw: &counter{from: stdin}}
		return s, s.fromInput()
	}
	s := &source{name: path}
	if err := s.fromFile(); err != nil {
		_ = s.close()
		return nil, err
	}
	return s, nil
}

// fromInput finds form and compression by the first bytes.
func (s *source) fromInput() error {
	raw := bufio.NewReader(s.raw)
	if err := s.decompress(raw, compressionIn(raw)); err != nil {
		return err
	}
	text := bufio.NewReader(s.text)
	s.text = text
	s.form = readCSV
	if firstByte(text) == '{' {
		s.form = readNDJSON
	}
	return nil
}

// fromFile finds form and compression by the extension.
func (s *source) fromFile() error {
	base, packed := s.name, compressionOf(s.name)
	if packed != none {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	form, err := formOf(base)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	file, err := input.Open(s.name)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.closers = append(s.closers, file.Close)
	s.raw, s.form, s.total = &counter{from: file}, form, sizeOf(file)
	raw := bufio.NewReader(s.raw)
	if found := compressionIn(raw); packed == none && found != none {
		return fmt.Errorf("%s: begins like %s: name it %s", s.name, found, s.name+found.extension())
	}
	return s.decompress(raw, packed)
}

// sizeOf is the size of a file in bytes; 0 for what has none, such as a pipe.
func sizeOf(file *os.File) int64 {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (s *source) close() error {
	var first error
	for _, closer := range s.closers {
		if err := closer(); err != nil && first == nil {
			first = fmt.Errorf("%s: cannot be closed: %w", s.name, err)
		}
	}
	s.closers = nil
	return first
}

// firstByte is the first byte of a text that is no white space or byte order mark, as far as the buffer reaches; 0
// where there is none.
func firstByte(text *bufio.Reader) byte {
	for size := 1; ; size++ {
		begin, err := text.Peek(size)
		begin = bytes.TrimLeft(input.WithoutMark(begin), " \t\r\n")
		// The bytes of a mark come one by one too.
		if len(begin) > 0 && !strings.HasPrefix(input.Mark, string(begin)) {
			return begin[0]
		}
		if err != nil {
			return 0
		}
	}
}
