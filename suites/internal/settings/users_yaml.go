package settings

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlRows reads one YAML document: a list of mappings.
type yamlRows struct {
	judge *rowJudge
	text  io.Reader
	read  bool
	rest  []*yaml.Node
}

func (r *yamlRows) next() (UserRow, error) {
	if !r.read {
		r.read = true
		if err := r.open(); err != nil {
			return UserRow{}, err
		}
	}
	if len(r.rest) == 0 {
		return UserRow{}, io.EOF
	}
	item := r.rest[0]
	r.rest = r.rest[1:]
	entry := resolved(item)
	if tagOf(entry) != tagMapping {
		return UserRow{}, r.judge.errorf(item.Line, "expected a user with %s, got %s", neededMembers, kindOf(entry))
	}
	var members []member
	for _, m := range pairs(entry) {
		members = append(members, member{name: m.name, line: m.line, value: yamlValue(m.value)})
	}
	return r.judge.row(item.Line, members)
}

func (r *yamlRows) open() error {
	data, err := r.judge.whole(r.text)
	if err != nil {
		return err
	}
	root, err := document(r.judge.name, data)
	if errors.Is(err, errNoDocument) {
		return nil
	}
	if err != nil {
		return err
	}
	if root = resolved(root); tagOf(root) != tagList {
		return r.judge.errorf(root.Line, "expected a list of users, got %s", kindOf(root))
	}
	r.rest = root.Content
	return nil
}

// yamlValue is a node as a member's value.
func yamlValue(node *yaml.Node) any {
	switch tagOf(node) {
	case tagText:
		return node.Value
	case tagBoolean:
		if word := strings.ToLower(node.Value); word == "true" || word == "false" {
			return word == "true"
		}
	case tagInteger, tagFloat:
		return kind{words: "the number " + shortened(node.Value), quotable: true}
	case tagDate:
		return kind{words: "the date " + shortened(node.Value), quotable: true}
	}
	return kind{words: kindOf(node)}
}
