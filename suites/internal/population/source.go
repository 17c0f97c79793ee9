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

// source is an open users file or standard input.
type source struct {
	// name is its name in errors.
	name   string
	format format
	// text is the decompressed text.
	text io.Reader
	// raw is the file before decompression. total is its size in bytes, or 0 if unknown.
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

// fromInput selects format and compression by the first bytes.
func (s *source) fromInput() error {
	raw := bufio.NewReader(s.raw)
	if err := s.decompress(raw, compressionIn(raw)); err != nil {
		return err
	}
	text := bufio.NewReader(s.text)
	s.text = text
	s.format = readCSV
	if firstByte(text) == '{' {
		s.format = readNDJSON
	}
	return nil
}

// fromFile selects format and compression by the extension.
func (s *source) fromFile() error {
	base, packed := s.name, compressionOf(s.name)
	if packed != none {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	format, err := formatOf(base)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	file, err := input.Open(s.name)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.closers = append(s.closers, file.Close)
	s.raw, s.format, s.total = &counter{from: file}, format, sizeOf(file)
	raw := bufio.NewReader(s.raw)
	if found := compressionIn(raw); packed == none && found != none {
		return fmt.Errorf("%s: begins like %s: name it %s", s.name, found, s.name+found.extension())
	}
	return s.decompress(raw, packed)
}

// sizeOf returns the size of a file in bytes, or 0 if it has none, such as a pipe.
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

// firstByte returns the first byte of a text after white space and a byte order mark. It returns 0 if the buffer has
// none.
func firstByte(text *bufio.Reader) byte {
	for size := 1; ; size++ {
		begin, err := text.Peek(size)
		begin = bytes.TrimLeft(input.WithoutByteOrderMark(begin), " \t\r\n")
		// Peek may end inside a byte order mark.
		if len(begin) > 0 && !strings.HasPrefix(input.ByteOrderMark, string(begin)) {
			return begin[0]
		}
		if err != nil {
			return 0
		}
	}
}
