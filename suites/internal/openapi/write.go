package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Document is an OpenAPI document, as indented JSON.
type Document struct{ text []byte }

// The formats in which a document can be written.
const (
	YAML = "yaml"
	JSON = "json"
)

// Formats lists them, the usual one first.
func Formats() []string { return []string{YAML, JSON} }

// newDocument writes a node, its members in their order.
func newDocument(root *yaml.Node) (*Document, error) {
	var compact, indented bytes.Buffer
	if err := writeJSON(&compact, root); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return &Document{indented.Bytes()}, nil
}

// In gives the document in one of the formats.
func (d *Document) In(format string) ([]byte, error) {
	switch format {
	case JSON:
		return d.text, nil
	case YAML:
		root, err := readJSON(d.text)
		if err != nil {
			return nil, err
		}
		return yaml.Dump(root, yaml.WithLineWidth(-1))
	}
	return nil, fmt.Errorf("there is no format %q: expected %s", format, strings.Join(Formats(), " or "))
}

// readJSON reads a JSON text as YAML, which it is, since that keeps the order of members. What remains of how it was
// written is the form of its numbers.
func readJSON(text []byte) (*yaml.Node, error) {
	if !json.Valid(text) {
		return nil, fmt.Errorf("expected a JSON text")
	}
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, fmt.Errorf("can't be read as YAML: %w", err)
	}
	root := document.Content[0]
	unstyle(root)
	return root, nil
}

// unstyle leaves it to the writer how a value is written.
func unstyle(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		unstyle(child)
	}
}

// writeJSON writes a node, its members in their order.
func writeJSON(to *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		to.WriteByte('{')
		for pair := range slices.Chunk(node.Content, 2) {
			if to.Bytes()[to.Len()-1] != '{' {
				to.WriteByte(',')
			}
			if err := writeText(to, pair[0].Value); err != nil {
				return err
			}
			to.WriteByte(':')
			if err := writeJSON(to, pair[1]); err != nil {
				return err
			}
		}
		to.WriteByte('}')
	case yaml.SequenceNode:
		to.WriteByte('[')
		for i, element := range node.Content {
			if i > 0 {
				to.WriteByte(',')
			}
			if err := writeJSON(to, element); err != nil {
				return err
			}
		}
		to.WriteByte(']')
	case yaml.ScalarNode:
		if node.ShortTag() == "!!str" || node.ShortTag() == "!!timestamp" {
			return writeText(to, node.Value)
		}
		to.WriteString(node.Value) // a number, true, false or null
	default:
		return fmt.Errorf("a YAML node of kind %d has no form in JSON", node.Kind)
	}
	return nil
}

// writeText writes a string as JSON, and < > & as they are.
func writeText(to *bytes.Buffer, text string) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return err
	}
	to.Truncate(to.Len() - 1) // the line break
	return nil
}
