package schemas

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/xeipuuv/gojsonschema"
)

// draft is the draft that the schemas are written in.
const draft = "http://json-schema.org/draft-07/schema#"

// Lint lints schema files, and validates them against the meta-schema of their draft, which gojsonschema carries with
// it.
func Lint(files fs.FS, names ...string) error {
	loader := gojsonschema.NewSchemaLoader()
	loader.Validate = true
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		var root any
		if err := json.Unmarshal(content, &root); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := lintSchema(name, root); err != nil {
			return err
		}
		if err := loader.AddSchemas(gojsonschema.NewBytesLoader(content)); err != nil {
			return fmt.Errorf("%s: not a schema of draft-07: %w", name, err)
		}
	}
	return nil
}

// lintSchema refuses what validators of draft-07 could read differently, or what gojsonschema would silently ignore:
// keywords outside a small set, formats, and patterns that RE2 and ECMA-262 read differently. Each of them could turn a
// requirement into one that nothing can break.
func lintSchema(file string, root any) error {
	l := linter{file: file}
	l.schema("", root, true)
	identity, _ := root.(map[string]any)
	for keyword, want := range map[string]any{"$schema": draft, "$id": baseID + file} {
		if identity[keyword] != want {
			l.fault("/"+keyword, "expected %q, got %v", want, identity[keyword])
		}
	}
	return errors.Join(l.faults...)
}

type linter struct {
	file   string
	faults []error
}

// fault adds an error about one place in the file.
func (l *linter) fault(pointer, format string, args ...any) {
	if pointer == "" {
		pointer = "the root"
	}
	l.faults = append(l.faults, fmt.Errorf("%s: at %s: %s", l.file, pointer, fmt.Sprintf(format, args...)))
}

// schema lints one schema. If `judged`, it requires a description, which a finding shows as the expected value. That
// excludes definitions and the parts of an allOf.
func (l *linter) schema(pointer string, value any, judged bool) {
	schema, ok := value.(map[string]any)
	if !ok {
		l.fault(pointer, "expected a schema that is a JSON object")
		return
	}
	if ref, ok := schema["$ref"]; ok {
		for keyword := range schema {
			switch keyword {
			case "$ref":
			case "since", "until": // these are for the suite alone
				l.keyword(pointer+"/"+keyword, keyword, schema)
			default:
				l.fault(pointer, "expected no keywords beside the $ref: draft-07 ignores them")
			}
		}
		if text, _ := ref.(string); text == "" {
			l.fault(pointer+"/$ref", "expected a reference")
		}
		return
	}
	for keyword := range schema {
		l.keyword(pointer+"/"+keyword, keyword, schema)
	}
	if !judged {
		return
	}
	if schema["description"] == nil {
		l.fault(pointer, "expected a description of what is accepted here")
	}
	// Without the type beside it, such a keyword accepts all values of other types.
	for keyword, name := range map[string]string{
		"properties": "object", "items": "array", "allOf": "string", "oneOf": "object",
	} {
		types, isList := schema["type"].([]any)
		if !isList {
			types = []any{schema["type"]}
		}
		if schema[keyword] != nil && !slices.Contains(types, any(name)) {
			l.fault(pointer, "%s without the type %s would accept a value of any other type", keyword, name)
		}
	}
}

func (l *linter) keyword(pointer, keyword string, schema map[string]any) {
	value := schema[keyword]
	list, isList := value.([]any)
	switch keyword {
	case "$schema", "$id", "definitions", "oneOf":
		if strings.Count(pointer, "/") > 1 {
			l.fault(pointer, "expected this keyword at the root of the file only")
		}
	}
	switch keyword {
	case "$schema", "$id":
	case "definitions":
		l.namedSchemas(pointer, value, false)
	case "properties":
		l.namedSchemas(pointer, value, true)
	case "title", "description", "default":
		if text, _ := value.(string); strings.TrimSpace(text) == "" {
			l.fault(pointer, "expected a text")
		}
	case "type":
		if !isList {
			list = []any{value}
		}
		for _, name := range list {
			known := []any{"array", "boolean", "integer", "null", "number", "object", "string"}
			if !slices.Contains(known, name) {
				l.fault(pointer, "expected one or more of %v", known)
			}
		}
	case "required":
		properties, _ := schema["properties"].(map[string]any)
		for _, item := range list {
			if name, _ := item.(string); properties[name] == nil {
				l.fault(pointer, "requires %q, which properties does not describe", name)
			}
		}
		if !isList {
			l.fault(pointer, "expected an array of names")
		}
	case "items":
		l.schema(pointer, value, true)
	case "allOf", "oneOf":
		if len(list) == 0 {
			l.fault(pointer, "expected an array of references")
		}
		for i, item := range list {
			child := fmt.Sprintf("%s/%d", pointer, i)
			if schema, _ := item.(map[string]any); schema["$ref"] == nil {
				l.fault(child, "expected a $ref")
			}
			l.schema(child, item, false)
		}
	case "enum":
		if len(list) == 0 {
			l.fault(pointer, "expected an array of strings")
		}
		for _, item := range list {
			if _, isText := item.(string); !isText && item != nil {
				l.fault(pointer, "expected strings or null; gojsonschema compares numbers as float64")
			}
		}
	case "since", "until":
		text, _ := value.(string)
		if !versionForm.MatchString(text) {
			l.fault(pointer, "expected a version such as v6")
		}
		if path := strings.Split(pointer, "/"); len(path) < 4 || path[len(path)-3] != "properties" {
			l.fault(pointer, "expected this keyword in a member of properties only")
		}
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

func (l *linter) namedSchemas(pointer string, value any, judged bool) {
	byName, ok := value.(map[string]any)
	if !ok {
		l.fault(pointer, "expected an object of schemas")
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if !plainName.MatchString(name) {
			l.fault(pointer, "expected names of letters, digits and hyphens, got %q", name)
		}
		l.schema(pointer+"/"+name, byName[name], judged)
	}
}

func (l *linter) pattern(pointer string, value any) {
	text, ok := value.(string)
	if _, err := regexp.Compile(text); !ok || err != nil {
		l.fault(pointer, "expected a regular expression that compiles: %v", err)
		return
	}
	if !isPortable(text) {
		l.fault(pointer,
			"expected a regular expression that RE2 and ECMA-262 read alike: ASCII, no \\d or other named "+
				"class, no dot outside of a class, no group with flags")
	}
	if !strings.HasPrefix(text, "^") || !strings.HasSuffix(text, "$") {
		l.fault(pointer, "expected a regular expression anchored by ^ and $")
	}
}

// isPortable reports whether RE2 and ECMA-262 read a pattern alike: ASCII, only punctuation is escaped, only plain
// groups, no named character class, and no dot, which matches other line ends in each.
func isPortable(pattern string) bool {
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
