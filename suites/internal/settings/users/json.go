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
func readJSON(v *validator, source io.Reader) (rows, error) {
	data, err := v.readList(source)
	if err != nil {
		return nil, err
	}
	reader, err := newObjects(v, data, 1)
	if err != nil {
		return nil, err
	}
	if reader.token() != json.Delim('[') {
		return nil, v.errorf(reader.line, "expected a list of users, [{…}, …]")
	}
	return func() (Row, error) {
		if !reader.More() {
			return Row{}, io.EOF
		}
		return reader.row()
	}, nil
}

// readNDJSON reads one JSON object per line. Blank lines are skipped.
func readNDJSON(v *validator, source io.Reader) (rows, error) {
	lines := newLines(v, source)
	return func() (Row, error) {
		for {
			line, err := lines.next()
			if err != nil {
				return Row{}, err
			}
			if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 {
				continue
			}
			reader, err := newObjects(v, line, lines.line)
			if err != nil {
				return Row{}, err
			}
			return reader.row()
		}
	}, nil
}

// objects reads the users of a JSON text that is known to be valid, and tracks the current line.
type objects struct {
	*json.Decoder
	v       *validator
	data    []byte
	line    int
	counted int
}

// newObjects validates a text that starts at a line. encoding/json alone would accept duplicate members and unpaired
// surrogates.
func newObjects(v *validator, data []byte, line int) (*objects, error) {
	if err := strictjson.Valid(data); err != nil {
		var fault *strictjson.Error
		if errors.As(err, &fault) {
			return nil, v.errorf(line+input.LineAt(data, fault.Offset)-1, "is not strict JSON: got %s", fault.Detail)
		}
		return nil, v.errorf(line, "is not strict JSON: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return &objects{Decoder: decoder, v: v, data: data, line: line}, nil
}

// token returns the next token and moves to its line. The text is known to be valid, so there is no error.
func (o *objects) token() json.Token {
	token, _ := o.Token()
	end := int(o.InputOffset())
	o.line += bytes.Count(o.data[o.counted:end], []byte("\n"))
	o.counted = end
	return token
}

// row reads one user.
func (o *objects) row() (Row, error) {
	if token := o.token(); token != json.Delim('{') {
		return Row{}, o.v.errorf(o.line, "expected a user, {…}, got %s", field{value: jsonValue(token)}.shown())
	}
	begin := o.line
	var fields []field
	for o.More() {
		name, _ := o.token().(string)
		line := o.line
		value := o.token()
		fields = append(fields, field{name, line, jsonValue(value)})
		if _, nested := value.(json.Delim); nested {
			return o.v.row(begin, fields) // an error, as no member of a user is a list or an object
		}
	}
	o.token()
	return o.v.row(begin, fields)
}

// jsonValue returns the value of a field.
func jsonValue(token json.Token) any {
	switch value := token.(type) {
	case json.Number:
		return unquoted("the number " + input.Shorten(value.String()))
	case json.Delim:
		return other("a list or object")
	case nil:
		return other("null")
	}
	return token
}

// readList reads a list into memory. More than 64 MiB is an error.
func (v *validator) readList(text io.Reader) ([]byte, error) {
	data, err := input.ReadAll(text,
		"a YAML or JSON list is read into memory as a whole; use NDJSON or CSV, with one user per line")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	return data, input.CheckUTF8(v.name, data)
}
