package schemas

import (
	"fmt"
	"io/fs"

	"github.com/xeipuuv/gojsonschema"
)

// Unexported names that the tests of this package need.
var (
	LoadFrom     = load
	IsWhole      = isWhole
	Portable     = portable
	NewAutomaton = newAutomaton
	Matches      = matches[string]
)

const Chunk = chunk

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
		root, err := parse(string(content))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := lint(name, root); err != nil {
			return err
		}
		if err := loader.AddSchemas(gojsonschema.NewBytesLoader(content)); err != nil {
			return fmt.Errorf("%s: not a schema of draft-07: %w", name, err)
		}
	}
	return nil
}

// Compile lints and compiles schema files that may refer to one another, and returns the first of them.
func Compile(files fs.FS, names ...string) (*Schema, error) {
	if err := Lint(files, names...); err != nil {
		return nil, err
	}
	set, err := compile(files, names)
	if err != nil {
		return nil, err
	}
	return set[names[0]], nil
}

// FormatPatterns returns the patterns of formats.schema.json by their names.
func FormatPatterns() (map[string]string, error) {
	content, err := fs.ReadFile(embedded, formatsFile)
	if err != nil {
		return nil, err
	}
	root, err := parse(string(content))
	if err != nil {
		return nil, err
	}
	patterns := map[string]string{}
	for name, definition := range root.member("definitions").members {
		patterns[name], _ = definition.member("pattern").text()
	}
	return patterns, nil
}
