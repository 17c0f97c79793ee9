package schemas

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/xeipuuv/gojsonschema"
)

// baseID is the folder of all schemas, for gojsonschema. Nothing is ever fetched from there. The files have no $id, so
// that other tools find by its name the file that a $ref names.
const baseID = "https://authenticator-conformance.example/schemas/"

// readSchemas reads the named schema files.
func readSchemas(files fs.FS, names ...string) (map[string][]byte, error) {
	read := map[string][]byte{}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("the schema %s can't be read: %w", name, err)
		}
		read[name] = content
	}
	return read, nil
}

// compile compiles schema files: into a tree, and by gojsonschema. They may refer only to one another. A test validates
// them against the meta-schema and lints them: doing so at each start would take 5 % of a run of 190 requests.
func compile(files map[string][]byte) (map[string]*Schema, error) {
	names := slices.Sorted(maps.Keys(files))
	loader := gojsonschema.NewSchemaLoader()
	trees := treeBuilder{files: map[string]*definition{}}
	for _, name := range names {
		var err error
		if trees.files[name], err = parse(files[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := loader.AddSchema(baseID+name, gojsonschema.NewBytesLoader(files[name])); err != nil {
			return nil, fmt.Errorf("%s: not a schema of draft-07: %w", name, err)
		}
	}
	// Trees first: follow refuses remote and circular references. gojsonschema would fetch a remote one without a
	// timeout, and a circle overflows its stack.
	schemas := map[string]*Schema{}
	for _, name := range names {
		root, err := trees.follow(name, "#")
		if err != nil {
			return nil, err
		}
		compiled, err := loader.Compile(gojsonschema.NewReferenceLoader(baseID + name))
		if err != nil {
			return nil, fmt.Errorf("%s: gojsonschema does not compile it: %w", name, err)
		}
		schemas[name] = &Schema{file: name, compiled: compiled, root: root}
	}
	return schemas, nil
}
