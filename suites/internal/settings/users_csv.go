package settings

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
)

// csvHeader is the header line as errors show it.
const csvHeader = memberID + "," + memberUserID + "[," + memberEnrolled + "][," + memberName + "]"

// csvRows reads RFC 4180: a header line that names the columns in any order, then one user per record. Blank lines
// are skipped.
type csvRows struct {
	judge   *rowJudge
	lines   *lineReader
	reader  *csv.Reader
	columns []string
	members []member
}

func newCSVRows(judge *rowJudge, text io.Reader) *csvRows {
	lines := newLineReader(judge, text)
	reader := csv.NewReader(lines)
	reader.ReuseRecord = true
	return &csvRows{judge: judge, lines: lines, reader: reader}
}

func (r *csvRows) next() (UserRow, error) {
	if r.columns == nil {
		if err := r.header(); err != nil {
			return UserRow{}, err
		}
	}
	record, err := r.record()
	if err != nil {
		return UserRow{}, err
	}
	r.members = r.members[:0]
	for i, text := range record {
		line, _ := r.reader.FieldPos(i)
		r.members = append(r.members, member{name: r.columns[i], line: line, value: csvValue(r.columns[i], text)})
	}
	begin, _ := r.reader.FieldPos(0)
	return r.judge.row(begin, r.members)
}

// header reads the header line.
func (r *csvRows) header() error {
	columns, err := r.record()
	if err == io.EOF {
		return r.judge.errorf(1, "the header line is missing: expected %s", csvHeader)
	}
	if err != nil {
		return err
	}
	line, _ := r.reader.FieldPos(0)
	for i, column := range columns {
		if !slices.Contains(userMembers(), column) {
			return r.judge.errorf(line, "column %s is not known: expected the header line %s, then one user per line",
				quote(column), csvHeader)
		}
		if slices.Contains(columns[:i], column) {
			return r.judge.errorf(line, "column %s stands twice in the header line: leave one", quote(column))
		}
	}
	for _, column := range []string{memberID, memberUserID} {
		if !slices.Contains(columns, column) {
			return r.judge.errorf(line, "column %s is missing: expected the header line %s", quote(column), csvHeader)
		}
	}
	r.columns = slices.Clone(columns)
	return nil
}

// record reads one record, good until the following call, and io.EOF after the last.
func (r *csvRows) record() ([]string, error) {
	r.lines.startRecord()
	record, err := r.reader.Read()
	if err == nil || err == io.EOF {
		return record, err
	}
	// What is wrong with the text itself explains what is wrong with its last record.
	if fault := r.lines.err; fault != nil && fault != io.EOF {
		return nil, fault
	}
	return nil, r.fault(err, len(record))
}

func (r *csvRows) fault(err error, fields int) error {
	var fault *csv.ParseError
	if !errors.As(err, &fault) {
		return r.judge.errorf(1, "is not CSV: %v", err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return r.judge.errorf(fault.Line, "expected %d fields as in the header line, got %d: put a field with a comma in quotes",
			len(r.columns), fields)
	}
	begin := ""
	if fault.StartLine < fault.Line {
		begin = fmt.Sprintf(", in the record that begins on line %d", fault.StartLine)
	}
	return r.judge.errorf(fault.Line, "is not CSV (RFC 4180): %v%s", fault.Err, begin)
}

// csvValue is a field as a member's value: all are texts but for the boolean one.
func csvValue(column, text string) any {
	if column == memberEnrolled && (text == "true" || text == "false") {
		return text == "true"
	}
	return text
}
