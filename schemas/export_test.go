package schemas

import "io/fs"

// Unexported names that the tests of this package need.
var (
	LoadFrom     = LoadFiles
	IsWhole      = isWhole
	Portable     = isPortable
	NewAutomaton = newAutomaton
	Matches      = matches[string]
)

const Chunk = chunk

// Compile lints and compiles schema files that may refer to one another, and returns the first of them.
func Compile(files fs.FS, names ...string) (*Schema, error) {
	if err := Lint(files, names...); err != nil {
		return nil, err
	}
	read, err := readSchemas(files, names...)
	if err != nil {
		return nil, err
	}
	set, err := compile(read)
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
	root, err := parse(content)
	if err != nil {
		return nil, err
	}
	patterns := map[string]string{}
	for name, definition := range root.Definitions.byName {
		patterns[name] = *definition.Pattern
	}
	return patterns, nil
}
