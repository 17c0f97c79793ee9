package parity_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/testkit"
)

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
