package users

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

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
	return func() (Row, int, error) {
		if !reader.More() {
			return Row{}, 0, io.EOF
		}
		return reader.row()
	}, nil
}

// readNDJSON reads one JSON object per line. Blank lines are skipped.
func readNDJSON(v *validator, source io.Reader) (rows, error) {
	lines := newLines(v, source)
	return func() (Row, int, error) {
		for {
			line, err := lines.next()
			if err != nil {
				return Row{}, 0, err
			}
			if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 {
				continue
			}
			reader, err := newObjects(v, line, lines.line)
			if err != nil {
				return Row{}, 0, err
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

// row reads one user and returns the line on which it starts.
func (o *objects) row() (Row, int, error) {
	if token := o.token(); token != json.Delim('{') {
		return Row{}, 0, o.v.errorf(o.line, "expected a user, {…}, got %s", jsonField("", 0, token).shown())
	}
	begin := o.line
	var fields []field
	for o.More() {
		name, _ := o.token().(string)
		line := o.line
		value := o.token()
		fields = append(fields, jsonField(name, line, value))
		if _, nested := value.(json.Delim); nested {
			_, err := o.v.row(begin, fields) // reports an error, as no member of a user is a list or an object
			return Row{}, 0, err
		}
	}
	o.token()
	row, err := o.v.row(begin, fields)
	return row, begin, err
}

func jsonField(name string, line int, value json.Token) field {
	f := field{name: name, line: line, kind: other, text: "a list or object"}
	switch value := value.(type) {
	case string:
		f.text, f.kind = value, text
	case bool:
		f.text, f.kind = strconv.FormatBool(value), boolean
	case json.Number:
		f.text, f.kind = "the number "+input.Shorten(value.String()), plain
	case nil:
		f.text = "null"
	}
	return f
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
