package schemas_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

const (
	guid  = "0F8fad5b-d9cb-469f-a165-70867728950e"
	plain = `{"Extra":null,"Flags":1,"Id":"` + guid + `","UserId":"u-1001","Device":{"Id":"` + guid + `"}}`
)

// acceptsRecord reports whether a contract accepts a body as the record of a user. Whatever it accepts, gojsonschema
// accepts too.
func acceptsRecord(c *schemas.Contract, body string) bool {
	GinkgoHelper()
	accepted := c.AcceptsAnswer(schemas.GetUserAuth, "u-1001", []byte(body))
	if accepted && body[0] == '{' {
		Expect(checkText(c.Record, body)).To(BeEmpty(), body)
	}
	return accepted
}

func acceptsIdentifiers(c *schemas.Contract) bool {
	return c.AcceptsAnswer(schemas.FindByUserIDs, "u-1001", []byte(`["`+guid+`"]`))
}

// withExtra is the contract with the member Extra before the others of a record.
func withExtra(schema string) *schemas.Contract {
	GinkgoHelper()
	return loadWith("authenticator.schema.json", `"properties": {`, `"properties": {"Extra": `+schema+`,`,
		"requirements.yaml", "", `[]`)
}

// recordsWith returns records with a value of the member Extra, among others or alone with Flags.
func recordsWith(value string) []string {
	return []string{strings.Replace(plain, `null`, value, 1), `{"Extra":` + value + `,"Flags":1}`}
}

var _ = Describe("Acceptance", func() {
	DescribeTable("judges a member by its schema, if it understands that", func(schema, accepted, refused string) {
		c := withExtra(schema)
		for i := range 2 {
			Expect(acceptsRecord(c, recordsWith(accepted)[i])).To(BeTrue(), accepted)
			Expect(acceptsRecord(c, recordsWith(refused)[i])).To(BeFalse(), refused)
		}
	}, readEntries("understood"))

	DescribeTable("accepts no value of a member whose schema it does not understand", func(schema string) {
		c := withExtra(schema)
		Expect(acceptsRecord(c, strings.Replace(plain, `"Extra":null,`, ``, 1))).To(BeTrue(), "absent")
		for _, value := range []string{`null`, `17`, `1.5`, `true`, `"x"`, `""`, `"` + guid + `"`, `{}`, `[]`,
			`{"x":1}`, `["x"]`} {
			Expect(acceptsRecord(c, recordsWith(value)[0])).To(BeFalse(), value)
		}
	}, readEntries("notunderstood"))

	DescribeTable("accepts no record if it does not understand the whole", func(old, replacement string, lists bool) {
		c := loadWith("authenticator.schema.json", old, replacement)
		for _, body := range []string{plain, `{"Extra":17,"Flags":1}`, `{"Flags":null}`, `[` + plain + `]`} {
			Expect(acceptsRecord(c, body)).To(BeFalse(), body)
		}
		Expect(acceptsIdentifiers(c)).To(Equal(lists))
	},
		Entry("for a keyword beside the members", `"title":`, `"required": ["Flags"], "title":`, true),
		Entry("for another type", `"type": "object"`, `"type": "string"`, true),
	)

	It("accepts no identifiers, and no record with a device, if it does not understand these", func() {
		for _, change := range [][]string{
			{"formats.schema.json", `"pattern": "^[0-9A`, `"maxLength": 99, "pattern": "^[0-9A`},
			{"guid-array.schema.json", `"items"`, `"contains"`},
			{"guid-array.schema.json", `"type": "array"`, `"type": "array", "uniqueItems": true`},
			{"device.schema.json", `"title":`, `"minProperties": 3, "title":`},
		} {
			c, file := loadWith(change...), change[0]
			Expect(acceptsIdentifiers(c)).To(Equal(file == "device.schema.json"), change[2])
			Expect(acceptsRecord(c, plain)).To(Equal(file == "guid-array.schema.json"), change[2])
			Expect(acceptsRecord(c, `{"Flags":1}`)).To(BeTrue(), change[2])
		}
	})

	It("leaves to the judge what is empty, and an operation that does not exist", func() {
		for _, op := range append(schemas.Operations(), "getuserauth", "listUsers") {
			Expect(contract().AcceptsAnswer(op, "u-1001", []byte(" [ ] "))).To(BeFalse())
			Expect(contract().AcceptsAnswer(op, "u-1001", []byte(plain))).To(Equal(op == schemas.GetUserAuth))
			Expect(contract().AcceptsAnswer(op, "u-1001", []byte(`["`+guid+`"]`))).To(
				Equal(op == schemas.FindByUserIDs))
		}
	})

	It("of a text of a request is what Check says, and none for a member that the schema does not have", func() {
		request := contract().Request(schemas.GetUserAuth)
		Expect(request.AcceptsText("Id", guid)).To(BeTrue())
		for _, text := range idTexts {
			Expect(request.AcceptsText("Id", text)).To(Equal(!refusesID(text)), "%q", text)
		}
		Expect(request.AcceptsText("id", guid)).To(BeFalse())
		Expect(contract().Identifiers.AcceptsText("Id", guid)).To(BeFalse())
		Expect(contract().Record.AcceptsText("Flags", "1")).To(BeFalse())
	})
})

// idTexts are a GUID and near misses.
var idTexts = []string{guid, "", " ", guid + " ", " " + guid, "{" + guid + "}", "urn:uuid:" + guid, guid[1:],
	guid + "0", "00000000-0000-0000-0000-000000000000",
	strings.ReplaceAll(guid, "-", ""), strings.ReplaceAll(guid, "-", "_"),
	guid[:35] + "g", guid[:35] + "\x00", guid[:35] + "é"}

// refusesID reports whether a text breaks the schema of a request as its Id.
func refusesID(text string) bool {
	request := contract().Request(schemas.GetUserAuth)
	return slices.ContainsFunc(request.Check(map[string]any{"Id": text}), func(v schemas.Violation) bool {
		return v.Pointer == "/Id"
	})
}

// FuzzText: Check finds no violation in what AcceptsText accepts.
func FuzzText(f *testing.F) {
	for _, text := range idTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if contract().Request(schemas.GetUserAuth).AcceptsText("Id", text) && refusesID(text) {
			t.Fatalf("AcceptsText accepts %q, but Check finds a violation", text)
		}
	})
}
