package parity_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("Whether the pointer of a setting matches a place is right for",
	func(pattern, pointer string, expected bool) {
		Expect(parity.Matches(pattern, pointer)).To(Equal(expected))
	},
	testkit.Entries("matches"),
)

var _ = DescribeTable("Whether calls are alike, and whether one version alone changes, is right if",
	func(shapeOnly bool, ignored, v5, v6 []string, allEqual, oneSided bool) {
		rule := ruleIgnoring(ignored...)
		rule.ShapeOnly = shapeOnly
		c := callsOfVersions(v5, v6)
		Expect(rule.AllEqual(c)).To(Equal(allEqual), "alike")
		Expect(rule.OneSided(c)).To(Equal(oneSided), "one-sided")
	},
	testkit.Entries("alike"),
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

var _ = Describe("Calls that all brought the same", func() {
	DescribeTable("are concluded undecoded, as decoded ones are",
		func(rule parity.Rule, v5, v6 []string) {
			c := callsOfVersions(v5, v6)
			Expect(rule.Identical(c)).To(Equal(rule.Conclude(c, parity.Calls{})))
		},
		Entry("served", parity.Rule{}, []string{`{"a":1}`}, []string{`{"a":1}`}),
		Entry("served, by shape", parity.Rule{ShapeOnly: true}, []string{`{"a":1}`}, []string{`{"a":1}`}),
		Entry("refused", parity.Rule{}, []string{""}, []string{""}),
		Entry("one version not asked", parity.Rule{}, []string{`{"a":1}`}, nil),
		Entry("the other not asked", parity.Rule{}, nil, []string{`{"a":1}`}),
	)
})
