package settings

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readYAMLUsers reads one YAML document: a list of mappings.
func readYAMLUsers(l *userList, data []byte) error {
	root, err := document(l.path, data)
	if errors.Is(err, errNoDocument) {
		return nil
	}
	if err != nil {
		return err
	}
	if root = resolved(root); tagOf(root) != tagList {
		return l.errorf(root.Line, "expected a list of users, got %s", kindOf(root))
	}
	for _, item := range root.Content {
		entry := resolved(item)
		if tagOf(entry) != tagMapping {
			return l.errorf(item.Line, "expected a user with %s, got %s", neededMembers, kindOf(entry))
		}
		var members []member
		for _, m := range pairs(entry) {
			members = append(members, member{name: m.name, line: m.line, value: yamlValue(m.value)})
		}
		if err := l.add(item.Line, members); err != nil {
			return err
		}
	}
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
