package fast

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"slices"
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
)

// compile makes a checker of schema files. A file that can't be read, and whatever refers to it, is not understood.
func compile(contract *schemas.Contract, files fs.FS) *Checker {
	documents := read(files)
	record, identifiers := &place{}, &place{}
	if p, ok := whole(documents, contract.Record); ok && p.object != nil && p.object.owned(contract) {
		p.object.some = true
		record.object = p.object
	}
	if p, ok := whole(documents, contract.Identifiers); ok {
		identifiers.items = p.items
	}
	return &Checker{record: record, records: &place{items: record}, identifiers: identifiers, other: anything()}
}

// read gives the schema files by their $id.
func read(files fs.FS) map[string]json.RawMessage {
	documents := map[string]json.RawMessage{}
	names, _ := fs.Glob(files, "*.schema.json") // this pattern is well-formed
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		var s schema
		if err == nil && json.Unmarshal(content, &s) == nil {
			documents[s.text("$id")] = content
		}
	}
	return documents
}

// compileText makes a function of what a schema says of a text that is one of its members.
func compileText(s *schemas.Schema, name string, files fs.FS) func(string) bool {
	nothing := func(string) bool { return false }
	documents := read(files)
	var root schema
	if json.Unmarshal(documents[s.ID()], &root) != nil {
		return nothing
	}
	names, values := members(root["properties"])
	i := slices.Index(names, name)
	if i < 0 {
		return nothing
	}
	p, ok := compiler{documents: documents, id: s.ID(), trail: []string{s.ID()}}.place(values[i])
	if !ok || !p.text {
		return nothing
	}
	return func(text string) bool {
		for _, keeps := range p.forms {
			if !keeps([]byte(text)) {
				return false
			}
		}
		return true
	}
}

// owned marks the member that says whose record it is: the one that a record has in common with a request which names
// nothing but the user (§2.1, §4.2). It is false where there is no such member, or more than one.
func (o *object) owned(contract *schemas.Contract) bool {
	owners := 0
	for _, name := range contract.FindByUserIDsRequest.Members() {
		if i, ok := o.index[name]; ok {
			o.members[i].place.owner = true
			owners++
		}
	}
	return owners == 1
}

// whole compiles a schema file.
func whole(documents map[string]json.RawMessage, s *schemas.Schema) (place, bool) {
	return compiler{documents: documents, id: s.ID(), trail: []string{s.ID()}}.place(documents[s.ID()])
}

// compiler reads the schemas of one file, of draft-07 as far as package schemas uses it, whose lint lets little else
// pass. Its methods are false for a schema that is not understood.
type compiler struct {
	documents map[string]json.RawMessage // by $id
	id        string                     // of the file
	trail     []string                   // what is being followed, to tell references that go in a circle
}

// place compiles the schema of one place.
func (c compiler) place(raw json.RawMessage) (place, bool) {
	c, s, ok := c.follow(raw)
	if !ok || !s.holdsOnly(c.id, "$schema", "$id", "title", "description", "definitions",
		"type", "properties", "items", "pattern", "allOf") {
		return place{}, false
	}
	var p place
	if p.forms, ok = c.forms(s); !ok {
		return place{}, false
	}
	for _, name := range s.types() {
		switch name {
		case "null":
			p.null = true
		case "boolean":
			p.boolean = true
		case "integer":
			p.integer = true
		case "string":
			p.text = true
		case "object":
			p.object, ok = c.object(s["properties"])
		case "array":
			p.items = &place{}
			*p.items, ok = c.place(s["items"])
		default:
			ok = false
		}
		if !ok {
			return place{}, false
		}
	}
	return p, true
}

// object compiles the members of an object. Of one that is not understood nothing but null is accepted, which is never
// wrong (J8).
func (c compiler) object(properties json.RawMessage) (*object, bool) {
	names, schemas := members(properties)
	if len(names) == 0 || len(names) > mostMembers {
		return nil, false
	}
	o := &object{index: map[string]int{}}
	for i, name := range names {
		quoted := strconv.Quote(name)
		if quoted != `"`+name+`"` {
			return nil, false // an answer can only write it with an escape
		}
		p, ok := c.place(schemas[i])
		if !ok {
			p = place{null: true}
		}
		o.members = append(o.members, member{quoted: quoted, place: p})
		o.index[name] = i
	}
	return o, true
}

// forms gathers what a schema and its allOf ask of a text.
func (c compiler) forms(s schema) ([]form, bool) {
	var all []form
	if s.has("pattern") {
		pattern, err := compilePattern(s.text("pattern"))
		if err != nil {
			return nil, false
		}
		all = append(all, pattern)
	}
	var parts []json.RawMessage
	if s.has("allOf") && json.Unmarshal(s["allOf"], &parts) != nil {
		return nil, false
	}
	for _, part := range parts {
		inside, s, ok := c.follow(part)
		if !ok || !s.holdsOnly(inside.id, "title", "description", "pattern", "allOf") {
			return nil, false
		}
		more, ok := inside.forms(s)
		if !ok {
			return nil, false
		}
		all = append(all, more...)
	}
	return all, true
}

// follow reads a schema, or the one that it refers to, and gives the compiler of the file in which that stands. A
// reference to a reference is not understood.
func (c compiler) follow(raw json.RawMessage) (compiler, schema, bool) {
	var s schema
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return c, nil, false
	}
	if !s.has("$ref") {
		return c, s, true
	}
	base, err := url.Parse(c.id)
	if err != nil || len(s) > 1 || s.text("$ref") == "" {
		return c, nil, false
	}
	target, err := base.Parse(s.text("$ref"))
	if err != nil || slices.Contains(c.trail, target.String()) {
		return c, nil, false
	}
	tokens, err := strictjson.Tokens(target.Fragment)
	if err != nil {
		return c, nil, false
	}
	c.trail = append(slices.Clip(c.trail), target.String())
	target.Fragment = ""
	c.id = target.String()
	raw = c.documents[c.id]
	for _, token := range tokens {
		var outer schema
		if json.Unmarshal(raw, &outer) != nil {
			return c, nil, false
		}
		raw = outer[token]
	}
	var meant schema
	if json.Unmarshal(raw, &meant) != nil || meant == nil || meant.has("$ref") {
		return c, nil, false
	}
	return c, meant, true
}

// schema is the keywords of one schema.
type schema map[string]json.RawMessage

func (s schema) has(keyword string) bool {
	_, ok := s[keyword]
	return ok
}

// text gives the value of a keyword; "" where it is no text, which means nothing to those who ask.
func (s schema) text(keyword string) string {
	var text string
	if json.Unmarshal(s[keyword], &text) != nil {
		return ""
	}
	return text
}

// holdsOnly tells whether a schema has no keyword but the named ones, and no $id but that of its file, from which its
// references are resolved.
func (s schema) holdsOnly(id string, keywords ...string) bool {
	for keyword := range s {
		if !slices.Contains(keywords, keyword) {
			return false
		}
	}
	return !s.has("$id") || s.text("$id") == id
}

// types lists the types of a schema. Where none can be read that is "", which is no type: a schema without one allows
// values of all.
func (s schema) types() []string {
	var list []string
	if json.Unmarshal(s["type"], &list) == nil && len(list) > 0 {
		return list
	}
	return []string{s.text("type")}
}

// members gives the members of an object in the order in which they stand; none of what is no object.
func members(raw json.RawMessage) (names []string, values []json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, nil
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || decoder.Decode(&value) != nil {
			return nil, nil
		}
		names, values = append(names, name), append(values, value)
	}
	return names, values
}
