package ledger_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The rows of a run", func() {
	count := func(l *ledger.Ledger, keep func(*ledger.Row) bool) int {
		n := 0
		for _, row := range l.Rows() {
			if keep(row) {
				n++
			}
		}
		return n
	}
	ofParity := func(row *ledger.Row) bool { return row.Version == schemas.Parity }

	DescribeTable("are those that its settings leave",
		func(versions []schemas.Version, shapeOnly, divergenceFails bool, parityRows int) {
			l := ledger.New(testkit.Suite(), spec.Options{Versions: versions, ShapeOnly: shapeOnly,
				DivergenceFails: divergenceFails})
			documented := 0
			for _, q := range testkit.Contract().Requirements {
				if q.Kind == schemas.Documented && !q.Parity {
					documented++
				}
			}
			Expect(count(l, ofParity)).To(Equal(parityRows))
			Expect(l.Rows()).To(HaveLen(documented*len(versions) + parityRows))
			for _, row := range l.Rows() {
				Expect(row.Requirement.Kind).To(Equal(schemas.Documented))
				Expect(row.Requirement.ID).To(Equal(row.ID))
				Expect(l.Row(row.Key)).To(BeIdenticalTo(row))
				Expect(row.Selected).To(BeTrue())
			}
		},
		Entry("both versions", schemas.Versions(), false, false, 4),
		Entry("compared by shape", schemas.Versions(), true, false, 2),
		Entry("divergence fails", schemas.Versions(), false, true, 6),
		Entry("by shape, divergence fails", schemas.Versions(), true, true, 4),
		Entry("v5 alone", []schemas.Version{schemas.V5}, false, true, 0),
		Entry("v6 alone", []schemas.Version{schemas.V6}, false, false, 0),
	)

	It("lack those that can't be observed", func() {
		excluded := newLedger().Excluded()
		Expect(excluded).NotTo(BeEmpty())
		for _, q := range excluded {
			Expect(q.Reason).NotTo(BeEmpty())
			Expect(newLedger().Row(ledger.Key{ID: q.ID, Version: schemas.V5})).To(BeNil())
		}
	})
})

var _ = DescribeTable("The verdict of a row",
	func(witnesses, findings int, selected bool, verdict ledger.Verdict) {
		l := newLedger()
		row := rowAt(l, "2.1/Id", schemas.V5)
		outcome := check.Outcome{Witnesses: witnesses}
		for range findings {
			outcome.Find(check.Finding{Kind: "k"})
		}
		Expect(l.Merge(row.Key, outcome)).To(Succeed())
		if !selected {
			l.Select(nil)
		}
		Expect(row.Verdict()).To(Equal(verdict))
	},
	Entry("no finding and a witness", 1, 0, true, ledger.Pass),
	Entry("a finding", 0, 1, true, ledger.Fail),
	Entry("a finding among many witnesses", 1000, 1, true, ledger.Fail),
	Entry("nothing seen is no pass", 0, 0, true, ledger.Inconclusive),
	Entry("left out", 1, 0, false, ledger.Inconclusive),
	Entry("left out with a finding", 0, 1, false, ledger.Inconclusive),
)

var _ = Describe("Why a row is inconclusive", func() {
	reason := func(l *ledger.Ledger, id string, v schemas.Version) ledger.Reason { return rowAt(l, id, v).Reason }
	served := spec.Outcomes{"4/getUserAuth/served": {Witnesses: 1}}
	refused := spec.Outcomes{"4/getUserAuth/served": {Count: 1, Findings: []check.Finding{{Kind: "status"}}}}

	It("is that no record witnessed it, where the operation was served", func() {
		l := newLedger()
		Expect(l.Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", served))).To(Succeed())
		l.Close(true)
		Expect(reason(l, "2.1/Id", schemas.V5)).To(Equal(ledger.NoWitness))
		Expect(reason(l, "4.1/Id/required", schemas.V5)).To(Equal(ledger.NotServed),
			"no answer told enough to send its probes")
		Expect(reason(l, "4/getUserAuth/served", schemas.V5)).To(BeEmpty(), "a row that passes has none")
		Expect(reason(l, "9.3/getUserAuth/values", schemas.Parity)).To(Equal(ledger.NotComparable))
	})
	It("is that nothing was served in its own version and operation", func() {
		l := newLedger()
		Expect(l.Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", served))).To(Succeed())
		l.Close(true)
		Expect(reason(l, "2.3/identifiers", schemas.V5)).To(Equal(ledger.NotServed))
		Expect(reason(l, "2.1/Id", schemas.V6)).To(Equal(ledger.NotServed))
	})
	It("is that a filter left it out", func() {
		l := newLedger()
		l.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V5}: true})
		Expect(l.Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", refused))).To(Succeed())
		l.Close(true)
		Expect(reason(l, "4/getUserAuth/served", schemas.V5)).To(Equal(ledger.NotRun))
		Expect(reason(l, "9.3/getUserAuth/values", schemas.Parity)).To(Equal(ledger.NotRun))
		Expect(l.Complete()).To(BeFalse())
	})
})

var _ = Describe("A ledger of a run that did not end", func() {
	It("says of what was not judged that it was not run, and keeps what was", func() {
		l := failRow(newLedger(), "2.1/Id", schemas.V6)
		Expect(l.Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", spec.Outcomes{"2.1/Id": {Witnesses: 1}}))).To(
			Succeed())
		l.Close(false)
		Expect(rowAt(l, "2.1/Id", schemas.V5).Verdict()).To(Equal(ledger.Pass))
		Expect(rowAt(l, "2.1/Id", schemas.V6).Verdict()).To(Equal(ledger.Fail))
		for _, row := range l.Rows() {
			if row.ID != "2.1/Id" {
				Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
			}
		}
		Expect(l.Complete()).To(BeFalse())
	})
})

var _ = Describe("A ledger", func() {
	It("is complete where no row was left out", func() {
		l := passEveryRow(newLedger())
		l.Close(true)
		Expect(l.Complete()).To(BeTrue())
	})
	It("is complete with rows that failed or that nothing witnessed: they were judged", func() {
		l := failRow(newLedger(), "2.1/Id", schemas.V5)
		Expect(l.Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", spec.Outcomes{}))).To(Succeed())
		l.Close(true)
		Expect(l.Complete()).To(BeTrue())
	})
	It("is not complete with one row left out", func() {
		l := passEveryRow(newLedger())
		keys := map[ledger.Key]bool{}
		for _, row := range l.Rows()[1:] {
			keys[row.Key] = true
		}
		l.Select(keys)
		l.Close(true)
		Expect(l.Complete()).To(BeFalse())
	})
	It("takes a row that it lacks for a defect of the suite", func() {
		for _, id := range []string{"2.1/Nothing", "open/2/flags", "9.3/getUserAuth/divergence"} {
			err := newLedger().Add(judgementOf(schemas.GetUserAuth, schemas.V5, "u", spec.Outcomes{id: {Witnesses: 1}}))
			Expect(err).To(MatchError(And(ContainSubstring("defect of the suite"), ContainSubstring(id))))
		}
	})
	It("does not compare values where only shapes count, and takes such a finding for a defect", func() {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions(), ShapeOnly: true})
		nobody := settings.User{}
		pair := schemas.Pair{From: schemas.V5, To: schemas.V6}
		same := &check.Comparison{Pair: pair, Conclusion: parity.Conclusion{Comparable: true}, ShapeOnly: true}
		Expect(l.Compare(schemas.GetUserAuth, nobody, same)).To(Succeed())
		Expect(rowAt(l, "9.3/getUserAuth/shape", schemas.Parity).Witnesses).To(Equal(1))
		other := &check.Comparison{Pair: pair, ShapeOnly: true,
			Conclusion: parity.Conclusion{Differences: []parity.Difference{{Kind: parity.Value}}}}
		Expect(l.Compare(schemas.GetUserAuth, nobody, other)).To(MatchError(ContainSubstring("defect")))
	})
	It("lists a volatile place once, however many users show it, and each operation's for itself", func() {
		l := newLedger()
		for range 5 {
			l.AddVolatile(schemas.GetUserAuth, "/Comment")
			l.AddVolatile(schemas.FindByUserIDs, "/*")
		}
		Expect(l.Volatile).To(ConsistOf(
			ledger.Volatile{Operation: schemas.GetUserAuth, Pointer: "/Comment"},
			ledger.Volatile{Operation: schemas.FindByUserIDs, Pointer: "/*"}))
	})
})
