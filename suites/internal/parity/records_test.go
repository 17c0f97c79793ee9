package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Records", func() {
	DescribeTable("finds what differs, where, and in what way",
		func(left, right string, expected ...string) {
			Expect(differenceLines(parity.Records(decodeText(left), decodeText(right)))).To(Equal(expected))
		},
		testkit.Entries("members"),
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
		testkit.Entries("numbers"),
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
