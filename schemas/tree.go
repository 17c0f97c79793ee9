package schemas

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// at returns the schema at the tokens of a JSON Pointer, or nil if there is none.
func (d *definition) at(tokens []string) *definition {
	for _, token := range tokens {
		child := d.Properties.get(token)
		if child == nil {
			child = d.Items
		}
		if child == nil {
			return nil
		}
		d = child
	}
	return d
}

// treeBuilder resolves the references in schema files.
type treeBuilder struct {
	files map[string]*definition
	path  []string // the references being followed, to detect circular ones
}

// follow resolves what a $ref in a file refers to: FILE, FILE#/definitions/NAME or #/definitions/NAME.
func (t *treeBuilder) follow(file, ref string) (*definition, error) {
	target, fragment, _ := strings.Cut(ref, "#")
	if target == "" {
		target = file
	}
	id, schema := target+"#"+fragment, t.files[target]
	if name, ok := strings.CutPrefix(fragment, "/definitions/"); ok && schema != nil {
		schema = schema.Definitions.get(name)
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
	return t.resolve(target, schema)
}

func (t *treeBuilder) resolve(file string, d *definition) (_ *definition, err error) {
	switch {
	case d.Ref != nil:
		return t.follow(file, *d.Ref)
	case d.resolved:
		return d, nil
	}
	d.opaque = len(d.Other)+len(d.Required)+len(d.OneOf) > 0
	for _, parts := range [][]*definition{d.Properties.schemas, d.AllOf, d.OneOf} {
		for i := range parts {
			if parts[i], err = t.resolve(file, parts[i]); err != nil {
				return nil, err
			}
		}
	}
	if d.Items != nil {
		if d.Items, err = t.resolve(file, d.Items); err != nil {
			return nil, err
		}
	}
	if d.Pattern != nil {
		format, err := regexp.Compile(*d.Pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		d.formats = append(d.formats, format)
	}
	for _, part := range d.AllOf {
		if part.Properties.names != nil || part.Items != nil { // they would be missing here
			return nil, fmt.Errorf("%s: an allOf has properties or items; expected a reference to a text format", file)
		}
		d.formats = append(d.formats, part.formats...)
		d.opaque = d.opaque || part.opaque || part.Type != nil
	}
	for _, alternative := range d.OneOf {
		for i, name := range alternative.Properties.names {
			if d.Properties.get(name) == nil {
				d.Properties.add(name, alternative.Properties.schemas[i])
			}
		}
	}
	d.resolved = true
	return d, nil
}
