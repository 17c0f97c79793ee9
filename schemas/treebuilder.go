package schemas

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// treeBuilder builds the trees of schema files.
type treeBuilder struct {
	files   map[string]*node      // by file name
	path    []string              // the schemas being followed, to detect circular references
	formats map[string]*automaton // by pattern
}

// follow builds the tree of a schema: a whole file (definition "") or one of its definitions.
func (b *treeBuilder) follow(file, definition string) (*schemaNode, error) {
	id := file + "#"
	schema := b.files[file]
	if definition != "" {
		id += "/definitions/" + definition
		schema = schema.member("definitions").member(definition)
	}
	if schema == nil {
		return nil, fmt.Errorf(
			"%s refers to %s, which does not exist among the embedded schemas, and nothing is fetched",
			strings.Join(b.path, " -> "), id)
	}
	if slices.Contains(b.path, id) {
		return nil, fmt.Errorf("the references go in a circle: %s", strings.Join(append(b.path, id), " -> "))
	}
	b.path = append(b.path, id)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	// Definitions without references to them must be valid too.
	if definitions := schema.member("definitions"); definitions != nil {
		for _, name := range definitions.names {
			if _, err := b.follow(file, name); err != nil {
				return nil, err
			}
		}
	}
	return b.build(file, schema)
}

func (b *treeBuilder) build(file string, schema *node) (*schemaNode, error) {
	if ref := schema.member("$ref"); ref != nil {
		target, definition, err := resolve(file, ref)
		if err != nil {
			return nil, err
		}
		return b.follow(target, definition)
	}
	out := &schemaNode{opaque: slices.ContainsFunc(schema.names, isOpaque), kinds: kindsOf(schema.member("type"))}
	out.expected, _ = schema.member("description").text()
	out.value, _ = schema.member("default").text()
	if properties := schema.member("properties"); properties != nil {
		for _, name := range properties.names {
			member, err := b.build(file, properties.members[name])
			if err != nil {
				return nil, err
			}
			out.names, out.members = append(out.names, name), append(out.members, member)
		}
	}
	if items := schema.member("items"); items != nil {
		var err error
		if out.items, err = b.build(file, items); err != nil {
			return nil, err
		}
	}
	if err := b.addPattern(file, schema, out); err != nil {
		return nil, err
	}
	if err := b.addAllOf(file, schema, out); err != nil {
		return nil, err
	}
	if out.opaque {
		out.kinds = 0
	}
	return out, b.addOneOf(file, schema, out)
}

// isOpaque reports whether acceptance does not know a keyword.
func isOpaque(keyword string) bool {
	return !slices.Contains([]string{"$schema", "$id", "title", "description", "default", "definitions",
		"type", "properties", "items", "pattern", "allOf"}, keyword)
}

// addPattern adds the format that a pattern requires of a string.
func (b *treeBuilder) addPattern(file string, schema *node, out *schemaNode) error {
	pattern, ok := schema.member("pattern").text()
	if !ok {
		return nil
	}
	if b.formats[pattern] == nil {
		format, err := newAutomaton(pattern)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		b.formats[pattern] = format
	}
	out.formats = append(out.formats, b.formats[pattern])
	return nil
}

// addAllOf follows the references of an allOf and adds the string formats that they require. The referenced schemas may
// only restrict the value itself: the tree would lack any members or elements that they define.
func (b *treeBuilder) addAllOf(file string, schema *node, out *schemaNode) error {
	allOf := schema.member("allOf")
	if allOf == nil {
		return nil
	}
	for _, element := range allOf.items {
		added, err := b.build(file, element)
		if err != nil {
			return err
		}
		if added.members != nil || added.items != nil {
			return fmt.Errorf(
				"%s: an allOf refers to a schema with properties or items; expected a reference to a text format",
				file)
		}
		out.formats = append(out.formats, added.formats...)
		out.opaque = out.opaque || added.opaque || added.kinds != 0
	}
	return nil
}

// addOneOf adds the members that only some of the alternatives of a oneOf have.
func (b *treeBuilder) addOneOf(file string, schema *node, out *schemaNode) error {
	oneOf := schema.member("oneOf")
	if oneOf == nil {
		return nil
	}
	for _, element := range oneOf.items {
		alternative, err := b.build(file, element)
		if err != nil {
			return err
		}
		for i, name := range alternative.names {
			if out.member(name) == nil {
				out.names, out.members = append(out.names, name), append(out.members, alternative.members[i])
			}
		}
	}
	return nil
}

// reference matches a $ref to a schema file of this folder, to a definition in one, or to one in the same file.
var reference = regexp.MustCompile(`^([a-z-]+\.schema\.json)?(?:#(?:/definitions/([A-Za-z]+))?)?$`)

// resolve returns the file and the definition ("" for the whole file) that a $ref refers to.
func resolve(file string, ref *node) (target, definition string, err error) {
	text, _ := ref.text()
	parts := reference.FindStringSubmatch(text)
	if parts == nil || text == "" {
		return "", "", fmt.Errorf("%s: the $ref %q is not of the form FILE, FILE#/definitions/NAME or "+
			"#/definitions/NAME with a file among the embedded schemas; nothing is fetched", file, text)
	}
	if target = parts[1]; target == "" {
		target = file
	}
	return target, parts[2], nil
}
