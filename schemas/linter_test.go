package schemas

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// lint refuses what validators of draft-07 could read differently, or what gojsonschema would silently ignore:
// keywords outside a small set, formats, and patterns that RE2 and ECMA-262 read differently. Each of them could turn a
// requirement into one that nothing can break.
func lint(file string, root *node) error {
	l := linter{}
	l.schema("", root, true)
	l.identity(file, root)
	if len(l.faults) == 0 {
		return nil
	}
	for i, fault := range l.faults {
		l.faults[i] = fmt.Errorf("%s: %w", file, fault)
	}
	return errors.Join(l.faults...)
}

type linter struct{ faults []error }

// fault adds an error about one place in the file.
func (l *linter) fault(pointer, format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf("at %s: %s", location(pointer), fmt.Sprintf(format, args...)))
}

func (l *linter) identity(file string, root *node) {
	for keyword, want := range map[string]string{"$schema": draft, "$id": baseID + file} {
		if got, _ := root.member(keyword).text(); got != want {
			l.fault("/"+keyword, "expected %q, got %q", want, got)
		}
	}
}

// schema lints one schema. If `judged`, it requires a description, which a finding shows as the expected value. That
// excludes definitions and the parts of an allOf.
func (l *linter) schema(pointer string, n *node, judged bool) {
	if n.members == nil {
		l.fault(pointer, "expected a schema that is a JSON object")
		return
	}
	if ref := n.member("$ref"); ref != nil {
		// Draft-07 ignores all keywords beside a $ref.
		if len(n.names) > 1 {
			l.fault(pointer, "expected no keywords beside the $ref: draft-07 ignores them")
		}
		if _, ok := ref.text(); !ok {
			l.fault(pointer+"/$ref", "expected a string")
		}
		return
	}
	for _, keyword := range n.names {
		l.keyword(pointer+"/"+escape(keyword), keyword, n)
	}
	if _, ok := n.member("description").text(); judged && !ok {
		l.fault(pointer, "expected a description of what is accepted here")
	}
	if judged {
		l.typed(pointer, n, "properties", "object")
		l.typed(pointer, n, "items", "array")
		l.typed(pointer, n, "allOf", "string")
		l.typed(pointer, n, "oneOf", "object")
	}
}

// typed requires a type beside a keyword that restricts values of that type only. Alone, it accepts all other values.
func (l *linter) typed(pointer string, n *node, keyword, name string) {
	if n.member(keyword) == nil {
		return
	}
	types := n.member("type")
	if types != nil && slices.ContainsFunc(slices.Concat(types.items, []*node{types}), func(t *node) bool {
		text, _ := t.text()
		return text == name
	}) {
		return
	}
	l.fault(pointer, "%s without the type %s would accept a value of any other type", keyword,
		name)
}

func (l *linter) keyword(pointer, keyword string, schema *node) {
	value := schema.members[keyword]
	switch keyword {
	case "$schema", "$id", "definitions":
		if strings.Count(pointer, "/") > 1 {
			l.fault(pointer, "expected this keyword at the root of the file only")
		} else if keyword == "definitions" {
			l.namedSchemas(pointer, value, false)
		}
	case "title", "description", "default":
		if text, ok := value.text(); !ok || strings.TrimSpace(text) == "" {
			l.fault(pointer, "expected a text")
		}
	case "type":
		l.types(pointer, value)
	case "properties":
		l.namedSchemas(pointer, value, true)
	case "required":
		l.required(pointer, value, schema.member("properties"))
	case "items":
		l.schema(pointer, value, true)
	case "allOf":
		l.references(pointer, value)
	case "oneOf":
		if strings.Count(pointer, "/") > 1 {
			l.fault(pointer, "expected this keyword at the root of the file only")
		}
		l.references(pointer, value)
	case "enum":
		l.enum(pointer, value)
	case "format":
		l.fault(pointer, "validators read formats differently, or not at all; expected a pattern")
	case "pattern":
		l.pattern(pointer, value)
	default:
		l.fault(pointer, "the keyword %q is not among those that the suite uses; validators ignore a mistyped one",
			keyword)
	}
}

// plainName is the form of a member or definition name. One with a slash or a tilde would read differently in
// gojsonschema's paths.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

func (l *linter) namedSchemas(pointer string, n *node, judged bool) {
	if n.members == nil {
		l.fault(pointer, "expected an object of schemas")
		return
	}
	for _, name := range n.names {
		if !plainName.MatchString(name) {
			l.fault(pointer, "expected names of letters, digits and hyphens, got %q", name)
		}
		l.schema(pointer+"/"+escape(name), n.members[name], judged)
	}
}

func (l *linter) types(pointer string, n *node) {
	list := []*node{n}
	if n.isArray {
		list = n.items
	}
	known := []string{"array", "boolean", "integer", "null", "number", "object", "string"}
	for _, item := range list {
		if name, ok := item.text(); !ok || !slices.Contains(known, name) {
			l.fault(pointer, "expected one or more of %s", strings.Join(known, ", "))
		}
	}
}

func (l *linter) required(pointer string, n, properties *node) {
	for _, item := range n.items {
		if name, _ := item.text(); properties.member(name) == nil {
			l.fault(pointer, "requires %q, which properties does not describe", name)
		}
	}
	if !n.isArray {
		l.fault(pointer, "expected an array of names")
	}
}

// references lints the schemas of an allOf or a oneOf, which have names.
func (l *linter) references(pointer string, n *node) {
	if len(n.items) == 0 {
		l.fault(pointer, "expected an array of references")
	}
	for i, item := range n.items {
		child := fmt.Sprintf("%s/%d", pointer, i)
		if item.member("$ref") == nil {
			l.fault(child, "expected a $ref")
		}
		l.schema(child, item, false)
	}
}

// enum accepts strings and null only, because gojsonschema compares numbers as float64.
func (l *linter) enum(pointer string, n *node) {
	if len(n.items) == 0 {
		l.fault(pointer, "expected an array of strings")
	}
	for _, item := range n.items {
		_, isText := item.text()
		isNull := item.scalar == nil && item.members == nil && !item.isArray
		if !isText && !isNull {
			l.fault(pointer, "expected strings or null; other values are not compared exactly")
		}
	}
}

func (l *linter) pattern(pointer string, n *node) {
	text, ok := n.text()
	if _, err := regexp.Compile(text); !ok || err != nil {
		l.fault(pointer, "expected a regular expression that compiles: %v", err)
		return
	}
	if !portable(text) {
		l.fault(pointer, "expected a regular expression that RE2 and ECMA-262 read alike: ASCII, no \\d or other named class, no dot outside of a class, no group with flags")
	}
	if !strings.HasPrefix(text, "^") || !strings.HasSuffix(text, "$") {
		l.fault(pointer, "expected a regular expression anchored by ^ and $")
	}
}

// portable reports whether RE2 and ECMA-262 read a pattern alike: ASCII, only punctuation is escaped, only plain
// groups, no named character class, and no dot, which matches other line ends in each.
func portable(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i+1:]
		switch c := pattern[i]; {
		case c >= 0x80:
			return false
		case c == '\\':
			if rest == "" || !strings.ContainsAny(rest[:1], `^$\.*+?()[]{}|/-`) {
				return false
			}
			i++
		case c == '[':
			if strings.HasPrefix(rest, ":") {
				return false
			}
			inClass = true
		case c == ']':
			inClass = false
		case c == '.' && !inClass:
			return false
		case c == '(' && !inClass && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:"):
			return false
		}
	}
	return true
}
