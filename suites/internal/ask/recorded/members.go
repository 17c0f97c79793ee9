package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxMember is the maximum size in bytes of the lines of one member: a user's answers are in one.
const maxMember = 64 << 20

// member is the lines of one member of gzip.
type member struct {
	lines [][]byte
}

// readMember reads the member at an offset of a file, and returns the offset of the next.
func readMember(s *shard, offset int64) (m member, next int64, err error) {
	counted := &counter{from: io.NewSectionReader(s.file, offset, s.end-offset)}
	buffered := bufio.NewReader(counted) // gzip reads no more than its member from an io.ByteReader
	reader, err := gzip.NewReader(buffered)
	if err != nil {
		return m, 0, fmt.Errorf("the record was changed while it was read: %w", err)
	}
	reader.Multistream(false)
	text, err := io.ReadAll(io.LimitReader(reader, maxMember+1))
	if err != nil {
		return m, 0, fmt.Errorf("the record was changed while it was read: %w", err)
	}
	if len(text) > maxMember || !bytes.HasSuffix(text, []byte("\n")) {
		return m, 0, errors.New("the record has a part that is not of whole lines, or too large")
	}
	m.lines = bytes.SplitAfter(text, []byte("\n"))
	m.lines = m.lines[:len(m.lines)-1] // what follows the last line break
	return m, offset + counted.read - int64(buffered.Buffered()), nil
}

type counter struct {
	from io.Reader
	read int64
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.read += int64(n)
	return n, err
}

// cursor goes through the lines of all files. It is before the first member of the first file at the beginning.
type cursor struct {
	member
	file   int
	offset int64 // of the member
	after  int64 // the offset of the next one
	number int   // of the next line in the member
}

// line returns the next line of the member.
func (c *cursor) line() ([]byte, bool) {
	if c.number >= len(c.lines) {
		return nil, false
	}
	return c.lines[c.number], true
}

func (c *cursor) place() place { return place{c.file, c.offset, c.number} }

// next reads the next member with lines of users, and returns false at the end of the last file.
func (c *cursor) next(shards []*shard) (more bool, err error) {
	for c.file < len(shards) && c.after >= shards[c.file].end {
		c.file, c.after = c.file+1, 0
	}
	if c.file == len(shards) {
		return false, nil
	}
	c.offset, c.number = c.after, 0
	if c.member, c.after, err = readMember(shards[c.file], c.offset); err == nil && c.offset == 0 {
		c.number = 1 // the header
	}
	return true, err
}

// readHeader reads the first line of a record.
func readHeader(from io.ReaderAt) (h Header, err error) {
	reader, err := gzip.NewReader(io.NewSectionReader(from, 0, maxMember))
	if err == nil {
		var text []byte
		if text, err = bufio.NewReader(io.LimitReader(reader, 1<<20)).ReadBytes('\n'); err == nil {
			err = json.Unmarshal(text, &h)
		}
	}
	if err != nil || h.Line != headerLine || h.Format != Format {
		return h, errors.New("is no record that this version of the suite wrote: name the file that conformance " +
			"sweep --record wrote")
	}
	return h, nil
}
