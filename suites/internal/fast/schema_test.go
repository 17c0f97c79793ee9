package fast_test

import (
	"io/fs"
	"strconv"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/fast"
)

// change is a text of a schema file that is replaced, at its first place; an empty one is put before the file.
type change struct{ file, old, new string }

// changed are the schema files with changes.
func changed(changes ...change) fs.FS {
	files := fstest.MapFS{}
	for _, name := range must(fs.Glob(schemas.Files(), "*")) {
		files[name] = &fstest.MapFile{Data: must(fs.ReadFile(schemas.Files(), name))}
	}
	for _, c := range changes {
		Expect(string(files[c.file].Data)).To(ContainSubstring(c.old))
		files[c.file].Data = []byte(strings.Replace(string(files[c.file].Data), c.old, c.new, 1))
	}
	return files
}

func inRecord(old, new string) change  { return change{"authenticator.schema.json", old, new} }
func inDevice(old, new string) change  { return change{"device.schema.json", old, new} }
func inFormats(old, new string) change { return change{"formats.schema.json", old, new} }

// member puts a member with a schema before the others of a record.
func member(name, schema string) change {
	return inRecord(`"properties": {`, `"properties": {`+strconv.Quote(name)+`: `+schema+`,`)
}

const (
	plain  = `{"Extra":null,"Flags":1,"Id":"` + guidA + `","UserId":"` + userID + `","Device":{"Id":"` + guidA + `"}}`
	hidden = `{"Extra":17,"Flags":1}`
)

// accepts tells whether a checker of such files accepts a body as the record of the ordinary user.
func accepts(files fs.FS, body string) bool {
	accepted, _ := fast.Compile(contract(), files).Accepts(schemas.GetUserAuth, userID, []byte(body))
	return accepted
}

var _ = DescribeTable("a member whose schema is not understood is accepted as null alone", func(schema string) {
	files := changed(member("Extra", schema))
	Expect(accepts(files, plain)).To(BeTrue(), "null")
	Expect(accepts(files, strings.Replace(plain, `"Extra":null,`, ``, 1))).To(BeTrue(), "absent")
	for _, value := range []string{`17`, `1.5`, `true`, `"x"`, `""`, `"` + guidA + `"`, `{}`, `[]`, `{"x":1}`, `["x"]`} {
		Expect(accepts(files, strings.Replace(plain, `null`, value, 1))).To(BeFalse(), value)
	}
},
	Entry("a bound", `{"type": ["integer", "null"], "minimum": 20}`),
	Entry("a mistyped keyword", `{"type": ["integer", "null"], "Type": "string"}`),
	Entry("a nested $id", `{"$id": "other.schema.json", "type": ["integer", "null"]}`),
	Entry("no type", `{"description": "anything"}`),
	Entry("a schema that is true", `true`),
	Entry("a format of draft-07", `{"type": "string", "format": "uuid"}`),
	Entry("a type in a part", `{"type": ["string", "integer"], "allOf": [{"type": "boolean"}]}`),
	Entry("members in a part", `{"type": "object", "properties": {"x": {"type": "null"}}, "allOf": [{"properties": {"y": {"type": "null"}}}]}`),
	Entry("a reference with something beside it", `{"$ref": "device.schema.json", "title": "Extra"}`),
	Entry("a reference to another host", `{"$ref": "https://other.example/schemas/device.schema.json"}`),
	Entry("a reference to no definition", `{"$ref": "formats.schema.json#/definitions/serial"}`),
	Entry("a reference to the record itself", `{"$ref": "authenticator.schema.json"}`),
	Entry("a reference to itself", `{"$ref": "#/properties/Extra"}`),
	Entry("a reference to a reference", `{"$ref": "#/properties/Device"}`),
	Entry("an object of unknown members", `{"type": "object"}`),
	Entry("a member that is required", `{"type": "object", "required": ["x"], "properties": {"x": {"type": "null"}}}`),
	Entry("undocumented members that are refused", `{"type": "object", "additionalProperties": false, "properties": {"x": {"type": "null"}}}`),
	Entry("an array of unknown elements", `{"type": "array"}`),
	Entry("an array with a bound", `{"type": "array", "items": {"type": "integer"}, "minItems": 9}`),
	Entry("a name that has to be escaped", `{"type": "object", "properties": {"a\"b": {"type": "null"}}}`),
	Entry("more members than are looked at", `{"type": "object", "properties": {`+manyMembers(65)+`}}`),
)

// manyMembers are the schemas of so many members that may be an integer.
func manyMembers(count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = `"m` + strconv.Itoa(i) + `": {"type": "integer"}`
	}
	return strings.Join(list, ",")
}

var _ = DescribeTable("a member is judged by whatever the schema says, its name and place included", func(schema, accepted, refused string) {
	files := changed(member("Extra", schema))
	for _, body := range []string{plain, hidden} {
		value := `null`
		if body == hidden {
			value = `17`
		}
		Expect(accepts(files, strings.Replace(body, value, accepted, 1))).To(BeTrue(), accepted)
		Expect(accepts(files, strings.Replace(body, value, refused, 1))).To(BeFalse(), refused)
	}
},
	Entry("an integer", `{"type": "integer"}`, `3`, `3.5`),
	Entry("several types", `{"type": ["boolean", "string"]}`, `"x"`, `1`),
	Entry("a text in a form", `{"type": "string", "pattern": "^x$"}`, `"x"`, `"y"`),
	Entry("a text in two forms", `{"type": "string", "allOf": [{"$ref": "formats.schema.json#/definitions/utcMilliseconds"}, {"$ref": "formats.schema.json#/definitions/dateTime"}]}`,
		`"2024-02-29T00:00:00.000Z"`, `"2024-02-30T00:00:00.000Z"`),
	Entry("a reference within the file", `{"$ref": "#/properties/Id"}`, `"`+guidA+`"`, `"x"`),
	Entry("a reference to a file", `{"$ref": "device.schema.json"}`, `{"IsEnabled":true}`, `{"IsEnabled":1}`),
	Entry("a reference by the whole $id", `{"$ref": "https://authenticator-conformance.example/schemas/device.schema.json"}`, `{"Id":null}`, `{"Id":""}`),
	Entry("an object", `{"type": "object", "properties": {"x": {"type": "integer"}}}`, `{"x":1,"y":"z"}`, `{"x":"1"}`),
	Entry("an object inside of itself, once", `{"type": "object", "properties": {"x": {"$ref": "#/properties/Extra"}, "y": {"$ref": "#/properties/Extra"}}}`,
		`{"x":{"y":null},"y":{}}`, `{"x":{"y":{}}}`),
	Entry("an array", `{"type": "array", "items": {"type": "integer"}}`, `[1,2.0]`, `[1,2.5]`),
	Entry("as many members as are looked at", `{"type": "object", "properties": {`+manyMembers(64)+`}}`, `{"m63":1,"m62":1}`, `{"m63":1,"m63":1}`),
)

var _ = DescribeTable("nothing is accepted where the whole is not understood", func(changes ...change) {
	files := changed(changes...)
	for _, body := range []string{plain, hidden, `{"Flags":null}`, `[` + plain + `]`} {
		Expect(accepts(files, body)).To(BeFalse(), body)
	}
	accepted, _ := fast.Compile(contract(), files).Accepts(schemas.FindByUserIDs, userID, []byte(`["`+guidA+`"]`))
	Expect(accepted).To(BeTrue(), "identifiers are none of it")
},
	Entry("a keyword beside the members", inRecord(`"title":`, `"required": ["Flags"], "title":`)),
	Entry("another $id", inRecord(`authenticator.schema.json`, `record.schema.json`)),
	Entry("a file that is no JSON", inRecord(`{`, `}`)),
	Entry("no object", inRecord(`"type": "object"`, `"type": "string"`)),
	Entry("no member of the user", inRecord(`"UserId":`, `"Owner":`)),
	Entry("two members in common with a request", member("ApplicationId", `{"type": "string"}`)),
	Entry("a name that has to be escaped", member("a\nb", `{"type": "string"}`)),
	Entry("a name beyond what is printed", member("a\u2028b", `{"type": "string"}`)),
)

var _ = Describe("the checker of changed schemas", func() {
	It("accepts no identifiers whose form is not known", func() {
		for _, c := range []change{inFormats(`"guid"`, `"uuid"`), inFormats(`"pattern"`, `"maxLength"`),
			{"guid-array.schema.json", `"items"`, `"contains"`}, {"guid-array.schema.json", `"type": "array"`, `"type": "array", "uniqueItems": true`}} {
			accepted, _ := fast.Compile(contract(), changed(c)).Accepts(schemas.FindByUserIDs, userID, []byte(`["`+guidA+`"]`))
			Expect(accepted).To(BeFalse(), "%v", c)
			Expect(accepts(changed(c), `{"Flags":1,"Id":null}`)).To(BeTrue(), "%v: records are looked at all the same", c)
		}
	})

	It("accepts a record whose device is not understood only without it", func() {
		files := changed(inDevice(`"title":`, `"minProperties": 3, "title":`))
		Expect(accepts(files, `{"Flags":1,"Device":null}`)).To(BeTrue())
		Expect(accepts(files, `{"Flags":1}`)).To(BeTrue())
		Expect(accepts(files, plain)).To(BeFalse())
	})

	It("is that of the contract where nothing is changed", func() {
		Expect(accepts(changed(), plain)).To(BeTrue())
		Expect(accepts(changed(), hidden)).To(BeTrue(), "the member is undocumented")
	})
})
