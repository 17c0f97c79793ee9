package schemas

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// Schema is one compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	file     string
	compiled *gojsonschema.Schema
	root     *definition
}

// Violation is a place of a value that the schema does not accept.
type Violation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the place, relative to the judged value; "" is the value itself. A
	// required member that is absent has the pointer that it would have.
	Pointer string
	// Expected describes, in words, everything that would have been accepted there.
	Expected string
	// WrongType is true if the value has none of the types that the schema allows there. Integer counts as a type.
	WrongType bool
}

// File is the name of the schema's file.
func (s *Schema) File() string { return s.file }

// Members lists the documented members of an object schema, in the document's order; empty for an array.
func (s *Schema) Members() []string { return slices.Clone(s.root.Properties.names) }

// Default returns the value sent for a request field that neither the user nor the settings define; "" if there is
// none.
func (s *Schema) Default(field string) string {
	if n := s.root.Properties.get(field); n != nil {
		return n.Default
	}
	return ""
}

// Expected describes, in words, everything that is accepted for a documented member, or, if member is "", for the whole
// value; "" for any other name.
func (s *Schema) Expected(member string) string {
	if member == "" {
		return s.root.Description
	}
	if n := s.root.Properties.get(member); n != nil {
		return n.Description
	}
	return ""
}

// Check judges a value with gojsonschema and lists what it finds, sorted by pointer, each pointer once; empty for a
// value that the schema accepts. The value is one as decoded from JSON with numbers kept: map[string]any, []any,
// string, json.Number, bool or nil.
//
// It panics on a value of another Go type, and does not recover a panic of gojsonschema. Both are defects of the suite,
// whatever the target sent.
func (s *Schema) Check(value any) []Violation {
	result, err := s.compiled.Validate(gojsonschema.NewRawLoader(s.root.judged(value)))
	if err != nil {
		// A value that is decoded already can't fail to load.
		panic(fmt.Sprintf("schemas: %s: gojsonschema could not judge a decoded value: %v", s.file, err))
	}
	type found struct {
		path      []string
		wrongType bool
	}
	var all []found
	for _, fault := range result.Errors() {
		_, wrongType := fault.(*gojsonschema.InvalidTypeError)
		all = append(all, found{pathOf(fault), wrongType})
	}
	// gojsonschema's order is random.
	slices.SortFunc(all, func(a, b found) int { return slices.CompareFunc(a.path, b.path, compareTokens) })
	var violations []Violation
	for i, f := range all {
		if i > 0 && slices.Equal(f.path, all[i-1].path) {
			last := &violations[len(violations)-1]
			last.WrongType = last.WrongType || f.wrongType
			continue
		}
		v := Violation{WrongType: f.wrongType}
		if n := s.root.at(f.path); n != nil {
			v.Expected = n.Description
		}
		if len(f.path) > 0 {
			v.Pointer = "/" + strings.Join(f.path, "/")
		}
		violations = append(violations, v)
	}
	return violations
}

// pathOf returns the path of an error, including the absent member if one is required. gojsonschema's dotted paths are
// ambiguous, so it joins with a slash: the lint allows none in a member name, and all names are the schema's own.
func pathOf(e gojsonschema.ResultError) []string {
	tokens := strings.Split(e.Context().String("/"), "/")[1:] // the first is gojsonschema's word for the root
	if _, ok := e.(*gojsonschema.RequiredError); ok {
		name, _ := e.Details()["property"].(string)
		tokens = append(tokens, name)
	}
	return tokens
}

// compareTokens orders indexes by number, and names by code point.
func compareTokens(x, y string) int {
	i, errX := strconv.Atoi(x)
	j, errY := strconv.Atoi(y)
	if errX == nil && errY == nil {
		return i - j
	}
	return strings.Compare(x, y)
}
