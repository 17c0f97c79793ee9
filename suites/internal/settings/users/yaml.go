package users

import (
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/suites/internal/settings/input"
)

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
