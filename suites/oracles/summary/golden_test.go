package summary_test

import (
	"fmt"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	sweep "authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/summary"
	"authenticator-conformance/suites/internal/testkit"
)

// failingReport is a run in which a field, and with it the comparison, failed; a row is waived, and another is open.
func failingReport() *report.Report {
	r := passingReport()
	failRow(r, "2.1/CreatedOn", schemas.V5, "not in its form", "/CreatedOn", 3)
	failRow(r, "9.3/getUserAuth/values", schemas.Parity, "value", "/CreatedOn", 1)
	failRow(r, "2.1/Id", schemas.V6, "not in its form", "/*/Id",
		12).Waiver = &report.Waiver{Reason: "corrected in release 9.2.4", Until: "2027-01-31"}
	openRow(r, "2.2/Comment", schemas.V5, ledger.NoWitness).Notes = []string{
		"a member comment was seen: names are case-sensitive"}
	openRow(r, "2.2/Comment", schemas.V6, ledger.NoWitness)
	one, list, differ := "one record", "an array of records", false
	r.Observations = []report.Observation{{ID: "open/4.3/cardinality", Operation: schemas.GetUserAuth,
		Seen: report.Seen{schemas.V5: {Text: one}, schemas.V6: {Text: list}}, Agree: &differ, Compared: true}}
	r.Notes = []string{"the waiver of 2.1/Flags (conformance.yaml:7) ended on 2026-01-31 and no longer holds"}
	r.Counts.Throttled, r.Counts.Repeated = 2, 1
	return r
}

// gatedReport is a run against a baseline: what failed there fails still, something else fails now, and something is
// better.
func gatedReport() *report.Report {
	r := passingReport()
	failRow(r, "2.1/CreatedOn", schemas.V5, "not in its form", "/CreatedOn", 3).Known = true
	failRow(r, "2.1/Flags", schemas.V6, "not in its form", "/Flags", 1)
	r.Gate = &report.Gate{
		New: []report.Entry{{Requirement: "2.1/Flags", Version: schemas.V6, Kind: "not in its form", Pointer: "/Flags",
			Count: 1}},
		Known: []report.Entry{{Requirement: "2.1/CreatedOn", Version: schemas.V5, Kind: "not in its form",
			Pointer: "/CreatedOn", Count: 3}},
		Stale: []report.Entry{{Requirement: "2.1/Id", Version: schemas.V5, Kind: "not in its form", Pointer: "/Id",
			Count: 8}, {Requirement: "2.1/Flags", Version: schemas.V6, Kind: "type", Count: 1}},
		Changed: []report.Changed{{ID: "open/4.3/cardinality", Operation: schemas.GetUserAuth, Version: schemas.V6,
			Was: "one record", Is: "an array of records"}},
	}
	r.Stale = []string{"the waiver of 2.2/Comment (conformance.yaml:3) is stale: what it waives passes now; remove it"}
	return r
}

// failedReport is a run that could not begin.
func failedReport() *report.Report {
	why := "the access token is missing: the target needs it; give --access-token-file\nthe users file is missing: the target needs it; give --users"
	return &report.Report{Verdict: ledger.Fault, Suite: passingReport().Suite, Error: &why}
}

// narrowedReport is a run that a filter cut short.
func narrowedReport() *report.Report {
	r := passingReport()
	r.Complete, r.Certifies = false, false
	for i := range r.Requirements[1:] {
		openRow(r, r.Requirements[i+1].ID, r.Requirements[i+1].Version, ledger.NotRun)
	}
	return r
}

// judgedAgain is a run whose evidence lacks an exchange.
func judgedAgain() *report.Report {
	r := passingReport()
	r.Verdict, r.Complete = ledger.Inconclusive, false
	r.Missing = []string{`e17: getUserAuth of v5 for user "10021", well-formed, round 1`}
	openRow(r, "2.1/CreatedOn", schemas.V5, ledger.NotRun)
	openRow(r, "2.1/Id", schemas.V6, ledger.NotServed)
	openRow(r, "9.3/getUserAuth/shape", schemas.Parity, ledger.NotComparable)
	return r
}

// withChange is a report with a change.
func withChange(made func() *report.Report, change func(r *report.Report)) func() *report.Report {
	return func() *report.Report {
		r := made()
		change(r)
		return r
	}
}

var _ = DescribeTable("A summary and its annotations are as their golden files say",
	func(name string, make func() *report.Report) {
		path := filepath.Join("testdata", name)
		testkit.ExpectGolden(path+".md", string(summary.Render(make().Document())))
		testkit.ExpectGolden(path+".annotations", summary.Annotations(make().Document()))
	},
	Entry("of a run that passed", "passing", passingReport),
	Entry("of a run that failed", "failing", failingReport),
	Entry("of a run against a baseline", "gated", gatedReport),
	Entry("of a run that could not begin", "error", failedReport),
	Entry("of a run that was narrowed", "narrowed", narrowedReport),
	Entry("of evidence that was judged again and lacks something", "judged-again", judgedAgain),
	Entry("of a run that passed with a waiver", "waived", withChange(passingReport, func(r *report.Report) {
		r.Requirements[0].Verdict, r.Requirements[0].Waiver = ledger.Fail,
			&report.Waiver{Reason: "later", Until: "2027-01-31"}
		r.Judge()
	})),
	Entry("of a run of one version", "one-version", withChange(passingReport, func(r *report.Report) {
		r.Versions, r.Requirements = []schemas.Version{schemas.V5}, []report.Row{passedRow("2.1/Id", schemas.V5)}
	})),
	Entry("of a run with one target for both versions", "one-target", withChange(passingReport, func(r *report.Report) {
		r.Target[schemas.V6] = r.Target[schemas.V5]
	})),
	Entry("of a run against a baseline, whose changed open points fail it", "gated-changes",
		withChange(gatedReport, func(r *report.Report) { r.Gate.ChangeFails = true })),
	Entry("of a run with a verdict that is none", "no-verdict", withChange(passingReport, func(r *report.Report) {
		r.Verdict, r.Certifies = "passed", false
	})),
	Entry("of everything", "everything", reportOfEverything),
	Entry("of everything, with a text that GitHub would take for commands and Markdown for markup", "hostile",
		func() *report.Report {
			return putEverywhere(reportOfEverything(), "::error::a,b\r\n::stop-commands::x\n100% %0A\x1b[31m "+
				"@a `b` <c>", false)
		}),
	Entry("of a report whose texts are empty", "empty",
		func() *report.Report { return putEverywhere(reportOfEverything(), "", false) }),
)

// sweptOf is a sweep of some users who differ, each at a place of its own, with any text.
func sweptOf(users int, text string) *sweep.Summary {
	t := sweep.New(1)
	for i := range users {
		f := sweep.Finding{User: sweep.User{Index: int64(i), ID: text, UserID: text}, Operation: schemas.GetUserAuth,
			Version: schemas.Parity, Requirement: "9.3/getUserAuth/values", Kind: text,
			Pointer: fmt.Sprintf("/%s%d-", text, i), Count: 1, Expected: text, Actual: text}
		t.Add([]sweep.Result{{Outcome: sweep.Different, Findings: []sweep.Finding{f}},
			{Outcome: sweep.NotComparable, Why: fmt.Sprint(text, i)}}, nil, 0)
	}
	t.Add([]sweep.Result{{Outcome: sweep.Equal, Witnessed: true}, {Outcome: sweep.Equal, Witnessed: true}},
		make([]time.Duration, 4), 0)
	s := sweep.Empty(report.Suite{}, time.Unix(0, 0), "")
	s.Error, s.Complete, s.Tally = nil, true, t
	s.Identity.Target[schemas.V5] = "https://" + text
	s.Conclude()
	return s
}

var _ = It("A summary of a sweep is as its golden file says", func() {
	testkit.ExpectGolden("testdata/sweep.md", string(summary.Render(sweptOf(2, "Flags").Document())))
	testkit.ExpectGolden("testdata/sweep-error.md",
		string(summary.Render(sweep.Empty(report.Suite{}, time.Unix(0, 0), "no users").Document())))
})
