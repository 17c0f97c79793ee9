package openapi

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
)

// components are the schemas of an OpenAPI 3.1 document, which uses draft 2020-12, by name. Each draft-07 file of the
// contract, and each entry of its `definitions` that is referred to, becomes one. The keywords that the contract uses
// mean the same in both drafts: a test of the schemas allows no others.
type components map[string]*yaml.Node

// add converts a schema and everything that it refers to, unless that was done before, and returns a reference to it.
func (c components) add(schema *schemas.Schema) (reference string, err error) {
	return c.component(path.Base(schema.ID()), "")
}

func (c components) component(file, definition string) (reference string, err error) {
	name := componentName(file, definition)
	reference = "#/components/schemas/" + name
	if _, done := c[name]; done {
		return reference, nil
	}
	content, err := fs.ReadFile(schemas.Files(), file)
	if err != nil {
		return "", fmt.Errorf("the schema %s can't be read: %w", file, err)
	}
	node, err := readYAML(content)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if definition != "" {
		node = member(member(node, "definitions"), definition)
	}
	if node == nil {
		return "", fmt.Errorf("%s has no definition %q", file, definition)
	}
	c[name] = node
	return reference, c.convert(file, node)
}

// convert changes a schema, and all in it, in place: references refer to components, and the members that only a file
// has are removed.
func (c components) convert(file string, node *yaml.Node) error {
	kept := node.Content[:0:0]
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			switch child.Value {
			case "$schema", "$id", "definitions":
				continue
			case "$ref":
				other, pointer, _ := strings.Cut(node.Content[i+1].Value, "#")
				if other == "" {
					other = file
				}
				reference, err := c.component(other, strings.TrimPrefix(pointer, "/definitions/"))
				if err != nil {
					return err
				}
				node.Content[i+1].Value = reference
			}
			kept = append(kept, child, node.Content[i+1])
			if err := c.convert(file, node.Content[i+1]); err != nil {
				return err
			}
		} else if node.Kind == yaml.SequenceNode {
			kept = append(kept, child)
			if err := c.convert(file, child); err != nil {
				return err
			}
		}
	}
	node.Content = kept
	return nil
}

// refuseEmpty makes a request that was added refuse an empty text in a field.
func (c components) refuseEmpty(request, field string) error {
	property := member(member(c[path.Base(request)], "properties"), field)
	if property == nil {
		return fmt.Errorf("the schema %s has no field %q", path.Base(request), field)
	}
	property.Content = append(property.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "minLength"},
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "1"})
	return nil
}

// componentName returns the component's name for a file or definition: Authenticator, GetUserAuthRequest, Guid.
func componentName(file, definition string) string {
	if definition == "" {
		definition = strings.TrimSuffix(file, ".schema.json")
	}
	var b strings.Builder
	for word := range strings.SplitSeq(definition, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// member returns the value of an object's member, or nil if there is none.
func member(object *yaml.Node, name string) *yaml.Node {
	if object == nil {
		return nil
	}
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			return object.Content[i+1]
		}
	}
	return nil
}
