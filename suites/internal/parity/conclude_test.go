package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/parity"
)

// conclusionCase is what a conclusion says, written so that it can stand in a table.
type conclusionCase struct {
	Differences, Unstable, Volatile []string
	Comparable, Valued              bool
}

func caseOf(c parity.Conclusion) conclusionCase {
	volatile := c.Volatile
	if volatile == nil {
		volatile = []string{}
	}
	return conclusionCase{differenceLines(c.Differences), unstableLines(c.Unstable), volatile, c.Comparable, c.Valued}
}

// the parts that an entry leaves out are empty.
func (c conclusionCase) filled() conclusionCase {
	for _, list := range []*[]string{&c.Differences, &c.Unstable, &c.Volatile} {
		if *list == nil {
			*list = []string{}
		}
	}
	return c
}

var _ = Describe("Conclude", func() {
	DescribeTable("without a second round",
		func(rule parity.Rule, v5, v6 []string, expected conclusionCase) {
			Expect(caseOf(rule.Conclude(callsOfVersions(v5, v6), callsOfVersions(nil,
				nil)))).To(Equal(expected.filled()))
		},
		Entry("all the same", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{`{"n":1}`, `{"n":1}`},
			conclusionCase{Comparable: true, Valued: true}),
		Entry("a value differs", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{`{"n":2}`, `{"n":2}`},
			conclusionCase{Differences: []string{`/n | value | 1 | 2`}, Comparable: true, Valued: true}),
		Entry("a value differs, compared by shape", parity.Rule{ShapeOnly: true}, []string{`{"n":1}`},
			[]string{`{"n":2}`},
			conclusionCase{Comparable: true}),
		Entry("a type differs, compared by shape", parity.Rule{ShapeOnly: true}, []string{`{"n":1}`},
			[]string{`{"n":"1"}`},
			conclusionCase{Differences: []string{`/n | type | 1 | "1"`}, Comparable: true}),
		Entry("volatile in both, beside something that stands still", parity.Rule{},
			[]string{`{"m":7,"n":1}`, `{"m":7,"n":2}`}, []string{`{"m":7,"n":3}`, `{"m":7,"n":4}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("volatile in both, and another thing differs", parity.Rule{}, []string{`{"m":7,"n":1}`, `{"m":7,"n":2}`},
			[]string{`{"m":8,"n":3}`, `{"m":8,"n":4}`},
			conclusionCase{Differences: []string{`/m | value | 7 | 8`}, Volatile: []string{"/n"},
				Comparable: true, Valued: true}),
		Entry("volatile in both, and nothing else is there", parity.Rule{}, []string{`{"n":1}`, `{"n":2}`},
			[]string{`{"n":3}`, `{"n":4}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true}),
		Entry("volatile in each record of a list", parity.Rule{},
			[]string{`[{"Id":"a","n":1},{"Id":"b","n":1}]`, `[{"Id":"b","n":2},{"Id":"a","n":2}]`},
			[]string{`[{"Id":"a","n":3},{"Id":"b","n":3}]`, `[{"Id":"a","n":4},{"Id":"b","n":4}]`},
			conclusionCase{Volatile: []string{"/*/n"}, Comparable: true, Valued: true}),
		Entry("volatile in one record of a list, in the other one it differs", parity.Rule{},
			[]string{`[{"Id":"a","n":1},{"Id":"b","n":1}]`, `[{"Id":"a","n":2},{"Id":"b","n":1}]`},
			[]string{`[{"Id":"b","n":9},{"Id":"a","n":3}]`, `[{"Id":"b","n":9},{"Id":"a","n":4}]`},
			conclusionCase{Differences: []string{`/1/n | value | 1 | 9`}, Volatile: []string{"/*/n"},
				Comparable: true, Valued: true}),
		Entry("presence that is volatile in both", parity.Rule{}, []string{`{"m":1,"n":1}`, `{"m":1}`},
			[]string{`{"m":1}`, `{"m":1,"n":1}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("served and refused in turn in both", parity.Rule{}, []string{`{"n":1}`, ``}, []string{``, `{"n":1}`},
			conclusionCase{Volatile: []string{""}}),
		Entry("both refused", parity.Rule{}, []string{``, ``}, []string{``, ``}, conclusionCase{}),
		Entry("one version brought no answer at all", parity.Rule{}, []string{`{"n":1}`}, nil, conclusionCase{}),
		Entry("an ignored place differs", ruleIgnoring("/n"), []string{`{"m":1,"n":1}`}, []string{`{"m":1}`},
			conclusionCase{Comparable: true, Valued: true}),
		Entry("an ignored place is volatile: it is not listed", ruleIgnoring("/n"),
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":3}`, `{"m":1,"n":4}`},
			conclusionCase{Comparable: true, Valued: true}),
		Entry("only the last calls are compared", parity.Rule{}, []string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":3}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("refused against served", parity.Rule{}, []string{``, ``}, []string{`{"n":1}`, `{"n":1}`},
			conclusionCase{Differences: []string{` | served against refused | absent | {"n":1}`}, Comparable: true}),
		Entry("served against refused", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{``, ``},
			conclusionCase{Differences: []string{` | served against refused | {"n":1} | absent`}, Comparable: true}),
		Entry("two places are volatile in both: each is listed once", parity.Rule{},
			[]string{`{"b":1,"a":1,"m":1}`, `{"b":2,"a":2,"m":1}`}, []string{`{"b":3,"a":3,"m":1}`,
				`{"b":4,"a":4,"m":1}`},
			conclusionCase{Volatile: []string{"/a", "/b"}, Comparable: true, Valued: true}),
		Entry("a member changes in one version, the object that has it in the other: both are volatile", parity.Rule{},
			[]string{`{"d":{"c":{"x":1}},"m":1}`, `{"d":{"c":{"x":2}},"m":1}`},
			[]string{`{"d":{"c":{"x":1}},"m":1}`, `{"d":null,"m":1}`},
			conclusionCase{Volatile: []string{"/d", "/d/c/x"}, Comparable: true, Valued: true}),
		Entry("a member that the contract of only one version has", parity.Rule{InOne: []string{"/n"}},
			[]string{`{"m":1,"n":1}`}, []string{`{"m":1}`}, conclusionCase{Comparable: true, Valued: true}),
		Entry("nothing but a member that the contract of only one version has", parity.Rule{InOne: []string{"/n"}},
			[]string{`{"n":1}`}, []string{`{"n":2}`}, conclusionCase{Comparable: true}),
		Entry("a record against a list: no values to compare", parity.Rule{}, []string{`{"n":1}`},
			[]string{`[{"n":1}]`},
			conclusionCase{Differences: []string{` | type | {"n":1} | [{"n":1}]`}, Comparable: true}),
	)

	// In each of these something changed in one version only, so that both were asked again (J15).
	DescribeTable("with a second round",
		func(v5, v6, again5, again6 []string, expected conclusionCase) {
			Expect(caseOf(parity.Rule{}.Conclude(callsOfVersions(v5, v6), callsOfVersions(again5,
				again6)))).To(Equal(expected.filled()))
		},
		Entry("v6 goes on changing", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`, `{"m":1,"n":3}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":1,"n":4}`, `{"m":1,"n":5}`},
			conclusionCase{Unstable: []string{"v6 /n"}, Comparable: true, Valued: true}),
		Entry("v5 goes on changing", []string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":3}`, `{"m":1,"n":4}`}, []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			conclusionCase{Unstable: []string{"v5 /n"}, Comparable: true, Valued: true}),
		Entry("what changed in both versions is volatile, although only v6 changes it again",
			[]string{`{"m":1,"n":1,"k":1}`, `{"m":1,"n":2,"k":1}`}, []string{`{"m":1,"n":3,"k":1}`,
				`{"m":1,"n":4,"k":2}`},
			[]string{`{"m":1,"n":2,"k":1}`, `{"m":1,"n":2,"k":1}`}, []string{`{"m":1,"n":5,"k":1}`,
				`{"m":1,"n":6,"k":1}`},
			conclusionCase{Unstable: []string{"v6 /k"}, Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("what changed in both versions is volatile, although it stands still then",
			[]string{`{"m":1,"n":1,"k":1}`, `{"m":1,"n":2,"k":1}`}, []string{`{"m":1,"n":3,"k":1}`,
				`{"m":1,"n":4,"k":2}`},
			[]string{`{"m":1,"n":2,"k":1}`, `{"m":1,"n":2,"k":1}`}, []string{`{"m":1,"n":4,"k":3}`,
				`{"m":1,"n":4,"k":1}`},
			conclusionCase{Unstable: []string{"v6 /k"}, Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("what changed in v6, and then in v5, is volatile", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`}, []string{`{"m":1,"n":1}`, `{"m":1,"n":5}`},
			[]string{`{"m":1,"n":2}`, `{"m":1,"n":2}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("v6 changes again, between the rounds", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":1,"n":3}`, `{"m":1,"n":3}`},
			conclusionCase{Unstable: []string{"v6 /n"}, Comparable: true, Valued: true}),
		Entry("v6 is right at the first call only", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":1,"n":2}`, `{"m":1,"n":2}`},
			conclusionCase{Differences: []string{`/n | value | 1 | 2`}, Comparable: true, Valued: true}),
		Entry("v6 settles at what v5 shows", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":2}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("v5 begins to change too", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":3}`, `{"m":1,"n":4}`}, []string{`{"m":1,"n":5}`, `{"m":1,"n":6}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("a change of both that came between two calls of v6", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":2}`, `{"m":1,"n":2}`}, []string{`{"m":1,"n":2}`, `{"m":1,"n":2}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("each goes on changing elsewhere", []string{`{"m":1,"n":1}`, `{"m":2,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":3,"n":1}`, `{"m":4,"n":1}`}, []string{`{"m":1,"n":3}`, `{"m":1,"n":4}`},
			conclusionCase{Unstable: []string{"v5 /m", "v6 /n"}, Comparable: true}),
		Entry("v6 is served and refused in turn", []string{`{"n":1}`, `{"n":1}`}, []string{`{"n":1}`, ``},
			[]string{`{"n":1}`, `{"n":1}`}, []string{`{"n":1}`, ``},
			conclusionCase{Unstable: []string{"v6 "}}),
		Entry("v6 goes on changing, and something else differs", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":2,"n":1}`, `{"m":2,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":2,"n":3}`, `{"m":2,"n":4}`},
			conclusionCase{Differences: []string{`/m | value | 1 | 2`}, Unstable: []string{"v6 /n"},
				Comparable: true, Valued: true}),
		Entry("v6 has changed once, and answered once only since", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":1,"n":2}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("v6 has changed once, and v5 answered once only since", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`}, []string{`{"m":1,"n":2}`, `{"m":1,"n":2}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true, Valued: true}),
		Entry("something differs from the second round on", []string{`{"m":1,"n":1}`, `{"m":1,"n":1}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`},
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":1}`}, []string{`{"m":2,"n":2}`, `{"m":2,"n":2}`},
			conclusionCase{Differences: []string{`/m | value | 1 | 2`, `/n | value | 1 | 2`},
				Comparable: true, Valued: true}),
	)

	// What changes within one version must not hide what differs above it between the two.
	DescribeTable("does not let a volatile place hide a difference above it",
		func(v5, v6, again5, again6 []string, difference string) {
			conclusion := parity.Rule{}.Conclude(callsOfVersions(v5, v6), callsOfVersions(again5, again6))
			Expect(differenceLines(conclusion.Differences)).To(ContainElement(difference))
		},
		Entry("v5 served with an unstable member, v6 refused", []string{`{"n":1}`, `{"n":2}`}, []string{``, ``},
			[]string{`{"n":3}`, `{"n":4}`}, []string{``, ``}, ` | served against refused | {"n":4} | absent`),
		Entry("v5 served with a member that settled, v6 refused", []string{`{"n":1}`, `{"n":2}`}, []string{``, ``},
			[]string{`{"n":2}`, `{"n":2}`}, []string{``, ``}, ` | served against refused | {"n":2} | absent`),
		Entry("one record against a list, a member volatile in both", []string{`{"Id":"a","n":1}`, `{"Id":"a","n":2}`},
			[]string{`[{"Id":"a","n":1}]`, `[{"Id":"a","n":2}]`},
			nil, nil, ` | type | {"Id":"a","n":2} | [{"Id":"a","n":2}]`),
		Entry("a device with an unstable member against null", []string{`{"Device":{"n":1}}`, `{"Device":{"n":2}}`},
			[]string{`{"Device":null}`, `{"Device":null}`},
			[]string{`{"Device":{"n":3}}`, `{"Device":{"n":4}}`}, []string{`{"Device":null}`, `{"Device":null}`},
			`/Device | type | {"n":4} | null`),
		Entry("a device with a member that settled against none", []string{`{"Device":{"n":1}}`, `{"Device":{"n":2}}`},
			[]string{`{}`, `{}`},
			[]string{`{"Device":{"n":2}}`, `{"Device":{"n":2}}`}, []string{`{}`, `{}`},
			`/Device | member missing | {"n":2} | absent`),
		Entry("a record with an unstable member that v6 lacks",
			[]string{`[{"Id":"a","n":1},{"Id":"b"}]`, `[{"Id":"a","n":2},{"Id":"b"}]`},
			[]string{`[{"Id":"b"}]`, `[{"Id":"b"}]`},
			[]string{`[{"Id":"a","n":3},{"Id":"b"}]`, `[{"Id":"a","n":4},{"Id":"b"}]`},
			[]string{`[{"Id":"b"}]`, `[{"Id":"b"}]`},
			`/0 | element missing | {"Id":"a","n":4} | absent`),
	)

	It("leaves out what stands below a volatile place", func() {
		c := callsOfVersions([]string{`{"m":1,"Device":null}`, `{"m":1,"Device":{"n":1}}`},
			[]string{`{"m":1,"Device":null}`, `{"m":1,"Device":{"n":2}}`})
		Expect(caseOf(parity.Rule{}.Conclude(c, parity.Calls{}))).To(
			Equal(conclusionCase{Volatile: []string{"/Device"}, Comparable: true, Valued: true}.filled()))
	})

	It("compares identifiers as multisets", func() {
		c := callsOf(schemas.FindByUserIDs, []string{`["a","b"]`, `["b","a"]`}, []string{`["b","a"]`, `["b","a","a"]`})
		conclusion := parity.Rule{}.Conclude(c, callsOf(schemas.FindByUserIDs,
			[]string{`["a","b"]`}, []string{`["b","a","a"]`}))
		Expect(caseOf(conclusion)).To(Equal(conclusionCase{Volatile: []string{"/*"},
			Comparable: true, Valued: true}.filled()))
	})

	It("leaves out only the identifier that comes and goes in both versions", func() {
		c := callsOf(schemas.FindByUserIDs, []string{`["a","b","v"]`, `["a","b"]`}, []string{`["a","v"]`, `["a"]`})
		conclusion := parity.Rule{}.Conclude(c, parity.Calls{})
		Expect(caseOf(conclusion)).To(Equal(conclusionCase{Differences: []string{`/1 | element missing | "b" | absent`},
			Volatile: []string{"/*"}, Comparable: true, Valued: true}.filled()))
	})

	It("takes lists of new identifiers at each call, in both versions, for volatile", func() {
		c := callsOf(schemas.FindByUserIDs, []string{`["a1"]`, `["a2"]`, `["a3"]`},
			[]string{`["b1"]`, `["b2"]`, `["b3"]`})
		Expect(parity.Rule{}.OneSided(c)).To(BeFalse())
		Expect(caseOf(parity.Rule{}.Conclude(c, parity.Calls{}))).To(
			Equal(conclusionCase{Volatile: []string{"/*"}, Comparable: true}.filled()))
	})

	It("finds fault with an identifier that keeps coming and going in one version only", func() {
		c := callsOf(schemas.FindByUserIDs, []string{`["a"]`, `["a","b"]`, `["a"]`},
			[]string{`["a"]`, `["a"]`, `["a"]`})
		Expect(parity.Rule{}.OneSided(c)).To(BeTrue())
		again := callsOf(schemas.FindByUserIDs, []string{`["a","b"]`, `["a"]`}, []string{`["a"]`, `["a"]`})
		Expect(parity.Rule{}.Conclude(c, again).Unstable).To(HaveLen(1))
	})

	It("does not let identifiers that come and go in both hide another that v6 lacks", func() {
		c := callsOf(schemas.FindByUserIDs, []string{`["a","b"]`, `["a","b","c"]`}, []string{`["a"]`, `["a","c"]`})
		conclusion := parity.Rule{}.Conclude(c, parity.Calls{})
		Expect(differenceLines(conclusion.Differences)).To(Equal([]string{`/1 | element missing | "b" | absent`}))
	})

	It("takes lists that are new at each call in both for volatile", func() {
		c := callsOf(schemas.FindByUserIDs, []string{`["a"]`, `["b"]`}, []string{`["c"]`, `["d"]`})
		Expect(parity.Rule{}.OneSided(c)).To(BeFalse())
		Expect(caseOf(parity.Rule{}.Conclude(c, parity.Calls{}))).To(
			Equal(conclusionCase{Volatile: []string{"/*"}, Comparable: true}.filled()))
	})

	// No vacuous pass: where nothing is left to compare, nothing was compared.
	DescribeTable("has no values to compare where all of them are ignored",
		func(rule parity.Rule, op schemas.Operation, five, six string) {
			conclusion := rule.Conclude(callsOf(op, []string{five, five}, []string{six, six}), parity.Calls{})
			Expect(caseOf(conclusion)).To(Equal(conclusionCase{Comparable: true}.filled()))
		},
		Entry("each identifier, and they differ", ruleIgnoring("/*"), schemas.FindByUserIDs, `["a"]`, `["b"]`),
		Entry("each identifier, and they do not", ruleIgnoring("/*"), schemas.FindByUserIDs, `["a"]`, `["a"]`),
		Entry("each member", ruleIgnoring("/n", "/m"), schemas.GetUserAuth, `{"n":1,"m":1}`, `{"n":2,"m":2}`),
		Entry("each record", ruleIgnoring("/*"), schemas.GetUserAuth, `[{"Id":"a"}]`, `[{"Id":"b"}]`),
		Entry("each member of as many records", ruleIgnoring("/*/Id", "/*/n"), schemas.GetUserAuth,
			`[{"Id":"a","n":1}]`,
			`[{"Id":"a","n":2}]`),
		Entry("each member of as many records without an Id", ruleIgnoring("/*/n"), schemas.GetUserAuth,
			`[{"n":1},{"n":2}]`,
			`[{"n":3},{"n":4}]`),
	)

	DescribeTable("has no values to compare where every value differs in shape",
		func(five, six string, differences ...string) {
			conclusion := parity.Rule{}.Conclude(callsOf(schemas.GetUserAuth, []string{five, five}, []string{six, six}),
				parity.Calls{})
			Expect(caseOf(conclusion)).To(Equal(conclusionCase{Differences: differences, Comparable: true}.filled()))
		},
		Entry("the only member", `{"n":1}`, `{"n":"1"}`, `/n | type | 1 | "1"`),
		Entry("within an object", `{"Device":{"n":1}}`, `{"Device":{"n":"1"}}`, `/Device/n | type | 1 | "1"`),
		Entry("no member in common", `{"n":1}`, `{"m":1}`, `/m | member added | absent | 1`,
			`/n | member missing | 1 | absent`),
		Entry("within a list", `{"list":[1]}`, `{"list":["1"]}`, `/list/0 | type | 1 | "1"`),
	)

	DescribeTable("has values to compare where some value has the same shape",
		func(five, six string, differences ...string) {
			conclusion := parity.Rule{}.Conclude(callsOf(schemas.GetUserAuth, []string{five, five}, []string{six, six}),
				parity.Calls{})
			Expect(caseOf(conclusion)).To(Equal(conclusionCase{Differences: differences,
				Comparable: true, Valued: true}.filled()))
		},
		Entry("the Id of records alone", `[{"Id":"a","n":1}]`, `[{"Id":"a","n":"1"}]`, `/0/n | type | 1 | "1"`),
		Entry("beside one that has not", `{"m":1,"n":1}`, `{"m":1,"n":"1"}`, `/n | type | 1 | "1"`),
		Entry("within an object", `{"Device":{"m":1,"n":1}}`, `{"Device":{"m":1,"n":"1"}}`,
			`/Device/n | type | 1 | "1"`),
		Entry("an empty object", `{"m":{},"n":1}`, `{"m":{},"n":"1"}`, `/n | type | 1 | "1"`),
	)

	DescribeTable(
		"has no values to compare where what is not ignored is volatile, and has where nothing was there to ignore",
		func(rule parity.Rule, op schemas.Operation, five, six []string, expected conclusionCase) {
			Expect(caseOf(rule.Conclude(callsOf(op, five, six), parity.Calls{}))).To(Equal(expected.filled()))
		},
		Entry("one member ignored, the other volatile", ruleIgnoring("/m"), schemas.GetUserAuth,
			[]string{`{"m":1,"n":1}`, `{"m":1,"n":2}`}, []string{`{"m":2,"n":3}`, `{"m":2,"n":4}`},
			conclusionCase{Volatile: []string{"/n"}, Comparable: true}),
		Entry("a record that comes and goes, and no other", parity.Rule{}, schemas.GetUserAuth,
			[]string{`[]`, `[{"Id":"a"}]`}, []string{`[]`, `[{"Id":"a"}]`},
			conclusionCase{Volatile: []string{"/*"}, Comparable: true}),
		Entry("an identifier that comes and goes, and is gone", parity.Rule{}, schemas.FindByUserIDs,
			[]string{`["a"]`, `[]`},
			[]string{`["a"]`, `[]`},
			conclusionCase{Volatile: []string{"/*"}, Comparable: true}),
		Entry("an empty list of identifiers", ruleIgnoring("/*"), schemas.FindByUserIDs, []string{`[]`, `[]`},
			[]string{`[]`, `[]`}, conclusionCase{Comparable: true, Valued: true}),
	)

	It("leaves the calls that it was given as they are", func() {
		c := callsOfVersions([]string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, []string{`{"n":1}`, `{"n":1}`, `{"n":1}`})
		c.From, c.To = c.From[:2], c.To[:2]
		parity.Rule{}.Conclude(c, callsOfVersions([]string{`{"n":8}`}, []string{`{"n":9}`}))
		Expect(c.From[:3][2]).To(Equal(recordCall(`{"n":3}`)))
		Expect(c.To[:3][2]).To(Equal(recordCall(`{"n":1}`)))
	})
})

var _ = Describe("A rule of parity", func() {
	DescribeTable("tells whether something changed in one version only",
		func(op schemas.Operation, v5, v6 []string, expected bool) {
			Expect(parity.Rule{}.OneSided(callsOf(op, v5, v6))).To(Equal(expected))
		},
		Entry("a value in v5, and records that come and go in both", schemas.GetUserAuth,
			[]string{`[{"Id":"a","n":1},{"Id":"b"}]`, `[{"Id":"a","n":2},{"Id":"c"}]`},
			[]string{`[{"Id":"a","n":1},{"Id":"d"}]`, `[{"Id":"a","n":1},{"Id":"e"}]`}, true),
		Entry("records that come and go in both", schemas.GetUserAuth,
			[]string{`[{"Id":"a"},{"Id":"x"}]`, `[{"Id":"b"},{"Id":"x"}]`},
			[]string{`[{"Id":"c"},{"Id":"x"}]`, `[{"Id":"d"},{"Id":"x"}]`}, false),
		Entry("a member in v5, the object that has it in v6", schemas.GetUserAuth,
			[]string{`{"d":{"c":{"x":1}}}`, `{"d":{"c":{"x":2}}}`}, []string{`{"d":{"c":{"x":1}}}`,
				`{"d":null}`}, false),
		Entry("two members in v5, the object that has them in v6", schemas.GetUserAuth,
			[]string{`{"d":{"c":{"x":1,"y":1}}}`, `{"d":{"c":{"x":2,"y":2}}}`},
			[]string{`{"d":{"c":{"x":1,"y":1}}}`, `{"d":null}`}, false),
		Entry("identifiers that go, and one that is written in another way, in both", schemas.FindByUserIDs,
			[]string{`["g1","abcdabcd-0000-4000-8000-000000000001"]`, `["ABCDABCD-0000-4000-8000-000000000001"]`},
			[]string{`["g2","abcdabcd-0000-4000-8000-000000000001"]`,
				`["ABCDABCD-0000-4000-8000-000000000001"]`}, false),
	)

	DescribeTable("has values to compare beside a volatile one", func(member string) {
		conclusion := parity.Rule{}.Conclude(callsOfVersions([]string{`{"n":1,` + member + `}`,
			`{"n":2,` + member + `}`},
			[]string{`{"n":3,` + member + `}`, `{"n":4,` + member + `}`}), callsOfVersions(nil, nil))
		Expect(conclusion.Valued).To(BeTrue())
	},
		Entry("in a list", `"x":[1]`), Entry("in a list of an object", `"x":{"y":[{"z":1}]}`),
		Entry("an empty list", `"x":[]`), Entry("an empty object", `"x":{}`), Entry("null", `"x":null`),
	)

	It("finds nothing changed where one version was not asked", func() {
		Expect(parity.Rule{}.AllEqual(callsOfVersions(nil, []string{`{"n":1}`}))).To(BeTrue())
	})

	It("has no values to compare in equal answers of which everything is ignored", func() {
		same := callsOfVersions([]string{`{"n":1}`}, []string{`{"n":1}`})
		Expect(caseOf(ruleIgnoring("/n").Identical(same))).To(Equal(conclusionCase{Comparable: true}.filled()))
		Expect(caseOf(ruleIgnoring("/m").Identical(same))).To(Equal(conclusionCase{Comparable: true,
			Valued: true}.filled()))
	})

	It("matches an index with *, and no name", func() {
		Expect(parity.Matches("/*/n", "/7/n")).To(BeTrue())
		Expect(parity.Matches("/*/n", "/a/n")).To(BeFalse())
	})

	It("matches each GUID of a list with one that is written in another way, once", func() {
		const a, b, c, d = "abcdabcd-0000-4000-8000-000000000001", "ABCDABCD-0000-4000-8000-000000000001",
			"abcdABCD-0000-4000-8000-000000000001", "ABCDabcd-0000-4000-8000-000000000001"
		found := parity.Identifiers([]any{a, b}, []any{c, d})
		Expect(found).To(HaveLen(2))
		for _, f := range found {
			Expect(f.Kind).To(Equal(parity.Representation))
		}
	})
})
