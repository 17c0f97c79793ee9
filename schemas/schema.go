package schemas

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// chunk is how many elements of an array are judged at a time. gojsonschema allocates much for every violation, so an
// array of millions of wrong elements would exhaust the memory.
const chunk = 256

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

// Check judges a value and lists what it finds, sorted by pointer, each pointer once; empty for a value that the schema
// accepts. The value is one as decoded from JSON with numbers kept: map[string]any, []any, string, json.Number, bool
// or nil. If millions of violations are possible, range over Violations instead.
//
// It panics on a value of another Go type, and does not recover a panic of gojsonschema. Both are defects of the suite,
// whatever the target sent.
func (s *Schema) Check(value any) []Violation { return slices.Collect(s.Violations(value)) }

// Violations yields what Check lists, in the same order. An array is judged some hundred elements at a time, while the
// caller ranges. So millions of violations can be counted in little memory.
func (s *Schema) Violations(value any) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		array, inParts := value.([]any)
		inParts = inParts && s.root.Items != nil
		for start := 0; start == 0 || inParts && start < len(array); start += chunk {
			part := value
			if inParts {
				part = array[start:min(start+chunk, len(array))]
			}
			for _, v := range s.judge(part, start) {
				// A violation of the array as a whole occurs in every part of it.
				if start > 0 && v.Pointer == "" {
					continue
				}
				if !yield(v) {
					return
				}
			}
		}
	}
}

// judge validates a value with gojsonschema. For a part of an array, `start` is the index of its first element. It
// sorts the errors by path, because their order is random, and returns one violation for each path.
func (s *Schema) judge(value any, start int) []Violation {
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
		all = append(all, found{pathOf(fault, start), wrongType})
	}
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
// ambiguous, so it joins with a slash: the lint allows none in a member name, and all names are the schema's own. In a
// part of an array the path begins with an index from the start of that part.
func pathOf(e gojsonschema.ResultError, start int) []string {
	tokens := strings.Split(e.Context().String("/"), "/")[1:] // the first is gojsonschema's word for the root
	if _, ok := e.(*gojsonschema.RequiredError); ok {
		name, _ := e.Details()["property"].(string)
		tokens = append(tokens, name)
	}
	if start > 0 && len(tokens) > 0 {
		if index, err := strconv.Atoi(tokens[0]); err == nil {
			tokens[0] = strconv.Itoa(start + index)
		}
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
