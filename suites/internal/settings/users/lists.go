package users

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

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

// readYAML reads one YAML document with a list of users.
func readYAML(r *Reader) (rows, error) {
	data, err := r.readList()
	if err != nil {
		return nil, err
	}
	root, err := input.Document(r.name, data)
	if err != nil {
		return nil, err
	}
	var list []*yaml.Node
	if root != nil {
		if input.Tag(root) != input.List {
			return nil, r.errorf(root.Line, "expected a list of users, got %s", input.Kind(root))
		}
		list = root.Content
	}
	return func() (Row, error) {
		if len(list) == 0 {
			return Row{}, io.EOF
		}
		item := list[0]
		list = list[1:]
		entry := input.Resolve(item)
		if input.Tag(entry) != input.Mapping {
			return Row{}, r.errorf(item.Line, "expected a user with id and userId, got %s", input.Kind(entry))
		}
		var fields []field
		for name, value := range input.Members(entry) {
			fields = append(fields, field{name.Value, name.Line, yamlValue(value)})
		}
		return r.row(item.Line, fields)
	}, nil
}

// checkJSON returns an error for a text that is not strict JSON, and starts at a line. encoding/json alone would accept
// duplicate members and unpaired surrogates.
func (r *Reader) checkJSON(text []byte, line int) error {
	if fault, ok := errors.AsType[*strictjson.Error](strictjson.Valid(text)); ok {
		return r.errorf(line+input.LineAt(text, fault.Offset)-1, "is not strict JSON: got %s", fault.Detail)
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

// yamlValue returns the value of a field.
func yamlValue(value *yaml.Node) any {
	switch input.Tag(value) {
	case input.Text:
		return value.Value
	case input.Boolean:
		return strings.EqualFold(value.Value, "true")
	case input.Integer, input.Float:
		return unquoted("the number " + input.Shorten(value.Value))
	case input.Date:
		return unquoted("the date " + input.Shorten(value.Value))
	}
	return other(input.Kind(value))
}
