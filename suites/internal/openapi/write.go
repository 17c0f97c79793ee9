package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Document is an OpenAPI document, stored as indented JSON.
type Document struct{ text []byte }

// The output formats of a document.
const (
	YAML = "yaml"
	JSON = "json"
)

// Formats lists the formats, the default first.
func Formats() []string { return []string{YAML, JSON} }

// newDocument encodes a node, keeping the order of members.
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

// Encode returns the document in one of the formats.
func (d *Document) Encode(format string) ([]byte, error) {
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

// readJSON parses a JSON text with the YAML parser, which keeps the order of members. JSON is valid YAML. Of the
// original spelling, only that of numbers is kept.
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

// unstyle clears the style of a node, so that the encoder chooses it.
func unstyle(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		unstyle(child)
	}
}

// writeJSON writes a node as JSON, keeping the order of members.
func writeJSON(to *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		to.WriteByte('{')
		for member := range slices.Chunk(node.Content, 2) {
			if to.Bytes()[to.Len()-1] != '{' {
				to.WriteByte(',')
			}
			if err := writeText(to, member[0].Value); err != nil {
				return err
			}
			to.WriteByte(':')
			if err := writeJSON(to, member[1]); err != nil {
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
		return fmt.Errorf("a YAML node of kind %d can't be written as JSON", node.Kind)
	}
	return nil
}

// writeText writes a string as JSON, without escaping < > &.
func writeText(to *bytes.Buffer, text string) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return err
	}
	to.Truncate(to.Len() - 1) // the line break that Encode adds
	return nil
}
