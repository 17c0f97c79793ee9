package users

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// gzipped is the extension of a compressed file.
const gzipped = ".gz"

// beginsLikeGzip reports whether a text begins with the magic number of gzip (RFC 1952 section 2.3.1).
func beginsLikeGzip(raw *bufio.Reader) bool {
	magic, _ := raw.Peek(2)
	return bytes.Equal(magic, []byte{0x1f, 0x8b})
}

// decompress returns the decompressed bytes of a gzip stream.
func (r *Reader) decompress(raw io.Reader) io.Reader {
	text := &decompressed{raw: r.raw}
	var err error
	if text.from, err = gzip.NewReader(raw); err != nil {
		text.err = text.explain(err)
	}
	return text
}

// decompressed is a decompressed text. A truncated or empty stream is an error, never io.EOF.
type decompressed struct {
	raw  *counter
	from io.Reader
	err  error
}

func (d *decompressed) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.from.Read(p)
	if err != nil {
		d.err = d.explain(err)
	}
	return n, d.err
}

// explain returns a decompressor's error in plain words.
func (d *decompressed) explain(err error) error {
	switch {
	// A decompressor may report an error of the file below as the end.
	case d.raw.err != nil && d.raw.err != io.EOF:
		return d.raw.err
	case err == io.EOF && d.raw.done.Load() > 0:
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the gzip stream is incomplete, so the file was truncated: download or create it again")
	}
	return fmt.Errorf("it is not a valid gzip stream: %v", err)
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
