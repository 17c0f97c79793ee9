package schemas

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Shapes are the schemas of messages: those of one version, or of all.
type Shapes struct {
	// Record is the authenticator record (§2.1), Device its Device (§2.2, null allowed), Identifiers the array of
	// GUID strings (§2.3).
	Record, Device, Identifiers *Schema
	// Files are the schema files by their names, without the members of other versions.
	Files map[string][]byte

	requests map[Operation]*Schema
}

// Request is the schema of an operation's request body (§4.1, §4.2), nil for an operation the document does not have.
func (s *Shapes) Request(op Operation) *Schema { return s.requests[op] }

// Of returns the shapes of a version's messages. Versions for which the same shapes and the same rows hold share one
// value, so equal pointers mean equal contracts.
func (c *Contract) Of(v Version) *Shapes {
	if of := c.of[v]; of != nil {
		return of
	}
	return &c.Shapes
}

// InOne lists the members of a record that the contract of only one version of a pair has, as JSON Pointers; of a
// record in a list, with * for its index.
func (c *Contract) InOne(p Pair) []string { return c.inOne[p] }

// addInOne adds the members that only one of two nodes has.
func addInOne(list []string, at string, from, to *definition) []string {
	for _, name := range slices.Concat(from.Properties.names, to.Properties.names) {
		pointer := at + "/" + name
		switch one, other := from.Properties.get(name), to.Properties.get(name); {
		case slices.Contains(list, pointer):
		case one == nil || other == nil:
			list = append(list, pointer)
		default:
			list = addInOne(list, pointer, one, other)
		}
	}
	return list
}

// readShapes compiles the schemas: those of all versions together, and those of each version for which other members or
// rows hold.
func (c *Contract) readShapes(files fs.FS) error {
	whole, err := readSchemas(files, contractFiles()...)
	if err != nil {
		return err
	}
	if err = c.Shapes.compile(whole); err != nil {
		return err
	}
	c.of = map[Version]*Shapes{}
	shared := map[string]*Shapes{c.identity(whole, c.Versions...): &c.Shapes}
	for _, v := range c.Versions {
		own := map[string][]byte{}
		for name, content := range whole {
			if own[name], err = c.heldIn(v, content); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		id := c.identity(own, v)
		if shared[id] == nil {
			shared[id] = &Shapes{}
			if err = shared[id].compile(own); err != nil {
				return err
			}
		}
		c.of[v] = shared[id]
	}
	c.inOne = map[Pair][]string{}
	for _, p := range c.Pairs {
		from, to := c.Of(p.From), c.Of(p.To)
		for _, at := range []string{"", "/*"} {
			if from != to {
				c.inOne[p] = addInOne(c.inOne[p], at, from.Record.root, to.Record.root)
			}
		}
	}
	return nil
}

// identity tells contracts of versions apart: by their schema files, and by the rows that hold in one of them.
func (c *Contract) identity(files map[string][]byte, versions ...Version) string {
	var id strings.Builder
	for _, name := range contractFiles() {
		id.Write(files[name])
	}
	for _, r := range c.Requirements {
		if slices.ContainsFunc(versions, r.In) {
			id.WriteString(" " + r.ID)
		}
	}
	return id.String()
}

func (s *Shapes) compile(files map[string][]byte) error {
	set, err := compile(files)
	if err != nil {
		return err
	}
	*s = Shapes{
		Record: set[recordFile], Device: set["device.schema.json"], Identifiers: set["guid-array.schema.json"],
		Files: files,
		requests: map[Operation]*Schema{
			GetUserAuth:   set["get-user-auth-request.schema.json"],
			FindByUserIDs: set["find-by-user-ids-request.schema.json"],
		},
	}
	return nil
}

// heldIn returns a schema file without the members that do not hold in a version, and without the keywords that say so.
func (c *Contract) heldIn(v Version, content []byte) ([]byte, error) {
	if !bytes.Contains(content, []byte(`"since"`)) && !bytes.Contains(content, []byte(`"until"`)) {
		return content, nil
	}
	schema, err := parse(content)
	if err == nil {
		err = c.keepHeld(v, schema)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(schema)
}

// keepHeld removes from a schema what heldIn leaves out.
func (c *Contract) keepHeld(v Version, schema *definition) error {
	schema.Since, schema.Until = "", ""
	if schema.Items != nil {
		if err := c.keepHeld(v, schema.Items); err != nil {
			return err
		}
	}
	all := schema.Properties
	schema.Properties = definitions{}
	for i, name := range all.names {
		member := all.schemas[i]
		versions, err := span{member.Since, member.Until}.in(c.Versions)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !slices.Contains(versions, v) {
			schema.Required = slices.DeleteFunc(schema.Required, func(other string) bool { return other == name })
			continue
		}
		if err := c.keepHeld(v, member); err != nil {
			return err
		}
		schema.Properties.add(name, member)
	}
	return nil
}

// IsDocumented reports whether the document shows a place of the answers to an operation: the answer as a whole (""),
// how a list is made up ("/*"), or a member of a record (§2.1) or of its device (§2.2), as a JSON Pointer from the
// record.
func (c *Contract) IsDocumented(op Operation, place string) bool {
	tokens := strings.Split(strings.TrimPrefix(place, "/"), "/")
	switch {
	case op == FindByUserIDs, place == "", place == "/*":
		return true
	case tokens[0] == "Device" && len(tokens) > 1:
		return slices.Contains(c.Device.Members(), tokens[1])
	}
	return slices.Contains(c.Record.Members(), tokens[0])
}
