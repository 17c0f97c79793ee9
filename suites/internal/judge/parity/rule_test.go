package parity_test

import (
	"encoding/json"
	"path/filepath"
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

// answeredCase is what two versions answered and what a rule concludes of it, in testdata/conclude.yaml.
type answeredCase struct {
	Name           string
	Operation      schemas.Operation // "" for getUserAuth
	ShapeOnly      bool              `yaml:"shapeOnly"`
	Ignore         []string
	InOne          []string `yaml:"inOne"`
	V5, V6         []string
	Again5, Again6 []string // of the second round
	concluded      `yaml:",inline"`
	OneSided       bool `yaml:"oneSided"`
}

// concluded is a conclusion in texts.
type concluded struct {
	Differences, Unstable, Volatile []string
	Comparable, Valued              bool
}

func concludedOf(c parity.Conclusion) concluded {
	return concluded{differenceLines(c.Differences), unstableLines(c.Unstable), c.Volatile, c.Comparable, c.Valued}
}

var _ = Describe("Two versions are compared", func() {
	for _, c := range testkit.Cases[answeredCase](filepath.Join("testdata", "conclude.yaml")) {
		It(c.Name, func() {
			rule := ruleIgnoring(c.Ignore...)
			rule.ShapeOnly, rule.InOne = c.ShapeOnly, c.InOne
			first := callsOf(c.Operation, c.V5, c.V6)
			Expect(concludedOf(rule.Conclude(first, callsOf(c.Operation, c.Again5, c.Again6)))).To(Equal(c.concluded))
			Expect(rule.OneSided(first)).To(Equal(c.OneSided))
		})
	}

	It("leaves the calls that it was given as they are", func() {
		c := callsOfVersions([]string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, []string{`{"n":1}`, `{"n":1}`, `{"n":1}`})
		c.From, c.To = c.From[:2], c.To[:2]
		parity.Rule{}.Conclude(c, callsOfVersions([]string{`{"n":8}`}, []string{`{"n":9}`}))
		Expect(c.From[:3][2]).To(Equal(recordCall(`{"n":3}`)))
		Expect(c.To[:3][2]).To(Equal(recordCall(`{"n":1}`)))
	})
})

var _ = Describe("A rule of parity", func() {
	It("finds nothing changed where one version was not asked", func() {
		Expect(parity.Rule{}.AllEqual(callsOfVersions(nil, []string{`{"n":1}`}))).To(BeTrue())
	})

	It("has no values to compare in equal answers of which everything is ignored", func() {
		same := callsOfVersions([]string{`{"n":1}`}, []string{`{"n":1}`})
		Expect(concludedOf(ruleIgnoring("/n").Identical(same))).To(Equal(concluded{Comparable: true}))
		Expect(concludedOf(ruleIgnoring("/m").Identical(same))).To(Equal(concluded{Comparable: true, Valued: true}))
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
