package users

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/settings/input"
)

const (
	csvHeader     = "id,userId[,enrolled][,name]"
	separatorHint = "; the separator is a comma"
)

// csvReader reads CSV (RFC 4180): a header line with the columns in any order, then one user per record. Blank lines
// and records of nothing but empty fields, as spreadsheets write them, are skipped.
type csvReader struct {
	*Reader
	lines   *lines
	csv     *csv.Reader
	columns []string
}

func readCSV(r *Reader) (rows, error) {
	c := &csvReader{Reader: r, lines: newLines(r)}
	c.csv = csv.NewReader(c.lines)
	c.csv.ReuseRecord = true
	return c.next, c.header()
}

// header reads the header line and checks its columns.
func (c *csvReader) header() error {
	record, err := c.record()
	if err == io.EOF {
		return c.errorf(1, "is empty: expected the header line %s, then one user per line", csvHeader)
	}
	if err != nil {
		return err
	}
	line, _ := c.csv.FieldPos(0)
	for i, column := range record {
		if !slices.Contains(columns(), column) {
			hint := input.Suggest(column, columns())
			switch {
			case strings.HasPrefix(column, "sep="): // for Excel
				hint = "; remove this line: the separator is always a comma"
			case strings.Contains(column, "\r"):
				hint = "; lines end with CR alone: save the file with LF or CRLF"
			case strings.ContainsAny(column, ";\t|"):
				hint = separatorHint
			}
			return c.errorf(line, "column %s is unknown: expected the header line %s, then one user per line%s",
				input.Quote(column), csvHeader, hint)
		}
		if slices.Contains(record[:i], column) {
			return c.errorf(line, "column %s occurs twice in the header line: remove one", input.Quote(column))
		}
	}
	for _, column := range []string{columnID, columnUserID} {
		if !slices.Contains(record, column) {
			return c.errorf(line, "column %s is missing: expected the header line %s", input.Quote(column), csvHeader)
		}
	}
	c.columns = slices.Clone(record)
	return nil
}

func (c *csvReader) next() (Row, error) {
	record, err := c.record()
	if err != nil {
		return Row{}, err
	}
	fields := make([]field, 0, len(record))
	for i, value := range record {
		f := field{name: c.columns[i], value: value}
		f.line, _ = c.csv.FieldPos(i)
		if word := strings.ToLower(value); f.name == columnEnrolled && (word == "true" || word == "false") {
			f.value = word == "true" // spreadsheets write TRUE
		}
		fields = append(fields, f)
	}
	begin, _ := c.csv.FieldPos(0)
	return c.row(begin, fields)
}

// record returns the next record, valid until the next call, and io.EOF after the last.
func (c *csvReader) record() (record []string, err error) {
	for isBlank := true; isBlank; {
		c.lines.size = 0
		record, err = c.csv.Read()
		isBlank = len(c.columns) > 0 && len(record) > 1 && (err == nil || errors.Is(err, csv.ErrFieldCount)) &&
			!slices.ContainsFunc(record, func(field string) bool { return field != "" })
	}
	if err == nil || err == io.EOF {
		return record, err
	}
	// An error in the text causes any error in its last record, so it is returned first.
	if fault := c.lines.err; fault != nil && fault != io.EOF {
		return nil, fault
	}
	fault, _ := errors.AsType[*csv.ParseError](err) // any other error is that of the text
	if errors.Is(err, csv.ErrFieldCount) {
		advice := "put a field with a comma in quotes"
		if len(record) < len(c.columns) {
			advice = "delete the line if it is no user, or give every column, an empty one too"
		}
		return nil, c.errorf(fault.Line, "expected %d fields as in the header line, got %d: %s", len(c.columns),
			len(record), advice)
	}
	hint := ""
	switch {
	case fault.StartLine < fault.Line:
		hint = fmt.Sprintf(", in the record that starts on line %d", fault.StartLine)
	case len(c.columns) == 0 && errors.Is(err, csv.ErrQuote): // such as "id";"userId"
		hint = separatorHint
	}
	return nil, c.errorf(fault.Line, "is not CSV (RFC 4180): %v%s", fault.Err, hint)
}
