package ledger_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

func TestLedger(t *testing.T) { testkit.Specs(t, "ledger") }

var (
	pair  = schemas.Pair{From: schemas.V5, To: schemas.V6}
	alice = exchange.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "alice", Enrolled: true}
	bob   = exchange.User{ID: "9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4a", UserID: "bob", Enrolled: true}
	carol = exchange.User{ID: "9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4b", UserID: "carol"}
)

// identifiers are the answers of both versions to findByUserIds.
var identifiers = []string{`["` + alice.ID + `"]`, `["` + alice.ID + `"]`}

// newLedger is a ledger of both versions with every row but those of divergence.
func newLedger() *ledger.Ledger {
	return ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions()})
}

func rowAt(l *ledger.Ledger, id string, v schemas.Version) *ledger.Row {
	GinkgoHelper()
	row := l.Row(ledger.Key{ID: id, Version: v})
	Expect(row).NotTo(BeNil(), "%s of %s", id, v)
	return row
}

// passEveryRow witnesses every row of a ledger.
func passEveryRow(l *ledger.Ledger) *ledger.Ledger {
	GinkgoHelper()
	for _, row := range l.Rows() {
		Expect(l.Merge(row.Key, check.Outcome{Witnesses: 1})).To(Succeed())
	}
	return l
}

// failRow adds a finding to a row.
func failRow(l *ledger.Ledger, id string, v schemas.Version) *ledger.Ledger {
	GinkgoHelper()
	var outcome check.Outcome
	outcome.Find(check.Finding{Kind: "broken", Pointer: "/x", Expected: "right", Actual: "wrong"})
	Expect(l.Merge(ledger.Key{ID: id, Version: v}, outcome)).To(Succeed())
	return l
}

// closeLedger closes a ledger whose run ended.
func closeLedger(l *ledger.Ledger) *ledger.Ledger {
	l.Close(true, false)
	return l
}

// recordOf is a record of a user that shows that it is served (J13).
func recordOf(u exchange.User) string {
	return `{"Id":"` + u.ID + `","UserId":"` + u.UserID + `","Flags":1,"ModeType":2,"IsLocked":true}`
}

// judgeAnswer is the judgement of an answer to a request for a user; "" is a refusal, for which a status of 200 is 403.
func judgeAnswer(p exchange.Probe, status int, body string) *spec.Judgement {
	ex := &exchange.Exchange{Probe: p, Status: status, Duration: time.Millisecond, Header: http.Header{},
		Body: []byte(body)}
	if body == "" {
		ex.Status = 403
	}
	return testkit.Suite().Judge(ex)
}

func wellFormed(u exchange.User, op schemas.Operation, v schemas.Version, round int) exchange.Probe {
	return exchange.Probe{ID: "e", Operation: op, Version: v, User: u, Round: round}
}

func alteredProbe(u exchange.User, kind exchange.Kind, field string) exchange.Probe {
	p := wellFormed(u, schemas.GetUserAuth, schemas.V5, 0)
	p.Kind, p.Field = kind, field
	return p
}

// addAnswers adds what came for a user: a body for each version in turn, "" for a refusal.
func addAnswers(l *ledger.Ledger, u exchange.User, op schemas.Operation, bodies ...string) {
	GinkgoHelper()
	var judgements []*spec.Judgement
	for i, body := range bodies {
		judgements = append(judgements, judgeAnswer(wellFormed(u, op, schemas.Versions()[i%2], 1+i/2), 200, body))
	}
	Expect(l.AddAnswers(u, op, judgements)).To(Succeed())
}

// valueDiffers is a comparison that finds another value of Flags.
func valueDiffers() *check.Comparison {
	return &check.Comparison{Pair: pair, Conclusion: parity.Conclusion{Comparable: true, Valued: true,
		Differences: []parity.Difference{{Kind: parity.Value, Pointer: "/Flags", Left: "1", Right: "2"}}}}
}

var _ = Describe("The rows of a run", func() {
	DescribeTable("are those that its settings leave",
		func(versions []schemas.Version, shapeOnly, divergenceFails bool, parityRows int) {
			l := ledger.New(testkit.Suite(), spec.Options{Versions: versions, ShapeOnly: shapeOnly,
				DivergenceFails: divergenceFails})
			documented, compared := 0, 0
			for _, q := range testkit.Contract().Requirements {
				if q.Kind == schemas.Documented && !q.Parity {
					documented++
				}
			}
			for _, row := range l.Rows() {
				if row.Version == schemas.Parity {
					compared++
				}
				Expect(row.Requirement.Kind).To(Equal(schemas.Documented))
				Expect(row.Requirement.ID).To(Equal(row.ID))
				Expect(l.Row(row.Key)).To(BeIdenticalTo(row))
				Expect(row.Selected).To(BeTrue())
			}
			Expect(compared).To(Equal(parityRows))
			Expect(l.Rows()).To(HaveLen(documented*len(versions) + parityRows))
		},
		Entry("both versions", schemas.Versions(), false, false, 4),
		Entry("compared by shape", schemas.Versions(), true, false, 2),
		Entry("divergence fails", schemas.Versions(), false, true, 6),
		Entry("by shape, divergence fails", schemas.Versions(), true, true, 4),
		Entry("v5 alone", []schemas.Version{schemas.V5}, false, true, 0),
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
		outcome := check.Outcome{Witnesses: witnesses}
		for range findings {
			outcome.Find(check.Finding{Kind: "k"})
		}
		row := rowAt(l, "2.1/Id", schemas.V5)
		Expect(l.Merge(row.Key, outcome)).To(Succeed())
		if !selected {
			l.Select(nil)
		}
		Expect(row.Verdict()).To(Equal(verdict))
	},
	Entry("is pass with a witness and no finding", 1, 0, true, ledger.Pass),
	Entry("is fail with a finding", 0, 1, true, ledger.Fail),
	Entry("is fail with a finding among many witnesses", 1000, 1, true, ledger.Fail),
	Entry("is no pass if nothing was seen", 0, 0, true, ledger.Inconclusive),
	Entry("is inconclusive if it was left out", 1, 0, false, ledger.Inconclusive),
	Entry("is inconclusive if it was left out, also with a finding", 0, 1, false, ledger.Inconclusive),
)

var _ = Describe("Why a row is inconclusive", func() {
	outcomes := func(l *ledger.Ledger, rows spec.Outcomes) *ledger.Ledger {
		GinkgoHelper()
		j := judgeAnswer(wellFormed(alice, schemas.GetUserAuth, schemas.V5, 1), 200, recordOf(alice))
		j.Rows, j.Facts = rows, spec.Facts{}
		Expect(l.Add(j)).To(Succeed())
		return l
	}
	expectReasons := func(l *ledger.Ledger, reasons map[string]ledger.Reason) {
		GinkgoHelper()
		for key, reason := range reasons {
			id, v, _ := strings.Cut(key, " ")
			Expect(rowAt(l, id, schemas.Version(v)).Reason).To(Equal(reason), key)
		}
	}

	It("is that no record witnessed it, or that nothing was served in its own version and operation", func() {
		l := closeLedger(outcomes(newLedger(), spec.Outcomes{"4/getUserAuth/served": {Witnesses: 1}}))
		expectReasons(l, map[string]ledger.Reason{"2.1/Id v5": ledger.NoWitness, "2.1/Id v6": ledger.NotServed,
			"2.3/identifiers v5": ledger.NotServed, "4/getUserAuth/served v5": "", // which passes
			"9.3/getUserAuth/values v5=v6": ledger.NotComparable,
			"4.1/Id/required v5":           ledger.NotServed}) // no answer told enough to send its probes
		Expect(l.Complete()).To(BeFalse(), "rows that nothing witnessed are undecided")
	})

	It("is no witness if a version served somebody, whatever it did afterwards", func() {
		l := newLedger()
		addAnswers(l, alice, schemas.GetUserAuth, `{"UserId":"alice","Flags":1}`, "", "", "")
		expectReasons(closeLedger(l), map[string]ledger.Reason{"2.1/CreatedOn v5": ledger.NoWitness,
			"2.1/CreatedOn v6": ledger.NotServed})
	})

	It("is that a filter left it out", func() {
		l := newLedger()
		l.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V5}: true})
		outcomes(l, spec.Outcomes{"4/getUserAuth/served": {Count: 1, Findings: []check.Finding{{Kind: "status"}}}})
		expectReasons(closeLedger(l), map[string]ledger.Reason{"4/getUserAuth/served v5": ledger.NotRun,
			"9.3/getUserAuth/values v5=v6": ledger.NotRun})
		Expect(l.Complete()).To(BeFalse())
	})

	It("is that the run did not end, also if the ledger is closed again", func() {
		l := outcomes(failRow(newLedger(), "2.1/Id", schemas.V6), spec.Outcomes{"2.1/Id": {Witnesses: 1}})
		l.Close(false, false)
		l.Close(true, false)
		Expect(rowAt(l, "2.1/Id", schemas.V5).Verdict()).To(Equal(ledger.Pass))
		Expect(rowAt(l, "2.1/Id", schemas.V6).Verdict()).To(Equal(ledger.Fail))
		for _, row := range l.Rows() {
			if row.ID != "2.1/Id" {
				Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
			}
		}
		Expect(l.Complete()).To(BeFalse())
	})

	DescribeTable("is that the run did not end, in every row, if a version served nobody in an operation:",
		func(isDiscarded bool, userAuth, found []string) {
			l := failRow(newLedger(), "2.1/Id", schemas.V5)
			addAnswers(l, alice, schemas.GetUserAuth, userAuth...)
			addAnswers(l, alice, schemas.FindByUserIDs, found...)
			l.Close(false, false)
			var judged []string
			for _, row := range l.Rows() {
				if row.Reason != ledger.NotRun {
					judged = append(judged, row.Key.String())
				}
			}
			Expect(len(judged) == 0).To(Equal(isDiscarded), "%q", judged)
		},
		Entry("both refuse everything", true, []string{"", ""}, []string{"", ""}),
		Entry("both serve findByUserIds alone", true, []string{"", ""}, identifiers),
		Entry("v5 serves alone", true, []string{recordOf(alice), ""}, identifiers),
		Entry("both say that there is nothing", true, []string{"[]", "[]"}, []string{"[]", "[]"}),
		Entry("none does", false, []string{recordOf(alice), recordOf(alice)}, identifiers),
	)
})

var _ = Describe("A ledger", func() {
	It("is complete if no row was left out, failed ones included, and not without rows", func() {
		l := closeLedger(failRow(passEveryRow(newLedger()), "2.1/Id", schemas.V5))
		Expect(l.Complete()).To(BeTrue())
		rowAt(l, "2.1/Id", schemas.V5).Selected = false
		Expect(l.Complete()).To(BeFalse())
		Expect(ledger.New(testkit.Suite(), spec.Options{}).Complete()).To(BeFalse())
	})

	It("takes a row that it lacks for a defect of the suite", func() {
		for _, id := range []string{"2.1/Nothing", "open/2/flags", "9.3/getUserAuth/divergence"} {
			j := judgeAnswer(wellFormed(alice, schemas.GetUserAuth, schemas.V5, 1), 200, "[]")
			j.Rows = spec.Outcomes{id: {Witnesses: 1}}
			Expect(newLedger().AddAnswers(alice, schemas.GetUserAuth, []*spec.Judgement{j})).To(
				MatchError(And(ContainSubstring("defect of the suite"), ContainSubstring(id))))
		}
	})

	It("does not compare values if only shapes count, and takes such a finding for a defect", func() {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions(), ShapeOnly: true})
		same := &check.Comparison{Pair: pair, Conclusion: parity.Conclusion{Comparable: true}}
		Expect(l.Compare(schemas.GetUserAuth, alice, same)).To(Succeed())
		Expect(rowAt(l, "9.3/getUserAuth/shape", schemas.Parity).Witnesses).To(Equal(1))
		same.Differences = []parity.Difference{{Kind: parity.Value}}
		Expect(l.Compare(schemas.GetUserAuth, alice, same)).To(MatchError(ContainSubstring("defect")))
	})

	It("adds every comparison", func() {
		l, c := newLedger(), valueDiffers()
		Expect(l.Compare(schemas.GetUserAuth, alice, c, c)).To(Succeed())
		Expect(rowAt(l, "9.3/getUserAuth/values", schemas.Parity).Count).To(Equal(2))
	})
})

// A waiverCase is what waivers do to rows. testdata/waivers.yaml says what its fields mean.
type waiverCase struct {
	Name, Rows string
	Waivers    []struct {
		Verdict, Requirement, Pattern, Where, Until string
		Version                                     schemas.Version
	}
}

var _ = It("Waivers set aside what they say, and those that are stale or without effect say what they need", func() {
	var text strings.Builder
	for _, c := range testkit.Cases[waiverCase]("testdata/waivers.yaml") {
		fmt.Fprintf(&text, "%s (%s)\n", c.Name, c.Rows)
		l := passEveryRow(newLedger())
		keys := []ledger.Key{{ID: "2.1/Id", Version: schemas.V5}, {ID: "2.1/Id", Version: schemas.V6},
			{ID: "2.1/Flags", Version: schemas.V5}, {ID: "2.1/Flags", Version: schemas.V6}}
		for i, state := range c.Rows {
			row := l.Row(keys[i])
			switch state {
			case 'f':
				failRow(l, row.ID, row.Version)
			case 'i':
				row.Witnesses = 0
			case 'n':
				row.Witnesses, row.Reason = 0, ledger.NotRun
			case '-':
				row.Selected = false
			}
		}
		var waivers []ledger.Waiver
		for _, w := range c.Waivers {
			waivers = append(waivers, ledger.Waiver{Requirement: cmp.Or(w.Requirement, "2.1/Id"), Version: w.Version,
				Verdict: ledger.Verdict(w.Verdict), Pattern: w.Pattern, Reason: "known to the owner",
				Where: cmp.Or(w.Where, "file:3"),
				Until: testkit.Must(time.Parse(time.DateOnly, cmp.Or(w.Until, "2026-12-31")))})
		}
		stale, named := closeLedger(l).Waive(waivers, time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC))
		for _, row := range l.Rows() {
			if row.Waiver != nil {
				fmt.Fprintf(&text, "  sets aside %s: %s, until %s\n", row.Key, row.Waiver.Reason,
					row.Waiver.Until.Format(time.DateOnly))
			}
		}
		for _, message := range stale {
			fmt.Fprintf(&text, "  stale: %s\n", message)
		}
		for _, message := range named {
			fmt.Fprintf(&text, "  named: %s\n", message)
		}
	}
	testkit.ExpectGolden("testdata/waivers.txt", text.String())
})
