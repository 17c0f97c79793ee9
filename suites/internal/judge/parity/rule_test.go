package parity_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/testkit"
)

func TestParity(t *testing.T) { testkit.Specs(t, "parity") }

var _ = DescribeTable("Whether the pointer of a setting matches a place is right for",
	func(pattern, pointer string, expected bool) {
		Expect(parity.Matches(pattern, pointer)).To(Equal(expected))
	},
	testkit.Entries("matches"),
)

// What a member n shows, for short: each call has the same m beside it.
const (
	old     = `{"m":7,"n":"old"}`
	changed = `{"m":7,"n":"new"}`
	third   = `{"m":7,"n":"third"}`
	null    = `{"m":7,"n":null}`
	without = `{"m":7}`
	number  = `{"m":7,"n":1}`
	refused = ""
)

// What the calls of one lookup, in the order of time, say of the member n, beside what history_test.go holds of any.
var _ = DescribeTable("The calls of one lookup tell",
	func(l parity.Lookup, expected concluded) {
		expected.comparable, expected.valued = true, true
		Expect(conclude(parity.Rule{}, l)).To(Equal(expected))
	},
	Entry("that each version settled after a warm-up, and they end equal",
		lookup(v5(null), v6(null), v6(old), v5(old), v5(old), v6(old)), concluded{moved: []string{"/n v5 v6"}}),
	Entry("that v6 settled after its first call, as v5 was before: for one user that may be a replica that lagged",
		lookup(v5(old), v6(third), v6(old), v5(old), v5(old), v6(old)), concluded{moved: []string{"/n v6"}}),
	Entry("that v6 settled after its first call on what v5 showed at both of its calls",
		lookup(v5(old), v6(third), v5(old), v6(old)), concluded{moved: []string{"/n v6"}}),
	Entry("that v6 lagged behind v5, and follows", lookup(v5(changed), v6(old), v6(old), v5(changed), v5(changed),
		v6(changed)), concluded{moved: []string{"/n v6"}}),
	Entry("that v5 goes back and forth while v6 changed once: a replica may be behind both",
		lookup(v5(changed), v6(old), v6(changed), v5(old), v5(changed), v6(changed)),
		concluded{v5: []string{"/n"}, v6: []string{"/n"}}),
	Entry("that v6 has never the type of v5, although both go back and forth",
		lookup(v5(old), v6(null), v6(without), v5(changed), v5(old), v6(null)),
		concluded{differences: []string{`/n | type | "old" | null`}}),
	Entry("that v5 has never the type of v6, although both go back and forth",
		lookup(v5(null), v6(old), v6(changed), v5(without), v5(null), v6(old)),
		concluded{differences: []string{`/n | type | null | "old"`}}),
	Entry("that v6 leaves out now and then what v5 has",
		lookup(v5(old), v6(old), v6(without), v5(old), v5(old), v6(old)), concluded{v6: []string{"/n"}}),
	Entry("that v5, of which a record has one call, counts with v6",
		lookup(v5(old), v6(old), v6(third), v6(old)), concluded{v5: []string{"/n"}, v6: []string{"/n"}}),
	Entry("that v5 counts with v6, which has one call",
		lookup(v6(old), v5(old), v5(third), v5(old)), concluded{v5: []string{"/n"}, v6: []string{"/n"}}),
	Entry("that v6 settled as v5 was at its only call",
		lookup(v5(old), v6(third), v6(old), v6(old)), concluded{moved: []string{"/n v6"}}),
	Entry("that each version ended with what the other one began with: nobody knows whether it stays",
		lookup(v5(old), v6(changed), v5(changed), v6(old)), concluded{v5: []string{"/n"}, v6: []string{"/n"}}),
	Entry("that v6 changed at its last call, since that of v5: nobody knows whether it stays",
		lookup(v5(old), v6(old), v6(changed)), concluded{v5: []string{"/n"}, v6: []string{"/n"}}),
	Entry("that v6 has moved since v5 was recorded: nothing shows that v5 did",
		lookup(v5(old), v5(old), v6(old), v6(changed), v6(changed)),
		concluded{differences: []string{`/n | value | "old" | "new"`}}),
)

var _ = DescribeTable("Whole answers and what can't be compared:",
	func(l parity.Lookup, expected concluded) { Expect(conclude(parity.Rule{}, l)).To(Equal(expected)) },
	Entry("refused by both", lookup(v5(refused), v6(refused), v6(refused), v5(refused)), concluded{}),
	Entry("only v5 was asked", lookup(v5(old), v5(changed)), concluded{}),
	Entry("only v6 was asked", lookup(v6(old), v6(changed)), concluded{}),
	Entry("served against refused", lookup(v5(old), v6(refused)),
		concluded{comparable: true, differences: []string{` | served against refused | {"m":7,"n":"old"} | absent`}}),
	Entry("served with what was refused before", lookup(
		parity.Call{Version: schemas.V5, Body: []byte(old)}, v6(old)),
		concluded{comparable: true, differences: []string{` | served against refused | absent | {"m":7,"n":"old"}`}}),
	Entry("refused against served", lookup(v5(refused), v6(old)),
		concluded{comparable: true, differences: []string{` | served against refused | absent | {"m":7,"n":"old"}`}}),
	Entry("refused now and then by v6",
		lookup(v5(old), v6(old), v6(refused), v5(old), v5(old), v6(old)), concluded{v6: []string{""}}),
	Entry("refused by v6 at its first call only",
		lookup(v5(old), v6(refused), v6(old), v5(old), v5(old), v6(old)),
		concluded{comparable: true, valued: true, moved: []string{" v6"}}),
	Entry("refused now and then by both",
		lookup(v5(old), v6(refused), v6(old), v5(refused), v5(old), v6(refused)),
		concluded{v5: []string{""}, v6: []string{""}}),
	Entry("a record against a list of records", lookup(v5(old), v6("["+old+"]")),
		concluded{comparable: true, differences: []string{` | type | {"m":7,"n":"old"} | [{"m":7,"n":"old"}]`}}),
	Entry("nothing but a text against a number", lookup(v5(`{"n":"old"}`), v6(`{"n":1}`)),
		concluded{comparable: true, differences: []string{`/n | type | "old" | 1`}}),
	Entry("nothing but a value that goes back and forth",
		lookup(v5(`{"n":1}`), v6(`{"n":2}`), v6(`{"n":3}`), v5(`{"n":4}`)),
		concluded{comparable: true, v5: []string{"/n"}, v6: []string{"/n"}}),
	Entry("two nulls", lookup(v5(`{"n":null}`), v6(`{"n":null}`)), concluded{comparable: true}),
	Entry("nothing but how many elements a list has", lookup(v5(`{"n":[null]}`), v6(`{"n":[null]}`)),
		concluded{comparable: true}),
	Entry("nothing but members of null", lookup(v5(`{"d":{"n":null}}`), v6(`{"d":{"n":null}}`)),
		concluded{comparable: true}),
	Entry("two empty objects in a record", lookup(v5(`{"d":{}}`), v6(`{"d":{}}`)),
		concluded{comparable: true, valued: true}),
	Entry("two empty lists in a record", lookup(v5(`{"d":[]}`), v6(`{"d":[]}`)),
		concluded{comparable: true, valued: true}),
	Entry("two empty records", lookup(v5(`{}`), v6(`{}`)), concluded{comparable: true}),
	Entry("two empty lists", lookup(v5(`[]`), v6(`[]`)), concluded{comparable: true}),
	Entry("what is below a null at one call is compared at the others",
		lookup(v5(`{"d":{"x":1}}`), v6(`{"d":{"x":2}}`), v5(`{"d":{"x":1}}`), v6(`{"d":null}`)),
		concluded{comparable: true, valued: true, differences: []string{`/d/x | value | 1 | 2`},
			v6: []string{"/d"}}),
	Entry("what is below a null has nothing to compare with",
		lookup(v5(`{"d":{"x":1}}`), v6(`{"d":null}`), v6(`{"d":null}`), v5(`{"d":{"x":2}}`)),
		concluded{comparable: true, differences: []string{`/d | type | {"x":2} | null`}}),
)

var _ = DescribeTable("A change shows a value and the next one, of the first version that changes:",
	func(l parity.Lookup, was, then any, shape bool) {
		changes := parity.Rule{}.Conclude(l).Changes
		Expect(changes).To(HaveLen(1))
		Expect([]any{changes[0].Was, changes[0].Then, changes[0].Shape}).To(Equal([]any{was, then, shape}))
	},
	Entry("its first change", lookup(v5(old), v6(old), v6(old), v5(old), v6(third), v6(old), v5(old)), "old", "third",
		false),
	Entry("one from null, and others",
		lookup(v5(old), v6(null), v6(old), v5(old), v6(third), v6(old)), nil, "old", true),
	Entry("one to null, and others",
		lookup(v5(old), v6(old), v6(null), v5(old), v6(third), v6(old)), "old", nil, true),
	Entry("one to another type, and others",
		lookup(v5(old), v6(old), v6(number), v5(old), v6(`{"m":7,"n":2}`), v6(old)), "old", json.Number("1"), true),
	Entry("one in v5 and another in v6", lookup(v5(old), v6(third), v6(old), v5(third), v5(old), v6(changed)), "old",
		"third", false),
	Entry("a refusal", lookup(v5(old), v6(old), v6(refused), v5(old), v6(old)),
		map[string]any{"m": json.Number("7"), "n": "old"}, parity.Absent{}, true),
	Entry("how many elements a list has", lookup(v5(`{"n":[1]}`), v6(`{"n":[1]}`), v6(`{"n":[1,1]}`), v5(`{"n":[1]}`),
		v6(`{"n":[1]}`)), json.Number("1"), json.Number("2"), false),
)

var _ = DescribeTable("A change after which the versions are equal has moved if one change of the data explains it:",
	func(l parity.Lookup, moved bool) {
		changes := parity.Rule{}.Conclude(l).Changes
		Expect(changes).To(HaveExactElements(And(HaveField("Ended", true), HaveField("Moved", moved))))
	},
	Entry("since the second call", lookup(v5(old), v6(changed), v5(changed)), true),
	Entry("since the third call", lookup(v5(old), v6(old), v6(changed), v5(changed)), true),
	Entry("not if v6 alone settled", lookup(v5(old), v6(third), v6(old), v5(old)), false),
)

var _ = It("A change of a record's member has the member for a place, and a pointer into the list", func() {
	record := func(n string) string { return `[{"Id":"a"},{"Id":"b","n":` + n + `}]` }
	changes := parity.Rule{}.Conclude(lookup(v5(record("1")), v6(record("2")), v6(record("1")))).Changes
	Expect(changes).To(HaveExactElements(And(HaveField("Place", "/n"), HaveField("Pointer", "/1/n"))))
})

var _ = DescribeTable("A list is one place for how it is made up, and its records' members are places:",
	func(op schemas.Operation, calls []parity.Call, expected concluded) {
		expected.comparable = true
		Expect(conclude(parity.Rule{}, lookupOf(op, calls...))).To(Equal(expected))
	},
	Entry("a member of one of two records, in any order", schemas.GetUserAuth, []parity.Call{
		v5(`[{"Id":"a","n":1},{"Id":"b","n":1}]`), v6(`[{"Id":"b","n":1},{"Id":"a","n":1}]`),
		v6(`[{"Id":"a","n":1},{"Id":"b","n":5}]`), v5(`[{"Id":"b","n":1},{"Id":"a","n":1}]`),
		v6(`[{"Id":"a","n":1},{"Id":"b","n":1}]`)}, concluded{valued: true, v6: []string{"/n"}}),
	Entry("a record that comes and goes in v6", schemas.GetUserAuth, []parity.Call{
		v5(`[{"Id":"a","n":1}]`), v6(`[{"Id":"a","n":1},{"Id":"b","n":1}]`), v6(`[{"Id":"a","n":1}]`),
		v5(`[{"Id":"a","n":1}]`), v6(`[{"Id":"a","n":1},{"Id":"b","n":1}]`)},
		concluded{valued: true, v6: []string{"/*"}}),
	Entry("a record that comes and goes in v5, and differs: it stands where v5 had it last", schemas.GetUserAuth,
		[]parity.Call{v5(`[{"Id":"a"},{"Id":"b","n":1}]`), v6(`[{"Id":"b","n":2},{"Id":"a"}]`),
			v6(`[{"Id":"b","n":2},{"Id":"a"}]`), v5(`[{"Id":"a"}]`)},
		concluded{valued: true, differences: []string{`/1/n | value | 1 | 2`}, v5: []string{"/*"}}),
	Entry("an Id that is missing at one call: by position in all", schemas.GetUserAuth, []parity.Call{
		v5(`[{"Id":"a","n":1},{"Id":"b","n":2}]`), v6(`[{"Id":"a","n":1},{"n":2}]`)},
		concluded{valued: true, differences: []string{`/1/Id | member missing | "b" | absent`}}),
	Entry("identifiers that come and go, others in each version: one place", schemas.FindByUserIDs, []parity.Call{
		v5(`["a","b"]`), v6(`["a","c"]`), v6(`["a","d"]`), v5(`["a","e"]`)},
		concluded{v5: []string{"/*"}, v6: []string{"/*"}}),
	Entry("identifiers in another order", schemas.FindByUserIDs, []parity.Call{v5(`["a","b"]`), v6(`["b","a"]`)},
		concluded{valued: true}),
	Entry("a list that is empty at the first call, and then differs", schemas.FindByUserIDs, []parity.Call{
		v5(`[]`), v6(`[]`), v6(`["b"]`), v5(`["a"]`), v5(`["a"]`), v6(`["b"]`)},
		concluded{valued: true, differences: []string{`/0 | element missing | "a" | absent`,
			`/0 | element added | absent | "b"`}}),
)

var _ = Describe("A rule of parity", func() {
	unlike := lookup(v5(old), v6(changed), v6(changed), v5(old))

	It("looks at shapes alone if that is set", func() {
		Expect(conclude(parity.Rule{ShapeOnly: true}, unlike)).To(Equal(concluded{comparable: true}))
		Expect(conclude(parity.Rule{ShapeOnly: true}, lookup(v5(old), v6(number)))).To(Equal(
			concluded{comparable: true, differences: []string{`/n | type | "old" | 1`}}))
		Expect(conclude(parity.Rule{ShapeOnly: true}, lookup(v5(old), v6(old), v6(null), v5(changed), v6(third)))).To(
			Equal(concluded{comparable: true, v6: []string{"/n"}}))
	})

	It("does not look at an ignored place, and says which pattern hid something", func() {
		rule := parity.Rule{Ignored: []string{"/n", "/m", "/Device"}}
		Expect(conclude(rule, unlike)).To(Equal(concluded{comparable: true}))
		Expect(rule.Conclude(unlike).Hidden).To(Equal([]string{"/n"}))
		Expect(conclude(parity.Rule{Ignored: []string{"/n"}}, unlike)).To(Equal(
			concluded{comparable: true, valued: true}))
		Expect(parity.Rule{Ignored: []string{"/Device", "/Device/x"}}.Conclude(
			lookup(v5(`{"Device":{"x":1}}`), v6(`{"Device":{"x":2}}`))).Hidden).To(Equal([]string{"/Device",
			"/Device/x"}))
		Expect(parity.Rule{Ignored: []string{"/*"}}.Conclude(
			lookupOf(schemas.FindByUserIDs, v5(`["a"]`), v6(`["b"]`))).Hidden).To(Equal([]string{"/*"}))
	})

	DescribeTable("hides nothing but what differs or changes at an ignored place",
		func(ignored string, l parity.Lookup, hidden ...string) {
			rule := parity.Rule{Ignored: []string{ignored}}
			Expect(conclude(rule, l)).To(Equal(concluded{comparable: true, valued: true}))
			Expect(rule.Conclude(l).Hidden).To(ConsistOf(hidden))
		},
		Entry("a member that is the same in both", "/n", lookup(v5(old), v6(old))),
		Entry("a member that goes back and forth", "/n", lookup(v5(old), v6(third), v6(old), v5(changed)), "/n"),
		Entry("one element of a list", "/1", lookupOf(schemas.FindByUserIDs, v5(`["a","b"]`), v6(`["a","c"]`)), "/1"),
	)

	It("does not compare a member that the contract of only one version has", func() {
		Expect(conclude(parity.Rule{InOne: []string{"/n"}}, unlike)).To(Equal(
			concluded{comparable: true, valued: true}))
	})

	It("reads answers again that let go of their values, with exact numbers", func() {
		Expect(differenceLines(parity.Rule{}.Conclude(lookup(v5(`{"n":9007199254740993}`),
			parity.Call{Version: schemas.V6, Served: true,
				Value: map[string]any{"n": json.Number("9007199254740992")}})).Differences)).To(Equal(
			[]string{"/n | value | 9007199254740993 | 9007199254740992"}))
		Expect(func() { parity.Rule{}.Conclude(lookup(v5(`{`), v6(`{}`))) }).To(
			PanicWith(ContainSubstring("can't be decoded again")))
	})

	It("does not read an answer again that has its value", func() {
		undecodable := parity.Call{Version: schemas.V6, Served: true, Value: decodeText(old), Body: []byte(`{`)}
		Expect(parity.Rule{}.Conclude(lookup(v5(old), undecodable)).StandsStill()).To(BeTrue())
	})

	It("says that requests must be repeated if something differs, and something else changes", func() {
		c := parity.Rule{}.Conclude(lookup(v5(old), v6(`{"m":7,"n":1}`), v6(`{"m":8,"n":1}`)))
		Expect(c.Differences).To(HaveLen(1))
		Expect(c.Changes).To(HaveLen(1))
		Expect(c.StandsStill()).To(BeFalse())
	})

	DescribeTable("concludes equal answers undecoded as it concludes decoded ones",
		func(rule parity.Rule, l parity.Lookup) { Expect(rule.Identical(l)).To(Equal(rule.Conclude(l))) },
		Entry("served", parity.Rule{}, lookup(v5(old), v6(old))),
		Entry("served, with a GUID", parity.Rule{}, lookup(v5(`{"Id":"`+guidA+`"}`), v6(`{"Id":"`+guidA+`"}`))),
		Entry("served, by shape", parity.Rule{ShapeOnly: true}, lookup(v5(old), v6(old))),
		Entry("served, all of it ignored", parity.Rule{Ignored: []string{"/m", "/n"}}, lookup(v5(old), v6(old))),
		Entry("refused", parity.Rule{}, lookup(v5(refused), v6(refused))),
		Entry("served, with a GUID, all of it ignored", parity.Rule{Ignored: []string{"/Id"}},
			lookup(v5(`{"Id":"`+guidA+`"}`), v6(`{"Id":"`+guidA+`"}`))),
		Entry("served, with a GUID, all of it ignored or documented for one version only",
			parity.Rule{Ignored: []string{"/Id"}, InOne: []string{"/n"}},
			lookup(v5(`{"Id":"`+guidA+`","n":1}`), v6(`{"Id":"`+guidA+`","n":1}`))),
		Entry("refused, with a GUID", parity.Rule{}, lookup(
			parity.Call{Version: schemas.V5, Body: []byte(`{"trace":"` + guidA + `"}`)},
			parity.Call{Version: schemas.V6, Body: []byte(`{"trace":"` + guidA + `"}`)})),
		Entry("only v5 asked", parity.Rule{}, lookup(v5(`{"Id":"`+guidA+`"}`))),
		Entry("only v6 asked", parity.Rule{}, lookup(v6(`{"Id":"`+guidA+`"}`))),
	)
})
