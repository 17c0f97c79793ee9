package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Records", func() {
	DescribeTable("finds what differs, where, and in what way",
		func(left, right string, expected ...string) {
			Expect(differenceLines(records(decodeText(left), decodeText(right)))).To(Equal(expected))
		},
		testkit.Entries("members"),
	)

	DescribeTable("compares numbers by their exact value",
		func(left, right string, equal bool) {
			found := records(decodeText(`{"Flags":`+left+`}`), decodeText(`{"Flags":`+right+`}`))
			if equal {
				Expect(found).To(BeEmpty())
				return
			}
			Expect(differenceLines(found)).To(Equal([]string{"/Flags | value | " + left + " | " + right}))
		},
		testkit.Entries("numbers"),
	)

	It("compares texts by code point: composed against decomposed", func() {
		found := records(decodeText(`{"Comment":"\u00e9"}`), decodeText(`{"Comment":"e\u0301"}`))
		Expect(found).To(ConsistOf(parity.Difference{Pointer: "/Comment", Kind: parity.Value, Left: "\u00e9",
			Right: "e\u0301"}))
	})

	DescribeTable("finds nothing where only the writing of the JSON differs",
		func(left, right string) { Expect(records(decodeText(left), decodeText(right))).To(BeEmpty()) },
		testkit.Entries("same"),
	)

	DescribeTable("tells another writing of the same GUID or instant from another value",
		func(left, right, kind string) {
			found := records(map[string]any{"x": left}, map[string]any{"x": right})
			Expect(found).To(HaveLen(1))
			Expect(string(found[0].Kind)).To(Equal(kind))
		},
		testkit.Entries("writing"),
	)
})

const (
	guidA      = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa"
	guidAUpper = "AAAAAAAA-1111-4111-8111-AAAAAAAAAAAA"
	guidB      = "bbbbbbbb-2222-4222-8222-bbbbbbbbbbbb"
)

var _ = Describe("Lists of records", func() {
	DescribeTable("are matched by Id, by position where an Id is missing or doubled",
		func(left, right string, expected ...string) {
			Expect(differenceLines(records(decodeText(left), decodeText(right)))).To(HaveExactElements(expected))
		},
		testkit.Entries("records"),
	)
})

var _ = Describe("The comparison of identifiers", func() {
	DescribeTable("compares lists as multisets",
		func(left, right string, expected ...string) {
			found := identifiers(decodeText(left), decodeText(right))
			Expect(differenceLines(found)).To(HaveExactElements(expected))
		},
		testkit.Entries("identifiers"),
	)
})

var _ = DescribeTable("An element without a partner says how both lists are made up:",
	func(left, right string, absent parity.Absent) {
		found := identifiers(decodeText(left), decodeText(right))
		Expect(found).To(HaveLen(1))
		Expect([]any{found[0].Left, found[0].Right}).To(ContainElement(absent))
	},
	Entry("missing", `["a","b"]`, `["a"]`, parity.Absent{Elements: 1, Other: 2}),
	Entry("added", `["a"]`, `["a","b"]`, parity.Absent{Elements: 1, Other: 2}),
	Entry("there twice in v5", `["a","a"]`, `["a"]`, parity.Absent{Elements: 1, Other: 2, Fewer: true}),
	Entry("there twice in v6", `["a"]`, `["a","a"]`, parity.Absent{Elements: 1, Other: 2, Fewer: true}),
)

var _ = It("Each GUID of a list is matched with one that is written in another way, once", func() {
	const a, b, c, d = "abcdabcd-0000-4000-8000-000000000001", "ABCDABCD-0000-4000-8000-000000000001",
		"abcdABCD-0000-4000-8000-000000000001", "ABCDabcd-0000-4000-8000-000000000001"
	found := identifiers([]any{a, b}, []any{c, d})
	Expect(found).To(HaveLen(2))
	for _, f := range found {
		Expect(f.Kind).To(Equal(parity.Representation))
	}
})

var _ = DescribeTable("Whether a difference is one of shape is right for the kind:",
	func(kind parity.Kind, shape bool) { Expect(kind.Shape()).To(Equal(shape)) },
	Entry(nil, parity.MemberMissing, true), Entry(nil, parity.MemberAdded, true), Entry(nil, parity.NullAgainst, true),
	Entry(nil, parity.Type, true), Entry(nil, parity.Served, true), Entry(nil, parity.Value, false),
	Entry(nil, parity.Representation, false), Entry(nil, parity.ListLength, false),
	Entry(nil, parity.ElementMissing, false), Entry(nil, parity.ElementAdded, false),
)
