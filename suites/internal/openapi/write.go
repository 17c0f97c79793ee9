package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/suites/internal/strictjson"
)

// Document is an OpenAPI document, stored as compact JSON.
type Document struct{ text []byte }

// The output formats of a document.
const (
	YAML = "yaml"
	JSON = "json"
)

// Formats lists the formats, the default first.
func Formats() []string { return []string{YAML, JSON} }

// Encode returns the document in one of the formats.
func (d *Document) Encode(format string) ([]byte, error) {
	switch format {
	case JSON:
		var indented bytes.Buffer
		err := json.Indent(&indented, d.text, "", "  ")
		return append(indented.Bytes(), '\n'), err
	case YAML:
		root, err := readYAML(d.text)
		if err != nil {
			return nil, err
		}
		return yaml.Dump(root, yaml.WithLineWidth(-1))
	}
	return nil, fmt.Errorf("there is no format %q: expected %s", format, strings.Join(Formats(), " or "))
}

// readYAML parses a YAML or JSON text. It keeps the order of members and the spelling of numbers, and no style.
func readYAML(text []byte) (*yaml.Node, error) {
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

// json returns the components as a JSON object, sorted by name.
func (c *components) json() []byte {
	all := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range slices.Sorted(maps.Keys(c.byName)) {
		all.Content = append(all.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, c.byName[name])
	}
	return appendJSON(nil, all)
}

// appendJSON appends a node as JSON, keeping the order of members.
func appendJSON(to []byte, node *yaml.Node) []byte {
	switch node.Kind {
	case yaml.MappingNode:
		to = append(to, '{')
		for i, child := range node.Content { // name, value, name, value …
			if i > 0 {
				to = append(to, ",:"[i%2])
			}
			to = appendJSON(to, child)
		}
		return append(to, '}')
	case yaml.SequenceNode:
		to = append(to, '[')
		for i, element := range node.Content {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(to, element)
		}
		return append(to, ']')
	}
	if tag := node.ShortTag(); tag == "!!str" || tag == "!!timestamp" {
		text, _ := strictjson.Encode(node.Value) // every string has a JSON form
		return append(to, text...)
	}
	return append(to, node.Value...) // a number, true, false or null
}
