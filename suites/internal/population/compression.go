package population

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// compression is a compression format: its name in errors, and the extension of its files.
type compression struct{ name, extension string }

var (
	none      = compression{}
	gzipped   = compression{"gzip", ".gz"}
	zstandard = compression{"zstd", ".zst"}
)

// maxWindow is the largest zstd window in bytes, equal to the zstd command's default. A decompressor holds that much in
// memory.
const maxWindow = 128 << 20

// compressionOf returns the compression of a file by its extension.
func compressionOf(path string) compression {
	switch strings.ToLower(filepath.Ext(path)) {
	case gzipped.extension:
		return gzipped
	case zstandard.extension:
		return zstandard
	}
	return none
}

// compressionIn returns the compression of a text by its first bytes (RFC 1952 section 2.3.1; RFC 8878 sections 3.1.1
// and 3.1.2).
func compressionIn(raw *bufio.Reader) compression {
	magic, _ := raw.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzipped
	case len(magic) < 4:
		return none
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return zstandard
	// A skippable frame: parallel compressors start with one.
	case magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18}):
		return zstandard
	}
	return none
}

// decompress returns the decompressed bytes of a text.
func (r *Reader) decompress(raw io.Reader, c compression) io.Reader {
	if c == none {
		return raw
	}
	text := &decompressed{compression: c, raw: r.raw}
	var err error
	if c == gzipped {
		text.from, err = gzip.NewReader(raw)
	} else {
		// With concurrency 1 the decoder needs no goroutine and no read-ahead buffer, and need not be closed.
		text.from, err = zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	}
	if err != nil {
		text.err = text.explain(err)
	}
	return text
}

// decompressed is a decompressed text. A truncated or empty stream is an error, never io.EOF.
type decompressed struct {
	compression compression
	raw         *counter
	from        io.Reader
	err         error
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
		return fmt.Errorf("the %s stream is incomplete, so the file was truncated: download or create it again",
			d.compression.name)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("the %s stream needs a window of more than %d MiB: compress it with a smaller window",
			d.compression.name, maxWindow>>20)
	}
	return fmt.Errorf("it is not a valid %s stream: %v", d.compression.name, err)
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
