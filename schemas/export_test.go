package schemas

import "io/fs"

// What the tests of this package reach beyond its exported names.
var (
	LoadFrom = load
	IsWhole  = isWhole
	Portable = portable
)

const Chunk = chunk

// Compile compiles schema files that may refer to one another, and gives the first of them.
func Compile(files fs.FS, names ...string) (*Schema, error) {
	set, err := compile(files, names)
	if err != nil {
		return nil, err
	}
	return set[names[0]], nil
}

// TextFormat tells whether a format of ours accepts a text.
func TextFormat(name, text string) bool { return textFormats()[name].IsFormat(text) }

// FormatNames lists the formats.
func FormatNames() []string {
	var names []string
	for name := range textFormats() {
		names = append(names, name)
	}
	return names
}

// FormatPatterns gives the pattern that stands beside each format in formats.schema.json.
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
	for _, definition := range root.member("definitions").members {
		name, _ := definition.member("format").text()
		patterns[name], _ = definition.member("pattern").text()
	}
	return patterns, nil
}
