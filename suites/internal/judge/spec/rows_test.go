package spec_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = It("What each row is judged in, sends and compares is what a file lists", func() {
	var text strings.Builder
	contract := testkit.WithSeventh()
	suite, reduced := testkit.SuiteOf(contract), testkit.SuiteOf(contract).WellFormedOnly().Requirements()
	every := spec.Options{Versions: contract.Versions, DivergenceFails: true}
	for _, r := range suite.Requirements() {
		fmt.Fprintf(&text, "%s: %v", r.ID, r.Versions(every))
		if !slices.Equal(r.Versions(every), r.Versions(spec.Options{Versions: contract.Versions, ShapeOnly: true})) {
			text.WriteString(", not always")
		}
		fmt.Fprintf(&text, ", in one alone: %d", len(r.Versions(spec.Options{Versions: contract.Versions[:1]})))
		if slices.ContainsFunc(reduced, func(other *spec.Requirement) bool { return other.ID == r.ID }) {
			text.WriteString(", in a sweep")
		}
		for _, op := range schemas.Operations() {
			if r.Order != nil && slices.Contains(r.Operations, op) {
				fmt.Fprintf(&text, ", order of %s", op)
			}
		}
		if r.Kind == schemas.Open {
			fmt.Fprintf(&text, ", or %s", strings.Join(r.Observed(nil).Parts(check.AsSent{}, 3), "; "))
		}
		text.WriteString("\n")
	}
	for _, op := range schemas.Operations() {
		for _, v := range contract.Versions {
			fmt.Fprintf(&text, "%s of %s is sent %v\n", op, v,
				suite.Mutations(op, v, func(r *spec.Requirement) bool { return r.In(v) }))
			p := exchange.Probe{Operation: op, Version: v, Kind: exchange.Absent, Field: "ApplicationId"}
			fmt.Fprintln(&text, " ", rowsAskedBy(suite, p))
		}
		fmt.Fprintf(&text, "%s is compared by %s and %s:", op, suite.ParityRequirementID(op, true),
			suite.ParityRequirementID(op, false))
		for _, r := range suite.ParityRequirements(op) {
			text.WriteString(" " + r.ID)
		}
		text.WriteString("\n")
	}
	testkit.ExpectGolden("testdata/rows.txt", text.String())
	p := wellFormedProbe(schemas.GetUserAuth)
	p.Version, p.Segment = "v7", "v7"
	Expect(witnessesOf(suite.Judge(answeredExchange(p, 200, `{"Id":null,"Colour":"red"}`)))).To(
		ContainElement("2.1/Colour"))
})

func rowsAskedBy(suite *spec.Suite, p exchange.Probe) (ids []string) {
	for _, r := range suite.Requirements() {
		if r.Asks(p) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

var _ = It("At which open points answers could show something is what a file lists", func() {
	var text strings.Builder
	for _, c := range testkit.Cases[answerCase](filepath.Join("testdata", "answers.yaml")) {
		j := testkit.Suite().Judge(c.newExchange())
		fmt.Fprintf(&text, "%s, for which none counts %v\n", c.Name, j.Observed())
	}
	testkit.ExpectGolden("testdata/observed.txt", text.String())
})

var _ = It("A field is changed only in the requests of versions that have it",
	func() {
		suite := testkit.SuiteOf(testkit.EditionWith(map[string]func(string) string{
			"find-by-user-ids-request.schema.json": strings.NewReplacer(`"ApplicationId": {`,
				`"ApplicationId": {"until": "v5",`).Replace,
		}))
		changes := func(op schemas.Operation, v schemas.Version) bool {
			all := suite.Mutations(op, v, func(*spec.Requirement) bool { return true })
			return slices.Contains(all, spec.Null("ApplicationId"))
		}
		Expect([]bool{changes(spec.FindByUserIds, schemas.V5), changes(spec.FindByUserIds, schemas.V6),
			changes(spec.GetUserAuth, schemas.V6)}).To(HaveExactElements(true, false, true))
	})
