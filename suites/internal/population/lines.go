package population

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/input"
)

// maxLine is how many bytes a line may have, without its ending, and a record of CSV that takes several lines. Without
// a bound, one quote left open draws the whole file into memory.
const maxLine = 1 << 20

// lines reads a text line by line: without a byte order mark, in valid UTF-8, within the bound.
type lines struct {
	v    *validator
	text *bufio.Reader
	line int   // the number of the last line that was read
	err  error // the first fault, or io.EOF
	// rest is what Read has not given of the line, size what it has given of the record, blank lines before it not
	// counted, and begin the record's first line.
	rest        []byte
	size, begin int
}

func newLines(v *validator, text io.Reader) *lines {
	return &lines{v: v, text: bufio.NewReaderSize(text, len(input.Mark)+maxLine+len("\r\n"))}
}

// next gives the next line with its ending, good until the following call, and io.EOF after the last.
func (l *lines) next() ([]byte, error) {
	if l.err != nil {
		return nil, l.err
	}
	line, err := l.text.ReadSlice('\n')
	if err == io.EOF && len(line) == 0 {
		l.err = io.EOF
		return nil, l.err
	}
	l.line++
	if l.line == 1 {
		line = input.WithoutMark(line)
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull), len(withoutEnding(line)) > maxLine:
		l.err = l.v.errorf(l.line, "the line is longer than 1 MiB: expected one user per line")
	// Only io.EOF itself is the end of a text: an error that wraps it comes of a text that was cut.
	case err != nil && err != io.EOF:
		l.err = l.v.errorf(l.line, "cannot be read: %v", input.WithoutPath(err))
	case !utf8.Valid(line):
		l.err = l.v.errorf(l.line, input.NotUTF8)
	}
	return line, l.err
}

// startRecord begins the count of a record's bytes.
func (l *lines) startRecord() { l.size = 0 }

// Read gives the text to a reader of records, at most one line at a time: so what was read since startRecord is that
// record, and blank lines before it.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		if l.size > 0 || len(withoutEnding(line)) > 0 {
			if l.size == 0 {
				l.begin = l.line
			}
			l.size += len(line)
		}
		if l.size > maxLine && l.begin < l.line {
			l.err = l.v.errorf(l.line, "the record that begins on line %d is longer than 1 MiB: is a quote left open?", l.begin)
			return 0, l.err
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func withoutEnding(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
