package schemas_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/xeipuuv/gojsonschema"

	"authenticator-conformance/schemas"
)

// lintRules are what a schema file may have, beyond the meta-schema of draft-07.
var lintRules = sync.OnceValue(func() *gojsonschema.Schema {
	return Must(gojsonschema.NewSchema(gojsonschema.NewBytesLoader(Must(os.ReadFile("testdata/lint.schema.json")))))
})

// lintFile refuses what validators of draft-07 could read differently, and what gojsonschema would silently ignore. It
// validates a schema file against the meta-schema, against lintRules, and against what no schema can say: what is
// required is described.
func lintFile(files fs.FS, file string) error {
	var root map[string]any
	content := Must(fs.ReadFile(files, file))
	if err := json.Unmarshal(content, &root); err != nil {
		return err
	}
	meta := gojsonschema.NewSchemaLoader()
	meta.Validate = true
	faults := []error{meta.AddSchema("file:///"+file, gojsonschema.NewBytesLoader(content)),
		findUndescribed("(root)", root)}
	for _, fault := range Must(lintRules().Validate(gojsonschema.NewGoLoader(root))).Errors() {
		faults = append(faults, fmt.Errorf("%s: %s", fault.Context().String("/"), fault.Description()))
	}
	return errors.Join(faults...)
}

// findUndescribed returns an error for each member that a schema requires, and does not describe.
func findUndescribed(place string, schema any) error {
	var faults []error
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	for _, name := range required {
		if properties[fmt.Sprint(name)] == nil {
			faults = append(faults, fmt.Errorf("%s: requires %q, which properties does not describe", place, name))
		}
	}
	for name, below := range object {
		faults = append(faults, findUndescribed(place+"/"+name, below))
	}
	return errors.Join(faults...)
}

var _ = Describe("The lint of schema files", func() {
	It("finds nothing in the embedded files", func() {
		for _, file := range Must(fs.Glob(schemas.Files(), "*.schema.json")) {
			Expect(lintFile(schemas.Files(), file)).To(Succeed(), file)
		}
	})

	lintMember := func(schema string) error {
		return lintFile(filesWith("device.schema.json", `"properties": {`, `"properties": {"X": `+schema+`,`),
			"device.schema.json")
	}

	DescribeTable("accepts as the schema of a member", func(schema string) {
		Expect(lintMember(schema)).To(Succeed())
	},
		Entry("one that holds in some versions", `{"description": "x", "since": "v6", "until": "v7"}`),
		Entry("a reference that holds in some versions", `{"$ref": "guid-array.schema.json", "until": "v5"}`),
		Entry("a pattern with a group and a choice", `{"description": "x", "pattern": "^[0-9]{4}-(?:a|b)+c?$"}`),
		Entry("a pattern with escaped punctuation", `{"description": "x", "pattern": "^\\.\\+\\[\\]\\(\\?\\\\\\/$"}`),
		Entry("a pattern with a dot and a parenthesis in a class", `{"description": "x", "pattern": "^[^.(?i)]*$"}`),
	)

	DescribeTable("refuses as the schema of a member", func(schema, place string) {
		if strings.HasPrefix(place, "/") || place == "" {
			place = "(root)/properties/X" + place + ": "
		}
		Expect(lintMember(schema)).To(MatchError(ContainSubstring(place)))
	}, readEntries("lint-member"))

	DescribeTable("refuses in a file", func(file, old, replacement, place string) {
		Expect(lintFile(filesWith(file, old, replacement), file)).To(MatchError(ContainSubstring(place)))
	}, readEntries("lint-file"))
})
