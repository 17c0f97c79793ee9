package schemas_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// change replaces the first occurrence of a text in a schema file.
type change struct{ file, old, new string }

// contractWith loads the contract with changed schema files.
func contractWith(changes ...change) *schemas.Contract {
	GinkgoHelper()
	files := embeddedWith("device.schema.json", func(s string) string { return s + "\n" })
	for _, c := range changes {
		content := string(files[c.file].Data)
		Expect(content).To(ContainSubstring(c.old))
		files[c.file] = &fstest.MapFile{Data: []byte(strings.Replace(content, c.old, c.new, 1))}
	}
	contract, err := schemas.LoadFrom(files)
	Expect(err).NotTo(HaveOccurred())
	return contract
}

func inRecord(old, new string) change  { return change{"authenticator.schema.json", old, new} }
func inDevice(old, new string) change  { return change{"device.schema.json", old, new} }
func inFormats(old, new string) change { return change{"formats.schema.json", old, new} }

// withMember adds a member with a schema before the others of a record.
func withMember(name, schema string) change {
	return inRecord(`"properties": {`, `"properties": {`+strconv.Quote(name)+`: `+schema+`,`)
}

const (
	userID = "u-1001"
	guidA  = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"

	plain            = `{"Extra":null,"Flags":1,"Id":"` + guidA + `","UserId":"` + userID + `","Device":{"Id":"` + guidA + `"}}`
	withUndocumented = `{"Extra":17,"Flags":1}`
)

// acceptsRecord reports whether a contract accepts a body as the record of the ordinary user. Whatever it accepts,
// gojsonschema accepts too.
func acceptsRecord(contract *schemas.Contract, body string) bool {
	GinkgoHelper()
	accepted := contract.AcceptsAnswer(schemas.GetUserAuth, userID, []byte(body))
	if accepted && body[0] == '{' {
		decoder := json.NewDecoder(strings.NewReader(body))
		decoder.UseNumber()
		var value any
		Expect(decoder.Decode(&value)).To(Succeed())
		Expect(contract.Record.Check(value)).To(BeEmpty(), body)
	}
	return accepted
}

var _ = DescribeTable("A member whose schema is not understood is not accepted", func(schema string) {
	contract := contractWith(withMember("Extra", schema))
	Expect(acceptsRecord(contract, strings.Replace(plain, `"Extra":null,`, ``, 1))).To(BeTrue(), "absent")
	for _, value := range []string{`null`, `17`, `1.5`, `true`, `"x"`, `""`, `"` + guidA + `"`, `{}`, `[]`, `{"x":1}`,
		`["x"]`} {
		Expect(acceptsRecord(contract, strings.Replace(plain, `null`, value, 1))).To(BeFalse(), value)
	}
},
	Entry("a bound", `{"type": ["integer", "null"], "minimum": 20}`),
	Entry("a number that need not be whole", `{"type": "number"}`),
	Entry("a list of values", `{"type": "string", "enum": ["x"]}`),
	Entry("a mistyped keyword", `{"type": ["integer", "null"], "Type": "string"}`),
	Entry("no type", `{"description": "anything"}`),
	Entry("a format of draft-07", `{"type": "string", "format": "uuid"}`),
	Entry("a type in a part", `{"type": ["string", "integer"], "allOf": [{"type": "boolean"}]}`),
	Entry("a keyword in a part", `{"type": ["string", "integer"], "allOf": [{"minLength": 3}]}`),
	Entry("a form without a type", `{"$ref": "formats.schema.json#/definitions/guid"}`),
	Entry("a member that is required", `{"type": "object", "required": ["x"], "properties": {"x": {"type": "null"}}}`),
	Entry("undocumented members that are refused",
		`{"type": "object", "additionalProperties": false, "properties": {"x": {"type": "null"}}}`),
	Entry("an array with a bound", `{"type": "array", "items": {"type": "integer"}, "minItems": 9}`),
	Entry("alternatives", `{"type": "object", "oneOf": [{"$ref": "device.schema.json"}]}`),
)

var _ = DescribeTable("A member is judged by whatever the schema says, its name and place included",
	func(schema, accepted, refused string) {
		contract := contractWith(withMember("Extra", schema))
		for _, body := range []string{plain, withUndocumented} {
			value := `null`
			if body == withUndocumented {
				value = `17`
			}
			Expect(acceptsRecord(contract, strings.Replace(body, value, accepted, 1))).To(BeTrue(), accepted)
			Expect(acceptsRecord(contract, strings.Replace(body, value, refused, 1))).To(BeFalse(), refused)
		}
	},
	Entry("an integer", `{"type": "integer"}`, `3`, `3.5`),
	Entry("several types", `{"type": ["boolean", "string"]}`, `"x"`, `1`),
	Entry("null alone", `{"type": "null"}`, `null`, `false`),
	Entry("a text in a form", `{"type": "string", "pattern": "^x$"}`, `"x"`, `"y"`),
	Entry("a text in two forms", `{"type": "string", "allOf": [{"$ref": "formats.schema.json#/definitions/utcMilliseconds"}, {"$ref": "formats.schema.json#/definitions/dateTime"}]}`,
		`"2024-02-29T00:00:00.000Z"`, `"2024-02-30T00:00:00.000Z"`),
	Entry("a text in the form of a part of a part",
		`{"type": "string", "allOf": [{"$ref": "formats.schema.json#/definitions/utcMilliseconds"}]}`,
		`"2024-02-29T00:00:00.000Z"`, `"x.000Z"`),
	Entry("a form, where there may be other types", `{"type": ["integer", "string"], "pattern": "^x$"}`, `3`, `"3"`),
	Entry("a reference to a file", `{"$ref": "device.schema.json"}`, `{"IsEnabled":true}`, `{"IsEnabled":1}`),
	Entry("a reference with something beside it, which draft-07 ignores",
		`{"$ref": "device.schema.json", "minimum": 9}`,
		`{"IsEnabled":true}`, `{"IsEnabled":1}`),
	Entry("an object", `{"type": "object", "properties": {"x": {"type": "integer"}}}`, `{"x":1,"y":"z"}`, `{"x":"1"}`),
	Entry("an object of unknown members", `{"type": "object"}`, `{"x":1}`, `["x"]`),
	Entry("an array", `{"type": "array", "items": {"type": "integer"}}`, `[1,2.0]`, `[1,2.5]`),
	Entry("an array of none", `{"type": "array", "items": {"type": "integer"}}`, `[]`, `{}`),
	Entry("an array of unknown elements", `{"type": "array"}`, `[1,"x",{}]`, `{}`),
	Entry("a name that has to be escaped", `{"type": "object", "properties": {"a\"b": {"type": "null"}}}`,
		`{"a\"b":null}`,
		`{"a\"b":1}`),
	Entry("many members", `{"type": "object", "properties": {`+manyMembers(100)+`}}`, `{"m99":1,"m98":1}`,
		`{"m99":1,"m99":1}`),
	Entry("the last of many members", `{"type": "object", "properties": {`+manyMembers(100)+`}}`, `{"m0":1,"m99":1}`,
		`{"m0":1,"m99":"1"}`),
)

// manyMembers returns `count` members, each of which may be an integer.
func manyMembers(count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = `"m` + strconv.Itoa(i) + `": {"type": "integer"}`
	}
	return strings.Join(list, ",")
}

var _ = DescribeTable("Nothing is accepted if the whole is not understood", func(changes ...change) {
	contract := contractWith(changes...)
	for _, body := range []string{plain, withUndocumented, `{"Flags":null}`, `[` + plain + `]`} {
		Expect(acceptsRecord(contract, body)).To(BeFalse(), body)
	}
	if contract.Record.Expected("UserId") != "" {
		Expect(contract.AcceptsAnswer(schemas.FindByUserIDs, userID, []byte(`["`+guidA+`"]`))).To(BeTrue(),
			"identifiers are none of it")
	}
},
	Entry("a keyword beside the members", inRecord(`"title":`, `"required": ["Flags"], "title":`)),
	Entry("no object", inRecord(`"type": "object"`, `"type": "string"`)),
	Entry("no member of the user", inRecord(`"UserId":`, `"Owner":`)),
)

var _ = Describe("Acceptance by changed schemas", func() {
	It("accepts no identifiers if their schema has an unknown keyword", func() {
		for _, c := range []change{inFormats(`"pattern": "^[0-9A`, `"maxLength": 99, "pattern": "^[0-9A`),
			{"guid-array.schema.json", `"items"`, `"contains"`},
			{"guid-array.schema.json", `"type": "array"`, `"type": "array", "uniqueItems": true`}} {
			contract := contractWith(c)
			Expect(contract.AcceptsAnswer(schemas.FindByUserIDs, userID, []byte(`["`+guidA+`"]`))).To(BeFalse(), "%v",
				c)
			Expect(acceptsRecord(contract, `{"Flags":1,"Id":null}`)).To(Equal(c.file != "formats.schema.json"), "%v", c)
		}
	})

	It("accepts a record only without its device if the schema of the device has an unknown keyword", func() {
		contract := contractWith(inDevice(`"title":`, `"minProperties": 3, "title":`))
		Expect(acceptsRecord(contract, `{"Flags":1}`)).To(BeTrue())
		Expect(acceptsRecord(contract, plain)).To(BeFalse())
	})

	It("is that of the contract if no schema is changed", func() {
		Expect(acceptsRecord(contractWith(), plain)).To(BeTrue())
		Expect(acceptsRecord(contractWith(), withUndocumented)).To(BeTrue(), "the member is undocumented")
	})
})
