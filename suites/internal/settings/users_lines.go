package settings

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// A line has at most maxLine bytes, its ending not counted, and so has a record of CSV that takes several lines.
// Without a bound, one quote left open would draw the whole file into memory.
const (
	maxLine     = 1 << 20
	maxLineText = "1 MiB"
)

// lineReader reads a text line by line: without a byte order mark, in valid UTF-8, within the bound.
type lineReader struct {
	judge *rowJudge
	text  *bufio.Reader
	// line is the number of the last line that was read.
	line int
	// err is the first fault, or io.EOF.
	err error
	// rest is what Read has not yielded of the line, size what it has of the record so far, blank lines before it not
	// counted, and begin the record's first line.
	rest        []byte
	size, begin int
}

func newLineReader(judge *rowJudge, text io.Reader) *lineReader {
	return &lineReader{judge: judge, text: bufio.NewReaderSize(text, len(byteOrderMark)+maxLine+len("\r\n"))}
}

// next yields the next line with its ending, good until the following call, and io.EOF after the last.
func (l *lineReader) next() ([]byte, error) {
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
		line = withoutMark(line)
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull), len(withoutEnding(line)) > maxLine:
		l.err = l.judge.errorf(l.line, "the line is longer than %s: expected one user per line", maxLineText)
	// Only io.EOF itself is the end of a text: an error that wraps it tells of a text that was cut.
	case err != nil && err != io.EOF:
		l.err = l.judge.errorf(l.line, "cannot be read: %v", withoutPath(err))
	case !utf8.Valid(line):
		l.err = l.judge.errorf(l.line, notUTF8)
	}
	return line, l.err
}

// startRecord begins the count of a record's bytes.
func (l *lineReader) startRecord() { l.size = 0 }

// Read yields the text for a reader of records, never more of it than one line at a time: so what was read since
// startRecord is that record, and blank lines before it.
func (l *lineReader) Read(p []byte) (int, error) {
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
			l.err = l.judge.errorf(l.line, "the record that begins on line %d is longer than %s: is a quote left open?",
				l.begin, maxLineText)
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
