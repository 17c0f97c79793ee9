package schemas

import (
	"fmt"
	"slices"
	"strings"
)

// schemaNode is what the schemas require at one place of a message, with every $ref resolved. AcceptsAnswer uses all of
// it. For violations, which gojsonschema finds, it provides the descriptions and the order of members.
type schemaNode struct {
	expected string
	value    string        // what is sent for a request field that the settings do not define
	names    []string      // the documented members, in the document's order
	members  []*schemaNode // as in names
	items    *schemaNode   // any element; nil if the schema does not restrict elements

	kinds   kinds        // of the allowed types; none if acceptance does not know a keyword
	formats []*automaton // formats that a string must match
	opaque  bool         // acceptance does not know a keyword here
}

// kinds is a set of the kinds of JSON values, a bit for each: how a value begins (jsontext.Kind).
type kinds uint64

func bitOf[T ~byte | ~rune](kind T) kinds { return 1 << (kind % 64) }

// kindsOf returns the kinds of the types that a schema names. It leaves out the type number, which has the same kind as
// integer: acceptance accepts no value of type number.
func kindsOf(names types) (all kinds) {
	for _, name := range names {
		for _, kind := range map[string]string{
			"null": "n", "boolean": "ft", "integer": "0", "string": `"`, "object": "{", "array": "[",
		}[name] {
			all |= bitOf(kind)
		}
	}
	return all
}

// element is the node of any element of an array.
func (s *schemaNode) element() *schemaNode {
	if s == nil {
		return nil
	}
	return s.items
}

// member finds a documented member; nil if there is none.
func (s *schemaNode) member(name string) *schemaNode {
	member, _ := memberFrom(s, name, 0)
	return member
}

// memberFrom returns a documented member and the index after it. The search starts at the index `next`: services keep
// one order, so the next member is nearly always the right one.
func memberFrom[T string | []byte](n *schemaNode, name T, next int) (member *schemaNode, after int) {
	if n == nil {
		return nil, 0
	}
	for range n.names {
		if next >= len(n.names) {
			next = 0
		}
		next++
		if n.names[next-1] == string(name) {
			return n.members[next-1], next
		}
	}
	return nil, next
}

// nodeAt returns the node at the tokens of a JSON Pointer, or nil if the schema does not define it.
func (s *schemaNode) nodeAt(tokens []string) *schemaNode {
	for _, token := range tokens {
		child := s.member(token)
		if child == nil {
			child = s.items
		}
		if child == nil {
			return nil
		}
		s = child
	}
	return s
}

// treeBuilder builds the trees of schema files.
type treeBuilder struct {
	files   map[string]*definition
	path    []string              // the references being followed, to detect circular ones
	formats map[string]*automaton // by pattern
}

// follow builds the tree that a $ref in a file refers to: FILE, FILE#/definitions/NAME or #/definitions/NAME.
func (t *treeBuilder) follow(file, ref string) (*schemaNode, error) {
	target, fragment, _ := strings.Cut(ref, "#")
	if target == "" {
		target = file
	}
	id, schema := target+"#"+fragment, t.files[target]
	if name, ok := strings.CutPrefix(fragment, "/definitions/"); ok && schema != nil {
		schema = schema.Definitions.byName[name]
	} else if fragment != "" {
		schema = nil
	}
	if schema == nil {
		return nil, fmt.Errorf("%s refers to %q, which does not exist among the embedded schemas, and nothing is "+
			"fetched", file, ref)
	}
	if slices.Contains(t.path, id) {
		return nil, fmt.Errorf("the references go in a circle: %s", strings.Join(append(t.path, id), " -> "))
	}
	t.path = append(t.path, id)
	defer func() { t.path = t.path[:len(t.path)-1] }()
	// Definitions without references to them must be valid too.
	for _, name := range schema.Definitions.names {
		if _, err := t.follow(target, "#/definitions/"+name); err != nil {
			return nil, err
		}
	}
	return t.build(target, schema)
}

func (t *treeBuilder) build(file string, schema *definition) (*schemaNode, error) {
	if schema.Ref != nil {
		return t.follow(file, *schema.Ref)
	}
	out := &schemaNode{
		expected: schema.Description, value: schema.Default, kinds: kindsOf(schema.Type),
		opaque: len(schema.Other)+len(schema.Required)+len(schema.OneOf) > 0,
	}
	for _, name := range schema.Properties.names {
		member, err := t.build(file, schema.Properties.byName[name])
		if err != nil {
			return nil, err
		}
		out.names, out.members = append(out.names, name), append(out.members, member)
	}
	if schema.Items != nil {
		var err error
		if out.items, err = t.build(file, schema.Items); err != nil {
			return nil, err
		}
	}
	if schema.Pattern != nil {
		format, err := t.format(*schema.Pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out.formats = append(out.formats, format)
	}
	for _, part := range schema.AllOf {
		added, err := t.build(file, part)
		switch {
		case err != nil:
			return nil, err
		case added.members != nil || added.items != nil: // the tree would lack them
			return nil, fmt.Errorf("%s: an allOf has properties or items; expected a reference to a text format", file)
		}
		out.formats = append(out.formats, added.formats...)
		out.opaque = out.opaque || added.opaque || added.kinds != 0
	}
	for _, part := range schema.OneOf {
		alternative, err := t.build(file, part)
		if err != nil {
			return nil, err
		}
		for i, name := range alternative.names {
			if out.member(name) == nil {
				out.names, out.members = append(out.names, name), append(out.members, alternative.members[i])
			}
		}
	}
	if out.opaque {
		out.kinds = 0
	}
	return out, nil
}

func (t *treeBuilder) format(pattern string) (*automaton, error) {
	format := t.formats[pattern]
	if format == nil {
		var err error
		if format, err = newAutomaton(pattern); err != nil {
			return nil, err
		}
		t.formats[pattern] = format
	}
	return format, nil
}
