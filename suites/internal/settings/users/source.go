package users

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"authenticator-conformance/suites/internal/settings/input"
)

// rows returns the next user, and io.EOF after the last.
type rows func() (Row, error)

// format starts to read a users file in one file format.
type format func(r *Reader) (rows, error)

// openFile selects the format of a file by its extension. A list is accepted only if lists is true. The error does not
// contain the path.
func (r *Reader) openFile(path string, lists bool) error {
	formats := map[string]format{".ndjson": readNDJSON, ".jsonl": readNDJSON, ".csv": readCSV}
	use := "a sweep's users: use "
	if lists {
		formats[".yaml"], formats[".yml"], formats[".json"] = readYAML, readYAML, readJSON
		use = "a users file: use .yaml, .yml, .json, "
	}
	extension := strings.ToLower(filepath.Ext(path))
	if extension == ".gz" {
		extension = strings.ToLower(filepath.Ext(path[:len(path)-len(extension)]))
	}
	if r.format = formats[extension]; r.format == nil {
		return fmt.Errorf("the extension %s is not that of %s.ndjson, .jsonl or .csv, each of them also with .gz",
			input.Quote(extension), use)
	}
	file, err := input.Open(path)
	if err != nil {
		return err
	}
	r.file = file
	if regular, ok := file.(*os.File); ok {
		if info, err := regular.Stat(); err == nil && info.Mode().IsRegular() {
			r.regular, r.opened, r.total = regular, info, info.Size()
		}
	}
	r.begin(file)
	return nil
}

// begin begins to read a file or standard input. A text that begins with the magic number of gzip (RFC 1952 section
// 2.3.1) is decompressed, whatever its name.
func (r *Reader) begin(from io.Reader) {
	r.raw = &counter{from: from}
	r.text = bufio.NewReader(r.raw)
	if magic, _ := r.text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		text, err := gzip.NewReader(r.text)
		r.text = bufio.NewReader(&decompressed{r.raw, text, err})
	}
}

// firstByte returns the first byte of a text after white space and a byte order mark; 0 if the buffer has none.
func firstByte(text *bufio.Reader) byte {
	for size := 1; ; size++ {
		begin, err := text.Peek(size)
		if err != nil {
			return 0
		}
		if last := begin[size-1]; strings.IndexByte(input.ByteOrderMark+" \t\r\n", last) < 0 {
			return last
		}
	}
}

// decompressed is a decompressed text. A truncated stream is an error, never io.EOF.
type decompressed struct {
	raw  *counter
	from io.Reader
	err  error // of gzip
}

func (d *decompressed) Read(p []byte) (n int, err error) {
	if d.err == nil {
		n, d.err = d.from.Read(p)
	}
	switch {
	case d.err == nil, d.err == io.EOF:
		return n, d.err
	// A decompressor may report an error of the file below as the end.
	case d.raw.err != nil && d.raw.err != io.EOF:
		return n, d.raw.err
	case errors.Is(d.err, io.ErrUnexpectedEOF):
		return n, errors.New("the gzip stream is incomplete, so the file was truncated: download or create it again")
	}
	return n, fmt.Errorf("it is not a valid gzip stream: %v", d.err)
}

// counter counts the bytes that were read. It stops reading after an error, because a terminal may have more input
// after its end.
type counter struct {
	from io.Reader
	done atomic.Int64
	err  error
}

// maxRead is the most that is read at once, so that a small file shows progress too.
const maxRead = 32 << 10

func (c *counter) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	var n int
	n, c.err = c.from.Read(p[:min(len(p), maxRead)])
	c.done.Add(int64(n))
	return n, c.err
}
