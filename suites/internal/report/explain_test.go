package report_test

import (
	"bytes"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("Explain", func() {
	It("describes a failure with everything needed to understand and repeat it", func() {
		r := addAnswer(readyRun(), `{"Flags":"x","UserId":"u-1001"}`, nil)
		closeRun(r, nil)
		text := explainedRow(r, findRow(r, "2.1/Flags", schemas.V5))
		requirement, _ := r.Contract.Requirement("2.1/Flags")
		Expect(text).To(And(
			ContainSubstring("2.1/Flags"), ContainSubstring("v5"), ContainSubstring("§2.1"),
			ContainSubstring(requirement.Statement),
			ContainSubstring("getUserAuth"), ContainSubstring(`"u-1001" (the first one)`), ContainSubstring("e17"),
			ContainSubstring("/Flags"),
			ContainSubstring(r.Contract.Record.Expected("Flags")), ContainSubstring(`"x"`),
			ContainSubstring("curl"), ContainSubstring("$AUTHN_ACCESS_TOKEN"), Not(ContainSubstring(token)),
		))
	})

	It("describes every finding, not only the first", func() {
		r := readyRun()
		for _, value := range []string{`"first"`, `"second"`, `"third"`} {
			addAnswer(r, `{"Flags":`+value+`}`, nil)
		}
		closeRun(r, nil)
		text := explainedRow(r, findRow(r, "2.1/Flags", schemas.V5))
		Expect(text).To(And(ContainSubstring("first"), ContainSubstring("second"), ContainSubstring("third"),
			ContainSubstring("finding 3 of 3")))
		Expect(strings.Count(text, "repeat")).To(Equal(3))
	})

	It("says how many findings were counted, but not kept", func() {
		r := readyRun()
		for range 60 {
			addAnswer(r, `{"Flags":"x"}`, nil)
		}
		closeRun(r, nil)
		Expect(explainedRow(r, findRow(r, "2.1/Flags", schemas.V5))).To(ContainSubstring("and 10 more findings"))
	})

	It("shows notes, and hints at a user whom the target may not know", func() {
		r := addAnswer(readyRun(), `{"flags":1,"ModeType":1}`, nil)
		closeRun(r, nil)
		Expect(explainedRow(r, findRow(r, "2.1/Flags", schemas.V5))).To(
			And(ContainSubstring("inconclusive"), ContainSubstring("no-witness"), ContainSubstring(`"flags"`)))
		unknown := addAnswer(readyRun(), `null`, nil)
		closeRun(unknown, nil)
		Expect(explainedRow(unknown, findRow(unknown, "4/getUserAuth/served", schemas.V5))).To(
			ContainSubstring("perhaps the target does not know the user"))
	})

	It("lists each cause of a difference between the versions, how often, and a few examples", func() {
		r := readyRun()
		outcome := check.Outcome{}
		for i := range 10 {
			p := probeOf(r)
			p.ID = "e" + strings.Repeat("1", i+1)
			outcome.Find(check.Finding{Probe: p, Kind: "value", Pointer: "/CreatedBy", Expected: "what v5 shows",
				Actual: "what v6 shows"})
		}
		outcome.Find(
			check.Finding{Probe: probeOf(r), Kind: "representation", Pointer: "/3/Id", Expected: "a", Actual: "b"})
		Expect(r.Ledger.Merge(ledger.Key{ID: "9.3/getUserAuth/values", Version: schemas.Parity}, outcome)).To(Succeed())
		closeRun(r, nil)
		text := explainedRow(r, findRow(r, "9.3/getUserAuth/values", schemas.Parity))
		Expect(text).To(And(ContainSubstring("value at /CreatedBy, 10 times"),
			ContainSubstring("representation at /*/Id, once"), ContainSubstring("/3/Id")))
		Expect(strings.Count(text, "what v5 shows")).To(BeNumerically("<=", 3))
	})

	It("says why and until when a row is waived", func() {
		r := addAnswer(passEveryRow(readyRun(func(s *settings.Settings) {
			s.Waivers = []settings.Waiver{{Requirement: "2.1/Flags", Verdict: "fail", Reason: "ticket 17", Until: end}}
		})), `{"Flags":"x"}`, nil)
		closeRun(r, nil)
		Expect(explainedRow(r, findRow(r, "2.1/Flags", schemas.V5))).To(
			And(ContainSubstring("ticket 17"), ContainSubstring("2026-06-15")))
	})
})

var _ = DescribeTable("Why says of each reason what it means",
	func(reason ledger.Reason) {
		Expect((&report.Row{Reason: &reason}).Why()).To(And(HavePrefix(string(reason)+": "), MatchRegexp(`: .{20}`)))
	},
	Entry(nil, ledger.NoWitness), Entry(nil, ledger.NotServed), Entry(nil, ledger.NotComparable),
	Entry(nil, ledger.NotRun),
)

var _ = Describe("Print", func() {
	printed := func(change func(*bytes.Buffer)) string {
		var out bytes.Buffer
		change(&out)
		return out.String()
	}
	It("ends with the verdict, what it certifies, and where the reports are", func() {
		r := passEveryRow(readyRun())
		result := closeRun(r, nil)
		text := printed(func(w *bytes.Buffer) { report.Print(w, result, "the/reports", report.Screen{}) })
		Expect(text).To(And(ContainSubstring("verdict: pass (complete: certifies)"),
			ContainSubstring("the/reports/report.html"), ContainSubstring("evidence.har"),
			Not(ContainSubstring("\x1b"))))
		for _, section := range []string{"§2.1", "§2.2", "§2.3", "§4 ", "§4.1", "§4.2", "§5.1", "§9.3"} {
			Expect(text).To(ContainSubstring(section))
		}
	})
	It("describes failures in full, and what an inconclusive row needs", func() {
		r := addAnswer(readyRun(), `{"Flags":"x"}`, nil)
		result := closeRun(r, nil)
		text := printed(func(w *bytes.Buffer) { report.Print(w, result, "d", report.Screen{AllFindings: true}) })
		Expect(text).To(And(ContainSubstring("FAIL "+explainedRow(r, findRow(r, "2.1/Flags", schemas.V5))),
			ContainSubstring("no-witness"), ContainSubstring("verdict: fail")))
	})
	It("says that a run which was narrowed certifies nothing", func() {
		r := passEveryRow(readyRun())
		r.Select(map[ledger.Key]bool{{ID: "2.1/Id", Version: schemas.V5}: true})
		result := closeRun(r, nil)
		Expect(printed(func(w *bytes.Buffer) { report.Print(w, result, "d", report.Screen{}) })).To(
			ContainSubstring("certifies nothing"))
	})
	It("says why a run could not be carried out", func() {
		r := readyRun()
		result := closeRun(r, errors.New("the target stopped answering"))
		Expect(printed(func(w *bytes.Buffer) { report.Print(w, result, "d", report.Screen{}) })).To(
			And(ContainSubstring("the target stopped answering"), ContainSubstring("verdict: error")))
	})
	It("shows v5 and v6 side by side where they diverge, and names what was not compared", func() {
		r := passEveryRow(readyRun())
		for v, status := range map[schemas.Version]int{schemas.V5: 200, schemas.V6: 203} {
			p := probeOf(r)
			p.Version = v
			Expect(r.Ledger.Add(r.Suite.Judge(&exchange.Exchange{Probe: p, Status: status, Body: []byte("[]")}))).To(
				Succeed())
		}
		volatile := &check.Comparison{Pair: schemas.Pair{From: schemas.V5, To: schemas.V6},
			Conclusion: parity.Conclusion{Volatile: []string{"/Comment"}}}
		Expect(r.Ledger.Compare(schemas.GetUserAuth, probeOf(r).User, volatile)).To(Succeed())
		result := closeRun(r, nil)
		Expect(printed(func(w *bytes.Buffer) { report.Print(w, result, "d", report.Screen{}) })).To(And(
			ContainSubstring("open/4.3/status of getUserAuth"), ContainSubstring("200"), ContainSubstring("203"),
			ContainSubstring("/Comment of getUserAuth")))
	})
	It("uses colour if that is set", func() {
		r := passEveryRow(readyRun())
		result := closeRun(r, nil)
		Expect(printed(func(w *bytes.Buffer) { report.Print(w, result, "d", report.Screen{Colours: true}) })).To(
			ContainSubstring("\x1b["))
	})
})
