package schemas_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The alternatives of a member", func() {
	DescribeTable("are those that its schema allows", func(member string, alternatives ...string) {
		Expect(loadContract().Record.Alternatives(member)).To(HaveExactElements(alternatives))
	},
		Entry("of an integer", "Flags", "value", "integer in digits", "integer with point", "integer with exponent",
			"null", "absent"),
		Entry("of a GUID", "Id", "value", "GUID in lower case", "GUID in upper case", "null", "absent"),
		Entry("of a date-time", "ExpirationDate", "value", "time with Z", "time with offset 00:00",
			"time with another offset",
			"time without zone", "time with fraction", "time without fraction", "null", "absent"),
		Entry("of a date-time in UTC with milliseconds", "CreatedOn", "value", "time with Z", "time with offset 00:00",
			"time with fraction", "null", "absent"),
		Entry("of a text", "Description", "value", "text", "empty text", "null", "absent"),
		Entry("of true or false", "IsLocked", "value", "true", "false", "null", "absent"),
		Entry("of an object", "Device", "value", "null", "absent"),
		Entry("of a member that is none", "Colour"),
	)

	DescribeTable("are told from what a record has", func(record, member string, shown ...string) {
		var members map[string]any
		decoder := json.NewDecoder(strings.NewReader(record))
		decoder.UseNumber()
		Expect(decoder.Decode(&members)).To(Succeed())
		Expect(loadContract().Record.Shows(member, members)).To(Equal(shown))
	},
		Entry("nothing", `{}`, "Flags", "absent"),
		Entry("null", `{"Flags":null}`, "Flags", "null"),
		Entry("digits", `{"Flags":-3}`, "Flags", "value", "integer in digits"),
		Entry("a point", `{"Flags":3.0}`, "Flags", "value", "integer with point"),
		Entry("an exponent", `{"Flags":3e2}`, "Flags", "value", "integer with exponent"),
		Entry("a GUID in upper case", `{"Id":"A0000000-0000-4000-8000-00000000000F"}`, "Id", "value",
			"GUID in upper case"),
		Entry("a GUID of digits", `{"Id":"00000000-0000-4000-8000-000000000000"}`, "Id", "value", "GUID in lower case"),
		Entry("a time with another offset and a fraction", `{"ExpirationDate":"2027-01-31T12:00:00.5-03:30"}`,
			"ExpirationDate",
			"value", "time with another offset", "time with fraction"),
		Entry("a time without zone and fraction", `{"ExpirationDate":"2027-01-31T12:00:00"}`, "ExpirationDate",
			"value", "time without zone", "time without fraction"),
		Entry("an empty text", `{"Description":""}`, "Description", "value", "empty text"),
		Entry("false", `{"IsLocked":false}`, "IsLocked", "value", "false"),
		Entry("a value of another type", `{"IsLocked":"false"}`, "IsLocked", "value"),
		Entry("an object", `{"Device":{}}`, "Device", "value"),
	)

	It("are of the forms of an identifier in a list", func() {
		Expect(loadContract().Identifiers.Forms()).To(Equal([]string{"GUID in lower case", "GUID in upper case"}))
		Expect(loadContract().Identifiers.FormsOf("A0000000-0000-4000-8000-00000000000F")).To(Equal([]string{"GUID in upper case"}))
	})
})
