package users

import (
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/suites/internal/settings/input"
)

// readYAML reads one YAML document with a list of users.
func readYAML(v *validator, source io.Reader) (rows, error) {
	data, err := v.readList(source)
	if err != nil {
		return nil, err
	}
	root, err := input.Document(v.name, data)
	if err != nil {
		return nil, err
	}
	var list []*yaml.Node
	if root != nil {
		if input.Tag(root) != input.List {
			return nil, v.errorf(root.Line, "expected a list of users, got %s", input.Kind(root))
		}
		list = root.Content
	}
	return func() (Row, int, error) {
		if len(list) == 0 {
			return Row{}, 0, io.EOF
		}
		item := list[0]
		list = list[1:]
		entry := input.Resolve(item)
		if input.Tag(entry) != input.Mapping {
			return Row{}, 0, v.errorf(item.Line, "expected a user with id and userId, got %s", input.Kind(entry))
		}
		var fields []field
		for name, value := range input.Members(entry) {
			fields = append(fields, yamlField(name, value))
		}
		row, err := v.row(item.Line, fields)
		return row, item.Line, err
	}, nil
}

func yamlField(name, value *yaml.Node) field {
	f := field{name: name.Value, line: name.Line, text: input.Kind(value), kind: other}
	switch input.Tag(value) {
	case input.Text:
		f.text, f.kind = value.Value, text
	case input.Boolean:
		f.text, f.kind = strings.ToLower(value.Value), boolean
	case input.Integer, input.Float:
		f.text, f.kind = "the number "+input.Shorten(value.Value), plain
	case input.Date:
		f.text, f.kind = "the date "+input.Shorten(value.Value), plain
	}
	return f
}
