package schemas_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// validFile is a small schema file that the lint accepts; test cases replace a part of it.
const validFile = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://authenticator-conformance.example/schemas/case.schema.json",
  "title": "Case",
  "description": "a JSON object",
  "definitions": {"name": {"pattern": "^[0-9a-f-]*$"}},
  "type": "object",
  "required": ["Id"],
  "properties": {
    "Id": {"description": "a name", "type": "string", "allOf": [{"$ref": "#/definitions/name"}]},
    "Kind": {"description": "a kind", "enum": ["a", null]},
    "Below": {"$ref": "below.schema.json"},
    "List": {"description": "a list", "type": "array", "items": {"description": "an element", "type": "integer"}}
  }
}`

const below = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://authenticator-conformance.example/schemas/below.schema.json",
  "description": "an object below",
  "type": ["object", "null"],
  "properties": {"Size": {"description": "a size", "type": "integer"}}
}`

// alternatives is a schema file with a oneOf.
const alternatives = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://authenticator-conformance.example/schemas/case.schema.json",
  "description": "a thing",
  "type": "object",
  "oneOf": [{"$ref": "#/definitions/way"}, {"$ref": "#/definitions/box"}],
  "definitions": {
    "way": {"type": "object", "required": ["kind", "from-to"], "properties": {
      "kind": {"description": "way", "enum": ["way"]}, "from-to": {"description": "a distance", "type": "number"}}},
    "box": {"type": "object", "required": ["kind", "size"], "properties": {
      "kind": {"description": "box", "enum": ["box"]}, "size": {"description": "a size", "type": "integer"}}}
  }
}`

func compileCase(content, other string) (*schemas.Schema, error) {
	return schemas.Compile(fstest.MapFS{
		"case.schema.json": {Data: []byte(content)}, "below.schema.json": {Data: []byte(other)},
	}, "case.schema.json", "below.schema.json")
}

var _ = Describe("The lint of schema files", func() {
	It("accepts a valid one", func() {
		schema, err := compileCase(validFile, below)
		Expect(err).NotTo(HaveOccurred())
		Expect(schema.Members()).To(Equal([]string{"Id", "Kind", "Below", "List"}))
		Expect(schema.Expected("Below")).To(Equal("an object below"))
		Expect(schema.Check(map[string]any{"Id": "X", "Kind": "b", "Below": map[string]any{"Size": "1"},
			"List": []any{"1"}})).
			To(Equal([]schemas.Violation{
				{Pointer: "/Below/Size", Expected: "a size", WrongType: true}, {Pointer: "/Id", Expected: "a name"},
				{Pointer: "/Kind", Expected: "a kind"}, {Pointer: "/List/0", Expected: "an element", WrongType: true},
			}))
	})

	It("accepts members that hold in some versions, beside a reference too", func() {
		_, err := compileCase(strings.NewReplacer(`"a kind", `, `"a kind", "since": "v6", "until": "v7", `,
			`"below.schema.json"`, `"below.schema.json", "until": "v5"`).Replace(validFile), below)
		Expect(err).NotTo(HaveOccurred())
	})

	It("accepts one with a oneOf, and knows the members of all alternatives", func() {
		schema, err := compileCase(alternatives, below)
		Expect(err).NotTo(HaveOccurred())
		Expect(schema.Members()).To(Equal([]string{"kind", "from-to", "size"}))
		Expect(schema.Expected("from-to")).To(Equal("a distance"))
		for value, want := range map[string][]schemas.Violation{
			`{"kind": "way", "from-to": 1.5e3}`: nil,
			`{"kind": "box", "size": 2}`:        nil,
			`{"kind": "box", "size": 2e-999999}`: {{Pointer: ""},
				{Pointer: "/size", Expected: "a size", WrongType: true}},
			`{"kind": "way"}`: {{Pointer: ""}, {Pointer: "/from-to", Expected: "a distance"}},
			`{"kind": "sea"}`: {{Pointer: ""}, {Pointer: "/from-to", Expected: "a distance"},
				{Pointer: "/kind", Expected: "way"}},
		} {
			var decoded any
			decoder := json.NewDecoder(strings.NewReader(value))
			decoder.UseNumber()
			Expect(decoder.Decode(&decoded)).To(Succeed())
			found := schema.Check(decoded)
			for i := range found {
				if found[i].Pointer == "" {
					found[i].Expected = ""
				}
			}
			Expect(found).To(Equal(want), value)
		}
	})

	DescribeTable("refuses, with the file and the place, of a file with alternatives",
		func(old, replacement string, texts ...string) {
			Expect(strings.Count(alternatives, old)).To(Equal(1), "the case has to replace one part")
			_, err := compileCase(strings.Replace(alternatives, old, replacement, 1), below)
			Expect(err).To(HaveOccurred())
			for _, text := range append(texts, "case.schema.json") {
				Expect(err.Error()).To(ContainSubstring(text))
			}
		},
		Entry("none of them", `[{"$ref": "#/definitions/way"}, {"$ref": "#/definitions/box"}]`, `[]`, "/oneOf"),
		Entry("one without a name", `{"$ref": "#/definitions/way"}`, `{"type": "object"}`, "/oneOf/0",
			"expected a $ref"),
		Entry("one that does not exist", `{"$ref": "#/definitions/way"}`, `{"$ref": "#/definitions/road"}`,
			`"#/definitions/road", which does not exist`),
		Entry("alternatives without the type of objects", `"description": "a thing",
  "type": "object",`, `"description": "a thing",`, "at the root", "without the type object"),
		Entry("alternatives below the root", `"description": "a size", "type": "integer"`,
			`"description": "a size", "type": "object", "oneOf": [{"$ref": "#/definitions/way"}]`,
			"/definitions/box/properties/size/oneOf", "at the root of the file only"),
		Entry("a circle", `"description": "a size", "type": "integer"`, `"$ref": "#"`, "circle"),
		Entry("a member name with a tilde", `"from-to": {`, `"from~to": {`, "/definitions/way/properties",
			"letters, digits and hyphens"),
	)

	DescribeTable("refuses, with the file and the place",
		func(old, replacement string, texts ...string) {
			Expect(strings.Count(validFile, old)).To(Equal(1), "the case has to replace one part")
			_, err := compileCase(strings.Replace(validFile, old, replacement, 1), below)
			Expect(err).To(HaveOccurred())
			for _, text := range append(texts, "case.schema.json") {
				Expect(err.Error()).To(ContainSubstring(text))
			}
		},
		Entry("what is no JSON", `"title": "Case",`, `"title" "Case",`),
		Entry("a member twice", `"title": "Case",`, `"title": "Case", "title": "Case",`,
			`duplicate object member name "title"`),
		Entry("a member twice, below", `"type": "integer"}`, `"type": "integer", "type": "null"}`,
			`duplicate object member name "type" within "/properties/List/items"`),
		Entry("a version at the root", `"title": "Case",`, `"since": "v7",`, "/since", "member"),
		Entry("a version of an element", `"an element", `, `"an element", "until": "v7", `,
			"/properties/List/items/until",
			"member"),
		Entry("a version that is none", `"a kind", `, `"a kind", "since": "7", `, "/properties/Kind/since",
			"such as v6"),
		Entry("another draft", "draft-07", "draft-04", "/$schema"),
		Entry("no draft", `"$schema": "http://json-schema.org/draft-07/schema#",`, ``, "/$schema"),
		Entry("another id", `schemas/case.schema.json"`, `schemas/other.schema.json"`, "/$id"),
		Entry("an id within", `"Kind": {`, `"Kind": {"$id": "x", `, "/properties/Kind/$id", "at the root"),
		Entry("a mistyped keyword", `"required"`, `"requird"`, "/requird", "not among those"),
		Entry("a keyword that is costly for numbers", `"type": "integer"}`, `"type": "integer", "maximum": 3}`,
			"/properties/List/items/maximum"),
		Entry("a keyword that shuts out additions", `"type": "object",`,
			`"type": "object", "additionalProperties": false,`,
			"/additionalProperties"),
		Entry("a mistyped type", `"type": "array"`, `"type": "aray"`, "/properties/List/type"),
		Entry("a type that is no text", `"type": "array"`, `"type": 3`, "/properties/List/type"),
		Entry("a schema that is a boolean", `{"description": "an element", "type": "integer"}`, `true`,
			"/properties/List/items"),
		Entry("items by position", `{"description": "an element", "type": "integer"}`, `[{"description": "x"}]`,
			"/properties/List/items"),
		Entry("members without the type of objects", `"type": "object",
  "required"`, `"required"`, "at the root", "without the type object"),
		Entry("elements without the type of lists", `"type": "array", `, ``, "/properties/List",
			"without the type array"),
		Entry("a text form without the type of strings", `"type": "string"`, `"type": ["integer", "null"]`,
			"/properties/Id", "without the type string"),
		Entry("no description", `"description": "an element", `, ``, "/properties/List/items",
			"expected a description"),
		Entry("an empty description", `"an element"`, `" "`, "/properties/List/items/description"),
		Entry("a format", `"pattern": "^[0-9a-f-]*$"`, `"format": "uuid", "pattern": "^[0-9a-f-]*$"`,
			"/definitions/name/format", "expected a pattern"),
		Entry("a pattern that does not compile", `^[0-9a-f-]*$`, `^[0-9a-f-*$`, "/definitions/name/pattern",
			"compiles"),
		Entry("a pattern without an end", `^[0-9a-f-]*$`, `^[0-9a-f-]*`, "/definitions/name/pattern", "anchored"),
		Entry("a pattern of RE2 alone", `^[0-9a-f-]*$`, `^(?i)[0-9a-f-]*$`, "/definitions/name/pattern", "read alike"),
		Entry("a pattern that is no text", `"^[0-9a-f-]*$"`, `3`, "/definitions/name/pattern"),
		Entry("an enum of numbers", `["a", null]`, `[9007199254740993]`, "/properties/Kind/enum"),
		Entry("an enum of objects", `["a", null]`, `[{}]`, "/properties/Kind/enum"),
		Entry("an empty enum", `["a", null]`, `[]`, "/properties/Kind/enum"),
		Entry("a required member that is not described", `["Id"]`, `["Id", "id"]`, "/required", `"id"`),
		Entry("required as a flag", `["Id"]`, `true`, "/required"),
		Entry("properties that are no object", `"definitions": {"name": {"pattern": "^[0-9a-f-]*$"}}`,
			`"definitions": []`, "/definitions"),
		Entry("a member name with a slash", `"Kind": {`, `"Ki/nd": {`, "/properties", `"Ki/nd"`),
		Entry("an allOf that is empty", `[{"$ref": "#/definitions/name"}]`, `[]`, "/properties/Id/allOf"),
		Entry("an allOf with a schema in place", `[{"$ref": "#/definitions/name"}]`, `[{"type": "string"}]`,
			"/properties/Id/allOf/0", "expected a $ref"),
		Entry("an allOf that adds members", `"#/definitions/name"`, `"below.schema.json"`, "allOf"),
		Entry("a reference beside other keywords", `{"$ref": "below.schema.json"}`,
			`{"$ref": "below.schema.json", "type": "null"}`,
			"/properties/Below", "beside"),
		Entry("a reference that is no text", `{"$ref": "below.schema.json"}`, `{"$ref": 3}`, "/properties/Below/$ref"),
		Entry("a remote reference", `"below.schema.json"`, `"https://example.com/below.schema.json"`,
			"https://example.com",
			"nothing is fetched"),
		Entry("a remote reference without a scheme", `"below.schema.json"`, `"//example.com/below.schema.json"`,
			"nothing is fetched"),
		Entry("a file reference", `"below.schema.json"`, `"file:///below.schema.json"`, "nothing is fetched"),
		Entry("a reference upwards", `"below.schema.json"`, `"../below.schema.json"`, "nothing is fetched"),
		Entry("a reference to no file", `"below.schema.json"`, `"belw.schema.json"`,
			`case.schema.json refers to "belw.schema.json", which does not exist`),
		Entry("a reference to no definition", `"#/definitions/name"`, `"#/definitions/nme"`,
			`"#/definitions/nme", which does not exist`),
		Entry("a reference to something else", `"#/definitions/name"`, `"#/properties/Kind"`, "#/properties/Kind"),
		Entry("an empty reference", `"below.schema.json"`, `""`, "/properties/Below/$ref", "expected a reference"),
		Entry("a reference to itself", `"below.schema.json"`, `"#"`, "circle"),
		Entry("a definition that refers to itself", `{"pattern": "^[0-9a-f-]*$"}`,
			`{"$ref": "#/definitions/name"}`, "circle"),
		Entry("a definition that nobody uses and that refers to itself", `"definitions": {`,
			`"definitions": {"idle": {"allOf": [{"$ref": "#/definitions/idle"}]}, `, "circle"),
	)

	It("refuses a circle through two files", func() {
		_, err := compileCase(validFile, strings.Replace(below,
			`{"description": "a size", "type": "integer"}`, `{"$ref": "case.schema.json"}`, 1))
		Expect(err).To(MatchError(ContainSubstring(
			"below.schema.json# -> case.schema.json# -> below.schema.json#")))
	})

	It("refuses more than one JSON text in a file", func() {
		_, err := compileCase(validFile+" {}", below)
		Expect(err).To(MatchError(ContainSubstring("after top-level value")))
	})

	It("names every fault of a file at once", func() {
		broken := strings.NewReplacer(`"required"`, `"requird"`, `"enum"`, `"enun"`).Replace(validFile)
		_, err := compileCase(broken, below)
		Expect(err).To(MatchError(And(ContainSubstring("requird"), ContainSubstring("enun"))))
	})

	DescribeTable("accepts only patterns that RE2 and ECMA-262 read alike",
		func(pattern string, portable bool) {
			Expect(schemas.Portable(pattern)).To(Equal(portable))
		},
		Entry("plain", `^[0-9]{4}-(?:a|b)+$`, true),
		Entry("escaped punctuation", `^\.\+\[\]\(\?\\\/$`, true),
		Entry("a dot within a class", `^[^.]*$`, true),
		Entry("a parenthesis within a class", `^[(?i)]$`, true),
		Entry("a named class", `^\d$`, false),
		Entry("a named class within a group", `^(\d)$`, false),
		Entry("a named class within a class", `^[\w]$`, false),
		Entry("a class of POSIX", `^[[:alpha:]]$`, false),
		Entry("a class of POSIX after others", `^[a[:digit:]]$`, false),
		Entry("a class of Unicode", `^\pL$`, false),
		Entry("a word boundary", `^\b$`, false),
		Entry("a bare dot", `^.$`, false),
		Entry("a flag", `^(?i)a$`, false),
		Entry("a flag for a group", `^(?i:a)$`, false),
		Entry("a named group", `^(?P<x>a)$`, false),
		Entry("a look-ahead", `^(?=a)$`, false),
		Entry("a quotation", `^\Qa\E$`, false),
		Entry("letters of another script", `^é$`, false),
		Entry("the first byte past ASCII", "^\x80$", false),
		Entry("a backslash at the end", `^a\`, false),
	)

	It("finds nothing in the embedded files", func() {
		names, err := fs.Glob(schemas.Files(), "*.schema.json")
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(ContainElements("authenticator.schema.json", "report.schema.json"))
		Expect(schemas.Lint(schemas.Files(), names...)).To(Succeed())
	})
})
