package users

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"authenticator-conformance/suites/internal/settings/input"
)

// maxLine is the most bytes in a line without its ending, and in a CSV record of several lines. Without it, one
// unclosed quote would read the whole file into memory.
const maxLine = 1 << 20

// lines reads a text line by line, without a byte order mark. Invalid UTF-8 and lines over maxLine are errors.
type lines struct {
	r    *Reader
	text *bufio.Reader
	line int   // the number of the last line that was read
	err  error // the first fault, or io.EOF
	// rest is the part of the line that Read has not returned yet. size is how many bytes of the record it has
	// returned, without blank lines before. begin is the record's first line.
	rest        []byte
	size, begin int
}

func newLines(r *Reader) *lines {
	return &lines{r: r, text: bufio.NewReaderSize(r.text, len(input.ByteOrderMark)+maxLine+len("\r\n"))}
}

// next returns the next line with its ending, valid until the next call, and io.EOF after the last.
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
		line = input.WithoutByteOrderMark(line)
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull), len(withoutEnding(line)) > maxLine:
		l.err = l.r.errorf(l.line, "the line is longer than 1 MiB: expected one user per line")
	// Only io.EOF itself is the end: an error that wraps it means that the text was cut off.
	case err != nil && err != io.EOF:
		l.err = l.r.errorf(l.line, "cannot be read: %v", input.WithoutPath(err))
	case input.NotUTF8(line) != "":
		l.err = l.r.errorf(l.line, "%s", input.NotUTF8(line))
	case slices.ContainsFunc(line, func(b byte) bool {
		return b < ' ' && b != '\t' && b != '\n' && b != '\r' || b == 0x7f
	}):
		l.err = l.r.errorf(l.line, "has a NUL or another control character: expected text; is the file damaged, or of "+
			"another format?")
	}
	return line, l.err
}

// Read returns at most one line at a time. So what is read after size was set to 0 is one record and the blank lines
// before it.
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
			l.err = l.r.errorf(l.line, "the record that starts on line %d is longer than 1 MiB: is a closing quote "+
				"missing?", l.begin)
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

// readNDJSON reads one JSON object per line. Blank lines are skipped.
func readNDJSON(r *Reader) (rows, error) {
	lines := newLines(r)
	return func() (Row, error) {
		for {
			line, err := lines.next()
			if err != nil {
				return Row{}, err
			}
			if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 {
				continue
			}
			if line[0] == '[' {
				return Row{}, r.errorf(lines.line,
					"begins a list: NDJSON has one object a line; remove the brackets and "+
						"the commas between users")
			}
			if err := r.checkJSON(line, lines.line); err != nil {
				return Row{}, err
			}
			return r.jsonRow(line, lines.line)
		}
	}, nil
}
