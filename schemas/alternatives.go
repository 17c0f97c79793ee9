package schemas

import (
	"encoding/json"
	"strings"
)

// The alternatives that every member has: a value, which may have several forms, null, or nothing.
const (
	HasValue = "value"
	IsNull   = "null"
	IsAbsent = "absent"
)

// form is one way to write a value of a member.
type form struct {
	name string
	// example is a value in this form: a string, a json.Number or a bool.
	example any
	is      func(value string) bool
}

// forms are the ways to write a value. A member has those whose example its schema accepts.
var forms = []form{
	{"text", "a", func(s string) bool { return s != "" }},
	{"empty text", "", func(s string) bool { return s == "" }},
	{"GUID in lower case", "a0000000-0000-4000-8000-000000000000",
		func(s string) bool { return s == strings.ToLower(s) }},
	{"GUID in upper case", "A0000000-0000-4000-8000-000000000000",
		func(s string) bool { return s == strings.ToUpper(s) && s != strings.ToLower(s) }},
	{"time with Z", "2027-01-31T12:00:00.000Z", func(s string) bool { return strings.HasSuffix(s, "Z") }},
	{"time with offset 00:00", "2027-01-31T12:00:00.000+00:00",
		func(s string) bool { return strings.HasSuffix(s, "00:00") && hasOffset(s) }},
	{"time with another offset", "2027-01-31T12:00:00.000+02:00",
		func(s string) bool { return hasOffset(s) && !strings.HasSuffix(s, "00:00") }},
	{"time without zone", "2027-01-31T12:00:00.000", func(s string) bool {
		return !strings.HasSuffix(s, "Z") &&
			!hasOffset(s)
	}},
	{"time with fraction", "2027-01-31T12:00:00.000Z", func(s string) bool { return strings.Contains(s, ".") }},
	{"time without fraction", "2027-01-31T12:00:00Z", func(s string) bool { return !strings.Contains(s, ".") }},
	{"integer in digits", json.Number("3"), func(s string) bool { return strings.Trim(s, "-0123456789") == "" }},
	{"integer with point", json.Number("3.0"), func(s string) bool { return strings.Contains(s, ".") }},
	{"integer with exponent", json.Number("3e2"), func(s string) bool { return strings.ContainsAny(s, "eE") }},
	{"true", true, func(s string) bool { return s == "true" }},
	{"false", false, func(s string) bool { return s == "false" }},
}

func hasOffset(time string) bool {
	const date = len("2006-01-02")
	return strings.ContainsAny(time[min(date, len(time)):], "+-")
}

// accepts reports whether a member may be written in a form. A text without a format of its own may be any text, so
// that of its forms only being empty tells something.
func (n *schemaNode) accepts(f form) bool {
	switch example := f.example.(type) {
	case string:
		if n.kinds&bitOf('"') == 0 {
			return false
		}
		if len(n.formats) == 0 {
			return len(example) < 2
		}
		return matchesFormats(n, example)
	case json.Number:
		return n.kinds&bitOf('0') != 0
	}
	return n.kinds&bitOf('t') != 0
}

// accepted returns the forms of a list in which a member may be written.
func (n *schemaNode) accepted(list []form) (accepted []form) {
	for _, f := range list {
		if n.accepts(f) {
			accepted = append(accepted, f)
		}
	}
	return accepted
}

func namesOf(list []form) (names []string) {
	for _, f := range list {
		names = append(names, f.name)
	}
	return names
}

// Forms lists the forms that an element of an array may have by the schema.
func (s *Schema) Forms() []string {
	if s.root.items == nil {
		return nil
	}
	return namesOf(s.root.items.forms)
}

// FormsOf lists the forms that an element of an array has; none of one that the schema does not accept.
func (s *Schema) FormsOf(element any) []string {
	text, _ := element.(string)
	if s.root.items == nil || !matchesFormats(s.root.items, text) {
		return nil
	}
	return s.root.items.formsOf(element)
}

// Alternatives lists what a member may be by the schema: a value, each form of it, null, absent.
func (s *Schema) Alternatives(member string) []string {
	n := s.root.member(member)
	if n == nil {
		return nil
	}
	list := append([]string{HasValue}, namesOf(n.forms)...)
	if n.kinds&bitOf('n') != 0 {
		list = append(list, IsNull)
	}
	return append(list, IsAbsent)
}

// Shows lists the alternatives of a member that an object has, if the schema accepts its value.
func (s *Schema) Shows(member string, object map[string]any) []string {
	value, present := object[member]
	n := s.root.member(member)
	switch {
	case n == nil:
		return nil
	case !present:
		return []string{IsAbsent}
	case value == nil:
		return []string{IsNull}
	}
	return append([]string{HasValue}, n.formsOf(value)...)
}

func (n *schemaNode) formsOf(value any) (list []string) {
	text := ""
	switch value := value.(type) {
	case string:
		text = value
	case json.Number:
		text = value.String()
	case bool:
		text = "false"
		if value {
			text = "true"
		}
	default:
		return nil
	}
	for _, f := range n.forms {
		if sameType(f.example, value) && f.is(text) {
			list = append(list, f.name)
		}
	}
	return list
}

func sameType(a, b any) bool {
	switch a.(type) {
	case string:
		_, is := b.(string)
		return is
	case json.Number:
		_, is := b.(json.Number)
		return is
	}
	_, is := b.(bool)
	return is
}
