package openapi

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
)

// converter converts the draft-07 schema files into components of an OpenAPI 3.1 document, which uses draft 2020-12.
// The keywords that the contract uses mean the same in both; only the places of schemas differ. So each file and each
// entry of its `definitions` becomes a component, and references point to components.
type converter struct {
	files   fs.FS
	schemas map[string]*yaml.Node // by name of the component
}

func newConverter(files fs.FS) *converter {
	return &converter{files: files, schemas: map[string]*yaml.Node{}}
}

// add converts a schema and everything it refers to.
func (c *converter) add(schema *schemas.Schema) (reference, error) {
	return c.component(path.Base(schema.ID()), "")
}

// component converts a file or one of its definitions, unless that was done before, and returns a reference to it.
func (c *converter) component(file, definition string) (reference, error) {
	name := componentName(file, definition)
	ref := reference{"#/components/schemas/" + name}
	if _, done := c.schemas[name]; done {
		return ref, nil
	}
	node, err := c.read(file)
	if err != nil {
		return ref, err
	}
	if definition != "" {
		if node = member(member(node, "definitions"), definition); node == nil {
			return ref, fmt.Errorf("%s has no definition %q", file, definition)
		}
	}
	c.schemas[name] = nil // reserve the name, as a schema may refer to itself
	c.schemas[name], err = c.convert(file, node)
	return ref, err
}

// read parses the schema in a file.
func (c *converter) read(file string) (*yaml.Node, error) {
	content, err := fs.ReadFile(c.files, file)
	if err != nil {
		return nil, fmt.Errorf("the schema %s can't be read: %w", file, err)
	}
	node, err := readJSON(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return node, nil
}

// convert returns a schema in draft 2020-12. It returns an error for a keyword that may have another meaning there.
func (c *converter) convert(file string, schema *yaml.Node) (*yaml.Node, error) {
	if member(schema, "$ref") != nil && len(schema.Content) > 2 {
		return nil, fmt.Errorf("%s: expected no keywords beside $ref: draft-07 ignores them, and draft 2020-12 does "+
			"not", file)
	}
	converted := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i < len(schema.Content); i += 2 {
		keyword, value := schema.Content[i], schema.Content[i+1]
		var err error
		switch keyword.Value {
		case "$schema", "$id", "definitions":
			continue
		case "title", "description", "default", "type", "required", "enum", "pattern":
		case "$ref":
			value, err = c.refer(file, value.Value)
		case "properties":
			value, err = c.each(file, value, 2, 1)
		case "allOf", "oneOf":
			value, err = c.each(file, value, 1, 0)
		case "items":
			value, err = c.convert(file, value)
		default:
			err = fmt.Errorf("%s: the suite does not know how draft 2020-12 reads the keyword %q", file, keyword.Value)
		}
		if err != nil {
			return nil, err
		}
		converted.Content = append(converted.Content, keyword, value)
	}
	return converted, nil
}

// each converts every step-th child of a node, starting with first.
func (c *converter) each(file string, within *yaml.Node, stride, first int) (*yaml.Node, error) {
	converted := *within
	converted.Content = slices.Clone(within.Content)
	for i := first; i < len(converted.Content); i += stride {
		schema, err := c.convert(file, converted.Content[i])
		if err != nil {
			return nil, err
		}
		converted.Content[i] = schema
	}
	return &converted, nil
}

// refuseEmpty changes a request schema that was added, so that some of its fields must not be empty.
func (c *converter) refuseEmpty(request reference, fields []string) error {
	name := path.Base(request.Ref)
	for _, field := range fields {
		property := member(member(c.schemas[name], "properties"), field)
		if property == nil {
			return fmt.Errorf("the schema %s has no field %q", name, field)
		}
		one := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "1"}
		property.Content = append(property.Content, text("minLength"), one)
	}
	return nil
}

func text(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

// refer returns the reference to a component that replaces a reference to a file or definition.
func (c *converter) refer(file, target string) (*yaml.Node, error) {
	other, pointer, _ := strings.Cut(target, "#")
	if other == "" {
		other = file
	}
	definition, ok := strings.CutPrefix(pointer, "/definitions/")
	if pointer != "" && !ok {
		return nil, fmt.Errorf("%s: the reference %q refers to neither a file nor a definition", file, target)
	}
	ref, err := c.component(other, definition)
	return text(ref.Ref), err
}

// componentName returns the component's name for a file or definition: Authenticator, GetUserAuthRequest, Guid.
func componentName(file, definition string) string {
	name := definition
	if name == "" {
		name = strings.TrimSuffix(file, ".schema.json")
	}
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
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
