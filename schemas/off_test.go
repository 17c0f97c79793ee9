package schemas_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("The part of a value that is off is named", func(member, value, off string) {
	c := contract()
	Expect(c.Record.Off("/"+member, decodeText(value))).To(Equal(off))
	if off != "" {
		Expect(c.Record.Check(decodeText(`{"` + member + `":` + value + `}`))).NotTo(BeEmpty())
	}
},
	EntryDescription("%s %s: %s"),
	Entry(nil, "Id", `"{0f8fad5b-d9cb-469f-a165-70867728950e}"`, "in braces"),
	Entry(nil, "Id", `"(0f8fad5b-d9cb-469f-a165-70867728950e)"`, "in parentheses"),
	Entry(nil, "Id", `"0f8fad5bd9cb469fa16570867728950e"`, "no hyphens"),
	Entry(nil, "Id", `"urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e"`, "urn:uuid: in front of it"),
	Entry(nil, "Id", `" 0f8fad5b-d9cb-469f-a165-70867728950e"`, "white space around it"),
	Entry(nil, "Id", `""`, "an empty text"),
	Entry(nil, "Id", `"0f8fad5b-d9cb-469f-a165-70867728950g"`, "a character that is no hexadecimal digit"),
	Entry(nil, "Id", `"0f8fad5bd-9cb-469f-a165-70867728950e"`, "hyphens at other places than 8-4-4-4-12"),
	Entry(nil, "Id", `"0f8fad5b"`, "another length than 36 characters"),
	Entry(nil, "Id", `"7"`, "a number in quotation marks"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.9999999Z"`,
		"seven digits of a second, where exactly three are documented"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.99Z"`, "two digits of a second, where exactly three are documented"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.9999999999Z"`,
		"10 digits of a second, where exactly three are documented"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59Z"`, "no fraction of a second, where three digits are documented"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.999"`, "no zone, where Z or +00:00 is documented"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.999+02:00"`,
		"another zone than UTC, where Z or +00:00 is documented"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59"`,
		"no fraction of a second, where three digits are documented; no zone, where Z or +00:00 is documented"),
	Entry(nil, "CreatedOn", `"2024-02-29 23:59:59.999Z"`, "a space in place of the T"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59,999Z"`, "a comma before the fraction"),
	Entry(nil, "CreatedOn", `"2024-02-29t23:59:59.999Z"`, "a lower-case t"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.999z"`, "a lower-case z"),
	Entry(nil, "CreatedOn", `"2023-02-29T23:59:59.999Z"`, "a date or time that does not exist"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59Z"`, "no seconds"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.Z"`, "a dot without digits after it"),
	Entry(nil, "CreatedOn", `"2024-02-29T23:59:59.999+0000"`, "an offset without a colon"),
	Entry(nil, "CreatedOn", `"20240229T235959Z"`, "no hyphens in the date"),
	Entry(nil, "ExpirationDate", `"2024-02-29"`, "a date without a time"),
	Entry(nil, "ExpirationDate", `"23:59:59"`, "a time without a date"),
	Entry(nil, "ExpirationDate", `"/Date(1709251199999)/"`, "the form /Date(…)/"),
	Entry(nil, "ExpirationDate", `"Thu, 29 Feb 2024 23:59:59 GMT"`, "the form of RFC 1123"),
	Entry(nil, "ExpirationDate", `"29.02.2024 23:59"`, "a date in the form of a country"),
	Entry(nil, "ExpirationDate", `"1709251199"`, "a number in quotation marks"),
	Entry(nil, "ExpirationDate", `"soon"`, "another form than YYYY-MM-DDThh:mm:ss"),
	Entry(nil, "ExpirationDate", `1709251199`, "a number in place of a date"),
	Entry(nil, "Flags", `"3"`, "a number in quotation marks"),
	Entry(nil, "ModeType", `"Token"`, "a text in place of a number"),
	Entry(nil, "Flags", `1.5`, "a number with a fraction"),
	Entry(nil, "IsLocked", `"True"`, "true or false in quotation marks"),
	Entry(nil, "IsLocked", `0`, "a number in place of true or false"),
	Entry(nil, "IsLocked", `[]`, ""), Entry(nil, "Description", `7`, ""), Entry(nil, "Flags", `3.0`, ""),
)
