package population

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/input"
)

// rows returns the next user and the line on which its entry starts, and io.EOF after the last.
type rows func() (Row, int, error)

// format starts to read a users file in one file format.
type format func(v *validator, text io.Reader) (rows, error)

// formatOf returns the format of a file by its extension. The error does not contain the path.
func formatOf(path string) (format, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".yaml", ".yml":
		return readYAML, nil
	case ".json":
		return readJSON, nil
	case ".ndjson", ".jsonl":
		return readNDJSON, nil
	case ".csv":
		return readCSV, nil
	default:
		return nil, fmt.Errorf("the extension %s is not that of a users file: use .yaml, .yml, .json, .ndjson, .jsonl "+
			"or .csv, each of them also with .gz or .zst", input.Quote(extension))
	}
}

// openInput selects format and compression of standard input by the first bytes.
func (r *Reader) openInput(stdin io.Reader) {
	r.raw = &counter{from: stdin}
	raw := bufio.NewReader(r.raw)
	text := bufio.NewReader(r.decompress(raw, compressionIn(raw)))
	r.text, r.format = text, readCSV
	if firstByte(text) == '{' {
		r.format = readNDJSON
	}
}

// openFile selects format and compression of a file by the extension.
func (r *Reader) openFile(path string) error {
	base, packed := path, compressionOf(path)
	if packed != none {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	format, err := formatOf(base)
	if err != nil {
		return err
	}
	if r.file, err = input.Open(path); err != nil {
		return err
	}
	if info, err := r.file.Stat(); err == nil && info.Mode().IsRegular() {
		r.total = info.Size()
	}
	r.raw = &counter{from: r.file}
	raw := bufio.NewReader(r.raw)
	if found := compressionIn(raw); packed == none && found != none {
		_ = r.file.Close()
		return fmt.Errorf("begins like %s: name it %s", found.name, path+found.extension)
	}
	r.text, r.format = r.decompress(raw, packed), format
	return nil
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
