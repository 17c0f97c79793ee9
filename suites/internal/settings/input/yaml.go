package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"go.yaml.in/yaml/v4"
)

// The short tags of YAML values. Tag returns no others.
const (
	Text    = "!!str"
	Integer = "!!int"
	Float   = "!!float"
	Boolean = "!!bool"
	Date    = "!!timestamp"
	Null    = "!!null"
	List    = "!!seq"
	Mapping = "!!map"
	// Other is any other tag, or one that contradicts its value, such as !!seq before a text.
	Other = "other"
)

// kinds has the node and the words of each tag.
var kinds = map[string]struct {
	node  yaml.Kind
	words string
}{
	Text: {yaml.ScalarNode, "a text"}, Integer: {yaml.ScalarNode, "a number"}, Float: {yaml.ScalarNode, "a number"},
	Boolean: {yaml.ScalarNode, "a boolean"}, Date: {yaml.ScalarNode, "a date"}, Null: {yaml.ScalarNode, "nothing"},
	List: {yaml.SequenceNode, "a list"}, Mapping: {yaml.MappingNode, "members"}, Other: {0, "a value with another tag"},
}

// Tag returns the tag of a value, after following aliases.
func Tag(node *yaml.Node) string {
	node = Resolve(node)
	if tag := node.ShortTag(); kinds[tag].node == node.Kind {
		return tag
	}
	return Other
}

// Kind returns the type of a value in words, such as "a list". It does not show the value.
func Kind(node *yaml.Node) string { return kinds[Tag(node)].words }

// Resolve returns the value that an alias refers to, or the node itself.
func Resolve(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// Members yields the members of a mapping in the file's order, as the node of the name and the value after aliases. The
// name is "" if it is not a scalar.
func Members(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(name, value *yaml.Node) bool) {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			name := *Resolve(mapping.Content[i])
			name.Line = mapping.Content[i].Line
			if !yield(&name, Resolve(mapping.Content[i+1])) {
				return
			}
		}
	}
}

// Document parses a file with one YAML document and returns its root, after aliases. It returns nil if there are only
// comments. Errors name the file and the line.
func Document(name string, data []byte) (*yaml.Node, error) {
	if err := CheckUTF8(name, data); err != nil {
		return nil, err
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, yamlFault(name, data, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: expected one YAML document, got a second one: remove this line and everything "+
			"after it", name, second.Line)
	case !errors.Is(err, io.EOF):
		return nil, yamlFault(name, data, err)
	}
	root := Resolve(first.Content[0])
	if Tag(root) == Null {
		return nil, nil
	}
	return root, nil
}

// yamlFault returns the error for a file that is not YAML, with its line. It keeps the parser's message unless it
// quotes the file, which may contain a secret.
func yamlFault(name string, data []byte, err error) error {
	var fault *yaml.LoadError
	switch {
	case !errors.As(err, &fault):
		return fmt.Errorf("%s: is not YAML", name)
	case fault.Stage == yaml.ComposerStage:
		return fmt.Errorf("%s:%d: is not YAML: an alias (*name) has no anchor (&name) before it; put a text that "+
			"starts with * in quotes", name, fault.Mark.Line)
	case fault.Mark.Line == 0: // the parser rejects control characters before it counts lines
		fault.Mark.Line = LineAt(data, bytes.IndexFunc(data, func(r rune) bool {
			return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85
		}))
	}
	return fmt.Errorf("%s:%d: is not YAML: %s", name, fault.Mark.Line, fault.Message)
}
