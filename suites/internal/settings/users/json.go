package users

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings/input"
)

// readJSON reads one JSON array of users.
func readJSON(r *Reader) (rows, error) {
	data, err := r.readList()
	if err == nil {
		err = r.checkJSON(data, 1)
	}
	if err != nil {
		return nil, err
	}
	list, line, counted := json.NewDecoder(bytes.NewReader(data)), 1, 0
	// moveTo sets the line to that of an offset, which only grows.
	moveTo := func(offset int) {
		line += bytes.Count(data[counted:offset], []byte("\n"))
		counted = offset
	}
	if token, _ := list.Token(); token != json.Delim('[') {
		moveTo(int(list.InputOffset()))
		return nil, r.errorf(line, "expected a list of users, [{…}, …]")
	}
	return func() (Row, error) {
		if !list.More() {
			return Row{}, io.EOF
		}
		var user json.RawMessage
		_ = list.Decode(&user) // it is valid
		moveTo(int(list.InputOffset()) - len(user))
		return r.jsonRow(user, line)
	}, nil
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
			if err := r.checkJSON(line, lines.line); err != nil {
				return Row{}, err
			}
			return r.jsonRow(line, lines.line)
		}
	}, nil
}

// checkJSON returns an error for a text that is not strict JSON, and starts at a line. encoding/json alone would accept
// duplicate members and unpaired surrogates.
func (r *Reader) checkJSON(text []byte, line int) error {
	err := strictjson.Valid(text)
	var fault *strictjson.Error
	switch {
	case errors.As(err, &fault):
		return r.errorf(line+input.LineAt(text, fault.Offset)-1, "is not strict JSON: got %s", fault.Detail)
	case err != nil:
		return r.errorf(line, "is not strict JSON: %v", err)
	}
	return nil
}

// jsonRow returns the user in a text that is strict JSON and starts at a line. It reads no more members than it needs.
func (r *Reader) jsonRow(text []byte, line int) (Row, error) {
	user := json.NewDecoder(bytes.NewReader(text))
	user.UseNumber()
	if token, _ := user.Token(); token != json.Delim('{') {
		return Row{}, r.errorf(line, "expected a user, {…}, got %s", field{value: jsonValue(token)}.shown())
	}
	var fields []field
	for user.More() && len(fields) <= len(columns()) { // one more than the columns is unknown
		name, _ := user.Token()
		at := line + input.LineAt(text, int(user.InputOffset())) - 1
		value, _ := user.Token()
		f := field{name.(string), at, jsonValue(value)}
		if fields = append(fields, f); f.value == nested {
			break // an error, as no member of a user is a list or an object
		}
	}
	return r.row(line, fields)
}

// nested is the value of a field that is a list or an object.
const nested = other("a list or object")

// jsonValue returns the value of a field.
func jsonValue(token json.Token) any {
	switch value := token.(type) {
	case json.Number:
		return unquoted("the number " + input.Shorten(value.String()))
	case json.Delim:
		return nested
	case nil:
		return other("null")
	}
	return token
}

// readList reads a list into memory. More than 64 MiB is an error.
func (r *Reader) readList() ([]byte, error) {
	data, err := input.ReadAll(r.text,
		"a YAML or JSON list is read into memory as a whole; use NDJSON or CSV, with one user per line")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	return data, input.CheckUTF8(r.name, data)
}
