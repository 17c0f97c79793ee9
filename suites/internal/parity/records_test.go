package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/parity"
)

var _ = Describe("Records", func() {
	DescribeTable("finds what differs, where, and in what way",
		func(left, right string, expected ...string) {
			Expect(differenceLines(parity.Records(decodeText(left), decodeText(right)))).To(Equal(expected))
		},
		Entry("a member missing", `{"Id":"a","Flags":1}`, `{"Id":"a"}`, `/Flags | member missing | 1 | absent`),
		Entry("a member added", `{"Id":"a"}`, `{"Id":"a","Flags":1}`, `/Flags | member added | absent | 1`),
		Entry("null on the left, absent on the right", `{"Id":"a","Flags":null}`, `{"Id":"a"}`,
			`/Flags | null against absent | null | absent`),
		Entry("absent on the left, null on the right", `{"Id":"a"}`, `{"Id":"a","Flags":null}`,
			`/Flags | null against absent | absent | null`),
		Entry("null against a value", `{"Flags":null}`, `{"Flags":1}`, `/Flags | type | null | 1`),
		Entry("a number against its text", `{"Flags":1}`, `{"Flags":"1"}`, `/Flags | type | 1 | "1"`),
		Entry("a boolean against a number", `{"IsLocked":true}`, `{"IsLocked":1}`, `/IsLocked | type | true | 1`),
		Entry("false against null", `{"IsLocked":false}`, `{"IsLocked":null}`, `/IsLocked | type | false | null`),
		Entry("an object against null", `{"Device":{}}`, `{"Device":null}`, `/Device | type | {} | null`),
		Entry("an object against a list", `{"Device":{}}`, `{"Device":[]}`, `/Device | type | {} | []`),
		Entry("a text", `{"Comment":"a"}`, `{"Comment":"A"}`, `/Comment | value | "a" | "A"`),
		Entry("a text that is empty on one side", `{"Comment":""}`, `{"Comment":"x"}`, `/Comment | value | "" | "x"`),
		Entry("a boolean", `{"IsLocked":true}`, `{"IsLocked":false}`, `/IsLocked | value | true | false`),
		Entry("a boolean, the other way", `{"IsLocked":false}`, `{"IsLocked":true}`,
			`/IsLocked | value | false | true`),
		Entry("a number", `{"Flags":1}`, `{"Flags":2}`, `/Flags | value | 1 | 2`),
		Entry("a number with a fraction", `{"Flags":1}`, `{"Flags":1.5}`, `/Flags | value | 1 | 1.5`),
		Entry("within the device", `{"Device":{"Model":"a","Comment":"b"}}`, `{"Device":{"Model":"c"}}`,
			`/Device/Comment | member missing | "b" | absent`, `/Device/Model | value | "a" | "c"`),
		Entry("names that are the same but for case", `{"Flags":1}`, `{"flags":1}`,
			`/Flags | member missing | 1 | absent`, `/flags | member added | absent | 1`),
		Entry("names with a slash and a tilde", `{"a/b~c":1}`, `{"a/b~c":2}`, `/a~1b~0c | value | 1 | 2`),
		Entry("a list in an undocumented member", `{"x":[1,2,3]}`, `{"x":[1,4]}`,
			`/x | list length | 3 | 2`, `/x/1 | value | 2 | 4`),
		Entry("a list that is longer on the right", `{"x":[1]}`, `{"x":[1,2]}`, `/x | list length | 1 | 2`),
		Entry("the order of a list within a record", `{"x":[1,2]}`, `{"x":[2,1]}`, `/x/0 | value | 1 | 2`,
			`/x/1 | value | 2 | 1`),
		Entry("one record against a list of one", `{"Id":"a"}`, `[{"Id":"a"}]`, ` | type | {"Id":"a"} | [{"Id":"a"}]`),
		Entry("several at once, sorted by name", `{"c":1,"a":1,"b":1}`, `{"c":2,"a":2}`,
			`/a | value | 1 | 2`, `/b | member missing | 1 | absent`, `/c | value | 1 | 2`),
	)

	DescribeTable("compares numbers by their exact value",
		func(left, right string, equal bool) {
			found := parity.Records(decodeText(`{"Flags":`+left+`}`), decodeText(`{"Flags":`+right+`}`))
			if equal {
				Expect(found).To(BeEmpty())
				return
			}
			Expect(differenceLines(found)).To(Equal([]string{"/Flags | value | " + left + " | " + right}))
		},
		Entry("past 2^53", "9007199254740993", "9007199254740992", false),
		Entry("past 64 bits", "18446744073709551616", "18446744073709551617", false),
		Entry("in the twentieth decimal", "1.00000000000000000001", "1", false),
		Entry("too small for float64", "1e-400", "0", false),
		Entry("too large for float64", "1e400", "1e401", false),
		Entry("of the other sign", "1", "-1", false),
		Entry("1 and 1.0", "1", "1.0", true),
		Entry("1e2 and 100", "1e2", "100", true),
		Entry("1E+2 and 100.00", "1E+2", "100.00", true),
		Entry("-0 and 0", "-0", "0", true),
		Entry("-0.0e5 and 0", "-0.0e5", "0", true),
		Entry("0.001 and 1e-3", "0.001", "1e-3", true),
		Entry("1e400 and 10e399", "1e400", "10e399", true),
	)

	It("compares texts by code point: composed against decomposed", func() {
		found := parity.Records(decodeText(`{"Comment":"\u00e9"}`), decodeText(`{"Comment":"e\u0301"}`))
		Expect(found).To(ConsistOf(parity.Difference{Pointer: "/Comment", Path: "/Comment", Kind: parity.Value,
			Left: "\u00e9", Right: "e\u0301"}))
	})

	DescribeTable("finds nothing where only the writing of the JSON differs",
		func(left, right string) { Expect(parity.Records(decodeText(left), decodeText(right))).To(BeEmpty()) },
		Entry("the order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`),
		Entry("the order of members in the device", `{"Device":{"a":1,"b":2}}`, `{"Device":{"b":2,"a":1}}`),
		Entry("white space", `{"a":[1,2]}`, " {\n\t\"a\" : [ 1 , 2 ] }\r\n"),
		Entry("an escaped letter", `{"a":"\u0041"}`, `{"a":"A"}`),
		Entry("an escaped name", `{"\u0061":"A"}`, `{"a":"A"}`),
		Entry("an escaped solidus", `{"a":"\/"}`, `{"a":"/"}`),
		Entry("a surrogate pair", `{"a":"\ud83d\ude00"}`, `{"a":"😀"}`),
		Entry("empty objects", `{}`, `{}`),
		Entry("nulls", `{"a":null}`, `{"a":null}`),
		Entry("empty lists", `[]`, `[]`),
	)

	const guid = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	DescribeTable("tells another writing of the same GUID or instant from another value",
		func(left, right string, kind parity.Kind) {
			found := parity.Records(map[string]any{"x": left}, map[string]any{"x": right})
			Expect(found).To(HaveLen(1))
			Expect(found[0].Kind).To(Equal(kind))
		},
		Entry("a GUID in the other case", guid, "3F0C2A9E-6B1D-4C57-9A41-0D8E5F7B2C13", parity.Representation),
		Entry("a GUID in mixed case", guid, "3F0C2A9E-6b1d-4c57-9a41-0d8e5f7b2c13", parity.Representation),
		Entry("another GUID", guid, "3F0C2A9E-6B1D-4C57-9A41-0D8E5F7B2C14", parity.Value),
		Entry("a GUID in braces", guid, "{"+guid+"}", parity.Value),
		Entry("a text of a GUID's length in the other case", "this text is of the same length, yes!",
			"This text is of the same length, yes!", parity.Value),
		Entry("36 characters with hyphens, but no hex", "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz",
			"ZZZZZZZZ-zzzz-zzzz-zzzz-zzzzzzzzzzzz", parity.Value),
		Entry("the same instant with another offset", "2024-03-01T10:00:00.000Z", "2024-03-01T12:00:00.000+02:00",
			parity.Representation),
		Entry("Z against +00:00", "2024-03-01T10:00:00.000Z", "2024-03-01T10:00:00.000+00:00", parity.Representation),
		Entry("the same instant on the day before", "2024-03-01T00:30:00Z", "2024-02-29T23:30:00-01:00",
			parity.Representation),
		Entry("more zeros in the fraction", "2024-03-01T10:00:00.5Z", "2024-03-01T10:00:00.500Z",
			parity.Representation),
		Entry("no fraction against a fraction of zeros", "2024-03-01T10:00:00Z", "2024-03-01T10:00:00.000Z",
			parity.Representation),
		Entry("another instant with the same digits", "2024-03-01T10:00:00Z", "2024-03-01T10:00:00+01:00",
			parity.Value),
		Entry("another millisecond", "2024-03-01T10:00:00.001Z", "2024-03-01T10:00:00.002Z", parity.Value),
		Entry("another tenth of a nanosecond", "2024-03-01T10:00:00.1234567891Z", "2024-03-01T10:00:00.1234567892Z",
			parity.Value),
		Entry("an offset against none: no instant", "2024-03-01T10:00:00Z", "2024-03-01T10:00:00", parity.Value),
		Entry("a date-time against a text", "2024-03-01T10:00:00Z", "March", parity.Value),
	)
})
