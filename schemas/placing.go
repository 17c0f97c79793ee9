package schemas

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placing builds the places of linted schema files.
type placing struct {
	files map[string]*node // by file name
	trail []string         // the schemas being followed, to tell a circle of references
}

// follow builds the place of a schema that stands as a whole in a file (definition "") or among its definitions.
func (p *placing) follow(file, definition string) (*place, error) {
	here := file + "#"
	at := p.files[file]
	if definition != "" {
		here += "/definitions/" + definition
		at = at.member("definitions").member(definition)
	}
	if at == nil {
		return nil, fmt.Errorf("%s refers to %s, which does not exist among the embedded schemas, and nothing is fetched",
			strings.Join(p.trail, " -> "), here)
	}
	if slices.Contains(p.trail, here) {
		return nil, fmt.Errorf("the references go in a circle: %s", strings.Join(append(p.trail, here), " -> "))
	}
	p.trail = append(p.trail, here)
	defer func() { p.trail = p.trail[:len(p.trail)-1] }()
	// Definitions that nobody refers to must be sound too.
	if definitions := at.member("definitions"); definitions != nil {
		for _, name := range definitions.names {
			if _, err := p.follow(file, name); err != nil {
				return nil, err
			}
		}
	}
	return p.build(file, at)
}

func (p *placing) build(file string, schema *node) (*place, error) {
	if ref, ok := schema.members["$ref"]; ok {
		target, definition, err := resolve(file, ref)
		if err != nil {
			return nil, err
		}
		return p.follow(target, definition)
	}
	out := &place{}
	if description, ok := schema.members["description"]; ok {
		out.expected, _ = description.text()
	}
	if value, ok := schema.members["default"]; ok {
		out.value, _ = value.text()
	}
	if properties, ok := schema.members["properties"]; ok {
		out.names, out.members = properties.names, map[string]*place{}
		for _, name := range properties.names {
			member, err := p.build(file, properties.members[name])
			if err != nil {
				return nil, err
			}
			out.members[name] = member
		}
	}
	if items, ok := schema.members["items"]; ok {
		var err error
		if out.items, err = p.build(file, items); err != nil {
			return nil, err
		}
	}
	if err := p.addOneOf(file, schema, out); err != nil {
		return nil, err
	}
	return out, p.checkAllOf(file, schema)
}

// addOneOf adds the members that only some of the alternatives of a oneOf have.
func (p *placing) addOneOf(file string, schema *node, out *place) error {
	oneOf, ok := schema.members["oneOf"]
	if !ok {
		return nil
	}
	if out.members == nil {
		out.members = map[string]*place{}
	}
	for _, element := range oneOf.items {
		alternative, err := p.build(file, element)
		if err != nil {
			return err
		}
		for _, name := range alternative.names {
			if out.members[name] == nil {
				out.names, out.members[name] = append(out.names, name), alternative.members[name]
			}
		}
	}
	return nil
}

// checkAllOf follows the references of an allOf. What they refer to may only narrow the value itself: members or
// elements that came in by that way would have no place.
func (p *placing) checkAllOf(file string, schema *node) error {
	allOf, ok := schema.members["allOf"]
	if !ok {
		return nil
	}
	for _, element := range allOf.items {
		added, err := p.build(file, element)
		if err != nil {
			return err
		}
		if added.members != nil || added.items != nil {
			return fmt.Errorf("%s: an allOf refers to a schema with properties or items; expected one of a text form", file)
		}
	}
	return nil
}

// reference is the form of a $ref: a schema file of this folder, a definition of one, or one of the same file.
var reference = regexp.MustCompile(`^([a-z-]+\.schema\.json)?(?:#(?:/definitions/([A-Za-z]+))?)?$`)

// resolve gives the file and the definition ("" for the whole file) that a $ref means.
func resolve(file string, ref *node) (target, definition string, err error) {
	text, _ := ref.text()
	parts := reference.FindStringSubmatch(text)
	if parts == nil || text == "" {
		return "", "", fmt.Errorf("%s: the $ref %q is not of the form FILE, FILE#/definitions/NAME or #/definitions/NAME "+
			"with a file among the embedded schemas; nothing is fetched", file, text)
	}
	if target = parts[1]; target == "" {
		target = file
	}
	return target, parts[2], nil
}
