package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/parity"
)

const (
	guidA      = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa"
	guidAUpper = "AAAAAAAA-1111-4111-8111-AAAAAAAAAAAA"
	guidB      = "bbbbbbbb-2222-4222-8222-bbbbbbbbbbbb"
)

var _ = Describe("lists of records", func() {
	DescribeTable("are matched by Id, by position where an Id is missing or doubled",
		func(left, right string, expected ...string) {
			if expected == nil {
				expected = []string{}
			}
			Expect(differenceLines(parity.Records(decodeText(left), decodeText(right)))).To(Equal(expected))
		},
		Entry("the same in another order", `[{"Id":"a","n":1},{"Id":"b","n":2}]`,
			`[{"Id":"b","n":2},{"Id":"a","n":1}]`),
		Entry("the second one differs", `[{"Id":"a","n":1},{"Id":"b","n":2}]`, `[{"Id":"a","n":1},{"Id":"b","n":3}]`,
			`/1/n | value | 2 | 3`),
		Entry("one differs and the order too: the place is the left one", `[{"Id":"a","n":1},{"Id":"b","n":2}]`,
			`[{"Id":"b","n":3},{"Id":"a","n":1}]`,
			`/1/n | value | 2 | 3`),
		Entry("in the device of the second", `[{"Id":"a"},{"Id":"b","Device":{"Model":"x"}}]`,
			`[{"Id":"a"},{"Id":"b","Device":{}}]`,
			`/1/Device/Model | member missing | "x" | absent`),
		Entry("the last one missing", `[{"Id":"a"},{"Id":"b"}]`, `[{"Id":"a"}]`,
			`/1 | element missing | {"Id":"b"} | absent`),
		Entry("the first one missing", `[{"Id":"a"},{"Id":"b"}]`, `[{"Id":"b"}]`,
			`/0 | element missing | {"Id":"a"} | absent`),
		Entry("one added at the front", `[{"Id":"b"}]`, `[{"Id":"a"},{"Id":"b"}]`,
			`/0 | element added | absent | {"Id":"a"}`),
		Entry("all missing", `[{"Id":"a"}]`, `[]`, `/0 | element missing | {"Id":"a"} | absent`),
		Entry("one for another", `[{"Id":"a"}]`, `[{"Id":"b"}]`,
			`/0 | element missing | {"Id":"a"} | absent`, `/0 | element added | absent | {"Id":"b"}`),
		Entry("an Id in the other case is the same record, written otherwise", `[{"Id":"`+guidA+`","n":1}]`, `[{"Id":"`+
			guidAUpper+`","n":2}]`,
			`/0/Id | representation | "`+guidA+`" | "`+guidAUpper+`"`, `/0/n | value | 1 | 2`),
		Entry("an Id missing: by position", `[{"n":1},{"Id":"b","n":2}]`, `[{"n":1},{"Id":"b","n":3}]`,
			`/1/n | value | 2 | 3`),
		Entry("an Id missing on the right only: by position", `[{"Id":"a"},{"Id":"b"}]`, `[{"Id":"a"},{}]`,
			`/1/Id | member missing | "b" | absent`),
		Entry("an Id doubled: by position", `[{"Id":"a","n":1},{"Id":"a","n":2}]`,
			`[{"Id":"a","n":2},{"Id":"a","n":1}]`,
			`/0/n | value | 1 | 2`, `/1/n | value | 2 | 1`),
		Entry("an Id doubled in two cases: by position", `[{"Id":"a","n":1},{"Id":"A","n":2}]`,
			`[{"Id":"a","n":1},{"Id":"A","n":2}]`),
		Entry("an Id that is no string: by position", `[{"Id":1,"n":1}]`, `[{"Id":1,"n":2}]`, `/0/n | value | 1 | 2`),
		Entry("a null Id: by position", `[{"Id":null,"n":1}]`, `[{"Id":null,"n":1}]`),
		Entry("without Ids, one more on the left", `[{"n":1},{"n":2}]`, `[{"n":1}]`,
			`/1 | element missing | {"n":2} | absent`),
		Entry("without Ids, one more on the right", `[{"n":1}]`, `[{"n":1},{"n":2}]`,
			`/1 | element added | absent | {"n":2}`),
		Entry("elements that are no records", `[1,"a",null]`, `[1,"b",null]`, `/1 | value | "a" | "b"`),
	)
})

var _ = Describe("Identifiers", func() {
	DescribeTable("compares lists as multisets",
		func(left, right string, expected ...string) {
			if expected == nil {
				expected = []string{}
			}
			Expect(differenceLines(parity.Identifiers(decodeText(left), decodeText(right)))).To(Equal(expected))
		},
		Entry("the same", `["a","b"]`, `["a","b"]`),
		Entry("in another order", `["a","b","c"]`, `["c","a","b"]`),
		Entry("doubled in another order", `["a","b","a"]`, `["a","a","b"]`),
		Entry("empty", `[]`, `[]`),
		Entry("one missing", `["a","b"]`, `["b"]`, `/0 | element missing | "a" | absent`),
		Entry("one added", `["b"]`, `["b","c"]`, `/1 | element added | absent | "c"`),
		Entry("the second is another", `["a","b"]`, `["a","c"]`, `/1 | element missing | "b" | absent`,
			`/1 | element added | absent | "c"`),
		Entry("how often counts: fewer", `["a","a"]`, `["a"]`, `/1 | element missing | "a" | absent`),
		Entry("how often counts: more", `["a"]`, `["a","a","a"]`, `/1 | element added | absent | "a"`,
			`/2 | element added | absent | "a"`),
		Entry("how often counts: of which one", `["a","a","b"]`, `["a","b","b"]`,
			`/1 | element missing | "a" | absent`, `/2 | element added | absent | "b"`),
		Entry("a GUID in the other case", `["`+guidA+`"]`, `["`+guidAUpper+`"]`, `/0 | representation | "`+guidA+
			`" | "`+
			guidAUpper+`"`),
		Entry("a GUID in the other case elsewhere", `["`+guidB+`","`+guidA+`"]`, `["`+guidAUpper+`","`+guidB+`"]`,
			`/1 | representation | "`+guidA+`" | "`+guidAUpper+`"`),
		Entry("a GUID in both cases: the one left over", `["`+guidA+`","`+guidA+`"]`, `["`+guidAUpper+`","`+guidA+`"]`,
			`/1 | representation | "`+guidA+`" | "`+guidAUpper+`"`),
		Entry("a GUID in the other case, and again", `["`+guidA+`"]`, `["`+guidAUpper+`","`+guidAUpper+`"]`,
			`/0 | representation | "`+guidA+`" | "`+guidAUpper+`"`, `/1 | element added | absent | "`+guidAUpper+`"`),
		Entry("a GUID in the other case, before one that is missing", `["`+guidA+`","x"]`, `["`+guidAUpper+`","y"]`,
			`/0 | representation | "`+guidA+`" | "`+guidAUpper+`"`, `/1 | element missing | "x" | absent`,
			`/1 | element added | absent | "y"`),
		Entry("another text in the other case is another identifier", `["abc"]`, `["ABC"]`,
			`/0 | element missing | "abc" | absent`, `/0 | element added | absent | "ABC"`),
		Entry("a number against its text", `[1]`, `["1"]`, `/0 | element missing | 1 | absent`,
			`/0 | element added | absent | "1"`),
		Entry("a number in another writing", `[1,2]`, `[2.0,1e0]`),
		Entry("numbers past 2^53", `[9007199254740993]`, `[9007199254740992]`,
			`/0 | element missing | 9007199254740993 | absent`, `/0 | element added | absent | 9007199254740992`),
		Entry("objects by what they hold", `[{"a":1,"b":[null,true]}]`, `[{"b":[null,true],"a":1.0}]`),
		Entry("objects with texts that run together", `[{"a":"1:b"}]`, `[{"a1":":b"}]`,
			`/0 | element missing | {"a":"1:b"} | absent`, `/0 | element added | absent | {"a1":":b"}`),
		Entry("null against the text null", `[null]`, `["null"]`, `/0 | element missing | null | absent`,
			`/0 | element added | absent | "null"`),
		Entry("a list against an object", `["a"]`, `{"a":1}`, ` | type | ["a"] | {"a":1}`),
		Entry("two objects in the place of lists", `{"a":1}`, `{"a":2}`, `/a | value | 1 | 2`),
	)
})

var _ = Describe("a difference's path", func() {
	paths := func(found []parity.Difference) []string {
		var list []string
		for _, d := range found {
			list = append(list, d.Path)
		}
		return list
	}
	It("names records by their Id, so that it is the same when their order changes", func() {
		one := parity.Records(decodeText(`[{"Id":"a","n":1},{"Id":"B/b","n":1}]`),
			decodeText(`[{"Id":"a","n":1},{"Id":"b/B","n":2}]`))
		other := parity.Records(decodeText(`[{"Id":"b/b","n":1},{"Id":"a","n":1}]`),
			decodeText(`[{"Id":"a","n":1},{"Id":"b/b","n":2}]`))
		Expect(paths(one)).To(Equal([]string{"/Id=b~1b/Id", "/Id=b~1b/n"}))
		Expect(paths(other)).To(Equal([]string{"/Id=b~1b/n"}))
	})
	It("names identifiers by what they are, so that one that comes and goes hides no other", func() {
		one := paths(parity.Identifiers(decodeText(`["a","b"]`), decodeText(`["c","b"]`)))
		other := paths(parity.Identifiers(decodeText(`["b","a"]`), decodeText(`["b","c"]`)))
		Expect(one).To(HaveLen(2))
		Expect(other).To(ConsistOf(one[0], one[1]))
	})
})

var _ = DescribeTable("kinds of shape",
	func(kind parity.Kind, shape bool) { Expect(kind.Shape()).To(Equal(shape)) },
	Entry(nil, parity.MemberMissing, true), Entry(nil, parity.MemberAdded, true), Entry(nil, parity.NullAgainst, true),
	Entry(nil, parity.Type, true), Entry(nil, parity.Served, true), Entry(nil, parity.Value, false),
	Entry(nil, parity.Representation, false), Entry(nil, parity.ListLength, false),
	Entry(nil, parity.ElementMissing, false),
	Entry(nil, parity.ElementAdded, false),
)
