package parity_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("Matches",
	func(pattern, pointer string, expected bool) {
		Expect(parity.Matches(pattern, pointer)).To(Equal(expected))
	},
	testkit.Entries("matches"),
)

var _ = DescribeTable("Alike and OneSided",
	func(rule parity.Rule, v5, v6 []string, allEqual, oneSided bool) {
		c := callsOfVersions(v5, v6)
		Expect(rule.AllEqual(c)).To(Equal(allEqual), "alike")
		Expect(rule.OneSided(c)).To(Equal(oneSided), "one-sided")
	},
	Entry("all the same", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{`{"n":1}`, `{"n":1}`}, true, false),
	Entry("the same in another writing", parity.Rule{}, []string{`{"n":1,"m":2}`, `{"m":2,"n":1.0}`},
		[]string{`{"n":1,"m":2}`, `{"n":1e0,"m":2}`}, true, false),
	Entry("v6 is another", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{`{"n":2}`, `{"n":2}`}, false, false),
	Entry("both change", parity.Rule{}, []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":3}`, `{"n":4}`}, false, false),
	Entry("both change, and end alike", parity.Rule{}, []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":1}`, `{"n":2}`},
		false, false),
	Entry("v5 changes", parity.Rule{}, []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":2}`, `{"n":2}`}, false, true),
	Entry("v6 changes", parity.Rule{}, []string{`{"n":2}`, `{"n":2}`}, []string{`{"n":1}`, `{"n":2}`}, false, true),
	Entry("v6 changes and changes back", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`, `{"n":1}`},
		[]string{`{"n":1}`, `{"n":2}`, `{"n":1}`}, false, true),
	Entry("each changes elsewhere", parity.Rule{}, []string{`{"n":1,"m":1}`, `{"n":2,"m":1}`},
		[]string{`{"n":1,"m":1}`, `{"n":1,"m":2}`}, false, true),
	Entry("a member comes and goes in v5", parity.Rule{}, []string{`{"n":1}`, `{}`}, []string{`{"n":1}`, `{"n":1}`},
		false, true),
	Entry("v5 is refused once", parity.Rule{}, []string{`{"n":1}`, ``}, []string{`{"n":1}`, `{"n":1}`}, false, true),
	Entry("each is refused once", parity.Rule{}, []string{`{"n":1}`, ``}, []string{``, `{"n":1}`}, false, false),
	Entry("v6 is refused always", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{``, ``}, false, false),
	Entry("both are refused always", parity.Rule{}, []string{``, ``}, []string{``, ``}, true, false),
	Entry("values, compared by shape", parity.Rule{ShapeOnly: true}, []string{`{"n":1}`, `{"n":2}`},
		[]string{`{"n":3}`, `{"n":3}`}, true, false),
	Entry("a type, compared by shape", parity.Rule{ShapeOnly: true}, []string{`{"n":1}`, `{"n":"1"}`},
		[]string{`{"n":3}`, `{"n":3}`}, false, true),
	Entry("null against absent, compared by shape", parity.Rule{ShapeOnly: true}, []string{`{"n":null}`, `{"n":null}`},
		[]string{`{}`, `{}`}, false, false),
	Entry("an ignored place", ruleIgnoring("/n"), []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":3}`, `{}`}, true,
		false),
	Entry("another place is ignored", ruleIgnoring("/m"), []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":3}`,
		`{"n":3}`},
		false, true),
	Entry("an ignored place in each record", ruleIgnoring("/*/n"),
		[]string{`[{"Id":"a","n":1},{"Id":"b","n":1}]`, `[{"Id":"a","n":1},{"Id":"b","n":2}]`},
		[]string{`[{"Id":"b","n":1},{"Id":"a","n":9}]`, `[{"Id":"b","n":1},{"Id":"a","n":9}]`}, true, false),
	Entry("what is ignored in a list is not in a record", ruleIgnoring("/*/n"), []string{`{"n":1}`, `{"n":1}`},
		[]string{`{"n":2}`, `{"n":2}`}, false, false),
	Entry("one call each", parity.Rule{}, []string{`{"n":1}`}, []string{`{"n":1}`}, true, false),
	Entry("one version brought no answer", parity.Rule{}, []string{`{"n":1}`, `{"n":1}`}, []string{}, true, false),
)

var _ = Describe("A call that has let go of its value", func() {
	It("is decoded again from its body", func() {
		one := parity.Calls{Operation: schemas.GetUserAuth,
			From: []parity.Call{{Served: true, Body: []byte(`{"n":9007199254740993}`)}},
			To:   []parity.Call{{Served: true, Value: map[string]any{"n": json.Number("9007199254740992")}}}}
		Expect(differenceLines(parity.Rule{}.Conclude(one, parity.Calls{}).Differences)).To(Equal(
			[]string{"/n | value | 9007199254740993 | 9007199254740992"}))
	})
	It("was read before: one that can't be read again is a defect of the suite", func() {
		one := parity.Calls{Operation: schemas.GetUserAuth, From: []parity.Call{{Served: true, Body: []byte(`{`)}},
			To: []parity.Call{{Served: true, Body: []byte(`{}`)}}}
		Expect(func() { parity.Rule{}.Conclude(one, parity.Calls{}) }).To(
			PanicWith(ContainSubstring("can't be decoded again")))
	})
	It("may have been the JSON text null, which is no list and no record", func() {
		one := parity.Calls{Operation: schemas.FindByUserIDs,
			From: []parity.Call{{Served: true, Value: []any{}, Body: []byte(`[]`)}},
			To:   []parity.Call{{Served: true, Body: []byte(`null`)}}}
		Expect(differenceLines(parity.Rule{}.Conclude(one, parity.Calls{}).Differences)).To(
			Equal([]string{" | type | [] | null"}))
	})
})

var _ = Describe("An ignored place", func() {
	used := func(rule parity.Rule, v5, v6 string) []bool {
		rule.Conclude(callsOfVersions([]string{v5, v5}, []string{v6, v6}), parity.Calls{})
		var list []bool
		for _, i := range rule.Ignored {
			list = append(list, i.Used())
		}
		return list
	}
	It("reports whether it hid a difference", func() {
		Expect(used(ruleIgnoring("/n", "/m", "/Device"), `{"n":1,"m":1,"Device":{"x":1}}`,
			`{"n":2,"m":1,"Device":{}}`)).To(
			Equal([]bool{true, false, true}))
	})
	It("shares what it hid with another place above it", func() {
		Expect(used(ruleIgnoring("/Device", "/Device/x"), `{"Device":{"x":1}}`, `{"Device":{"x":2}}`)).To(
			Equal([]bool{true, true}))
	})
	It("hid nothing before anything was compared", func() {
		Expect(ruleIgnoring("/n").Ignored[0].Used()).To(BeFalse())
	})
})
