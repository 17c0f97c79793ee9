package settings

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
)

// csvHeader is the header line as errors show it.
const csvHeader = memberID + "," + memberUserID + "[," + memberEnrolled + "][," + memberName + "]"

// readCSVUsers reads RFC 4180: a header line that names the columns in any order, then one user per record. Blank
// lines are skipped.
func readCSVUsers(l *userList, data []byte) error {
	reader := csv.NewReader(bytes.NewReader(data))
	columns, err := csvColumns(l, reader)
	if err != nil {
		return err
	}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(l, err, len(columns), len(record))
		}
		members := make([]member, len(record))
		for i, text := range record {
			line, _ := reader.FieldPos(i)
			members[i] = member{name: columns[i], line: line, value: csvValue(columns[i], text)}
		}
		begin, _ := reader.FieldPos(0)
		if err := l.add(begin, members); err != nil {
			return err
		}
	}
}

// csvColumns reads the header line.
func csvColumns(l *userList, reader *csv.Reader) ([]string, error) {
	columns, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, l.errorf(1, "the header line is missing: expected %s", csvHeader)
	}
	if err != nil {
		return nil, csvError(l, err, 0, 0)
	}
	line, _ := reader.FieldPos(0)
	for i, column := range columns {
		if !slices.Contains(userMembers(), column) {
			return nil, l.errorf(line, "column %s is not known: expected the header line %s, then one user per line",
				quote(column), csvHeader)
		}
		if slices.Contains(columns[:i], column) {
			return nil, l.errorf(line, "column %s stands twice in the header line: leave one", quote(column))
		}
	}
	for _, column := range []string{memberID, memberUserID} {
		if !slices.Contains(columns, column) {
			return nil, l.errorf(line, "column %s is missing: expected the header line %s", quote(column), csvHeader)
		}
	}
	return columns, nil
}

func csvError(l *userList, err error, expected, got int) error {
	var fault *csv.ParseError
	if !errors.As(err, &fault) {
		return l.errorf(1, "is not CSV: %v", err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return l.errorf(fault.Line, "expected %d fields as in the header line, got %d: put a field with a comma in quotes",
			expected, got)
	}
	begin := ""
	if fault.StartLine < fault.Line {
		begin = fmt.Sprintf(", in the record that begins on line %d", fault.StartLine)
	}
	return l.errorf(fault.Line, "is not CSV (RFC 4180): %v%s", fault.Err, begin)
}

// csvValue is a field as a member's value: all are texts but for the boolean one.
func csvValue(column, text string) any {
	if column == memberEnrolled && (text == "true" || text == "false") {
		return text == "true"
	}
	return text
}
