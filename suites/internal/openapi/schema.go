package openapi

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
)

// components are the schemas of an OpenAPI 3.1 document, which uses draft 2020-12, by name. Each draft-07 file of the
// contract, and each entry of its `definitions` that is referred to, becomes one. The keywords that the contract uses
// mean the same in both drafts: a test of the schemas allows no others.
// Versions share a component unless their schemas differ.
type components struct {
	byName    map[string]*yaml.Node
	first, of *schemas.Shapes // of the first version, and of the one that is converted
	version   schemas.Version
}

// add converts a schema of a version and everything that it refers to, unless that was done before, and returns a
// reference to it.
func (c *components) add(schema *schemas.Schema) (reference string, err error) {
	return c.component(path.Base(schema.ID()), "")
}

// differs reports whether a file, or one that it refers to, is another one than that of the first version.
func (c *components) differs(file string) bool {
	if !bytes.Equal(c.of.Files[file], c.first.Files[file]) {
		return true
	}
	for other := range c.of.Files {
		if other != file && bytes.Contains(c.of.Files[file], []byte(`"`+other)) && c.differs(other) {
			return true
		}
	}
	return false
}

func (c *components) component(file, definition string) (reference string, err error) {
	name := componentName(file, definition)
	if c.differs(file) {
		name += strings.ToUpper(string(c.version))
	}
	reference = "#/components/schemas/" + name
	if _, done := c.byName[name]; done {
		return reference, nil
	}
	node, err := readYAML(c.of.Files[file])
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if definition != "" {
		node = member(member(node, "definitions"), definition)
	}
	if node == nil {
		return "", fmt.Errorf("%s has no definition %q", file, definition)
	}
	c.byName[name] = node
	return reference, c.convert(file, node)
}

// convert changes a schema, and all in it, in place: references refer to components, and the members that only a file
// has are removed.
func (c *components) convert(file string, node *yaml.Node) error {
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
func (c *components) refuseEmpty(request, field string) error {
	property := member(member(c.byName[path.Base(request)], "properties"), field)
	if property == nil {
		return fmt.Errorf("the schema %s has no field %q", path.Base(request), field)
	}
	if member(property, "minLength") != nil { // versions share it
		return nil
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
