package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// The tags of YAML that these files use, in their short form.
const (
	tagText    = "!!str"
	tagInteger = "!!int"
	tagFloat   = "!!float"
	tagBoolean = "!!bool"
	tagDate    = "!!timestamp"
	tagNull    = "!!null"
	tagList    = "!!seq"
	tagMapping = "!!map"
)

// tagOther stands for every other tag, and for one that is at odds with its value, such as !!seq before a text.
const tagOther = "other"

// tagOf is the tag of a value, if it is one of those above and fits the value.
func tagOf(node *yaml.Node) string {
	tag := node.ShortTag()
	fits := false
	switch tag {
	case tagText, tagInteger, tagFloat, tagBoolean, tagDate, tagNull:
		fits = node.Kind == yaml.ScalarNode
	case tagList:
		fits = node.Kind == yaml.SequenceNode
	case tagMapping:
		fits = node.Kind == yaml.MappingNode
	}
	if !fits {
		return tagOther
	}
	return tag
}

// errNoDocument tells that a YAML file has nothing but comments and white space.
var errNoDocument = errors.New("no document")

// document reads the one YAML document of a file and yields its root. Errors name the file and the line;
// errNoDocument comes as it is.
func document(path string, data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, errNoDocument
	case err != nil:
		return nil, yamlError(path, data, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a second YAML document begins: expected one; take out this line and what follows",
			path, second.Line)
	case !errors.Is(err, io.EOF):
		return nil, yamlError(path, data, err)
	}
	root := first.Content[0]
	if tagOf(root) == tagNull {
		return nil, errNoDocument
	}
	return root, nil
}

// yamlError says where a file stops being YAML. The parser's own words are kept but for those that repeat what stands
// in the file, which may be a secret.
func yamlError(path string, data []byte, err error) error {
	var fault *yaml.LoadError
	if !errors.As(err, &fault) {
		return fmt.Errorf("%s: is not YAML", path)
	}
	if fault.Stage == yaml.ComposerStage {
		return fmt.Errorf("%s:%d: is not YAML: an alias (*name) has no anchor (&name) before it; put a text that begins "+
			"with * in quotes", path, fault.Mark.Line)
	}
	line := fault.Mark.Line
	if line == 0 {
		line = lineOfControl(data)
	}
	return fmt.Errorf("%s:%d: is not YAML: %s", path, line, fault.Message)
}

// lineOfControl is the line of the first control character that YAML refuses: its reader knows no lines.
func lineOfControl(data []byte) int {
	at := bytes.IndexFunc(data, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85
	})
	return lineAt(data, max(at, 0))
}

// resolved follows an alias to the value it stands for. A value that holds itself is no danger: nothing is read
// deeper than the members that a file may have.
func resolved(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// kindOf says in words what a value is, without showing it.
func kindOf(node *yaml.Node) string {
	switch tagOf(node) {
	case tagText:
		return "a text"
	case tagInteger, tagFloat:
		return "a number"
	case tagBoolean:
		return "a boolean"
	case tagDate:
		return "a date"
	case tagNull:
		return "nothing"
	case tagList:
		return "a list"
	case tagMapping:
		return "members"
	}
	return "a value with a tag of its own"
}

// pair is one member of a mapping.
type pair struct {
	name  string
	line  int
	value *yaml.Node
}

// pairs lists the members of a mapping in the file's order; a name that is no plain scalar comes as "".
func pairs(mapping *yaml.Node) []pair {
	list := make([]pair, 0, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := resolved(mapping.Content[i])
		next := pair{line: mapping.Content[i].Line, value: resolved(mapping.Content[i+1])}
		if key.Kind == yaml.ScalarNode {
			next.name = key.Value
		}
		list = append(list, next)
	}
	return list
}
