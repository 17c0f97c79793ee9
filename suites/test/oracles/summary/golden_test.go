package summary_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/markdown"
	sweep "authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

func TestSummary(t *testing.T) { testkit.Specs(t, "summary") }

// reportCases are those of reports.yaml.
var reportCases = testkit.Cases[struct {
	Name, From string
	Rows       []struct {
		Row, Kind, At string
		Count         int
		Has           map[string]any
	}
	Has map[string]any
}]("testdata/reports.yaml")

// reportOf is the made report of a name in reports.yaml.
func reportOf(name string) *report.Report {
	GinkgoHelper()
	r := &report.Report{}
	for _, c := range reportCases {
		if c.Name != name {
			continue
		}
		if c.From != "nothing" {
			r = reportOf(cmp.Or(c.From, "passing"))
		}
		for _, made := range c.Rows {
			id, v, _ := strings.Cut(made.Row, " ")
			row := findRow(r, id, schemas.Version(v))
			if made.Kind != "" {
				failRow(r, id, row.Version, made.Kind, made.At, made.Count)
			}
			testkit.SetMembers(row, made.Has)
		}
		testkit.SetMembers(r, c.Has)
	}
	return r
}

// findRow finds a row, to be changed. One that is not there is added, and passes.
func findRow(r *report.Report, id string, v schemas.Version) *report.Row {
	i := slices.IndexFunc(r.Requirements, func(row report.Row) bool { return row.ID == id && row.Version == v })
	if i < 0 {
		i = len(r.Requirements)
		r.Requirements = append(r.Requirements, report.Row{ID: id, Section: id[:3], Kind: schemas.Documented,
			Operation: schemas.GetUserAuth, Version: v, Statement: "The statement of " + id + ".", Verdict: ledger.Pass,
			Witnesses: 22})
	}
	return &r.Requirements[i]
}

// failRow makes a row fail for a cause, with one finding of it kept.
func failRow(r *report.Report, id string, v schemas.Version, kind, pointer string, count int) *report.Row {
	row := findRow(r, id, v)
	reportedTo := fmt.Sprintf("getUserAuth of %s for user \"000731\" (e97, well-formed, round 1): at %s expected what "+
		"the document shows; got \"x\"", v, pointer)
	row.Verdict, row.FindingCount = ledger.Fail, row.FindingCount+count
	row.Findings = append(row.Findings, report.Finding{
		Exchange: "e97", Pointer: pointer, Kind: kind, Expected: "what the document shows", Actual: `"x"`,
		Message: reportedTo,
		Repeat: `printf %s '{"UserId":"000731","AccessToken":"'"$AUTHN_ACCESS_TOKEN"'"}' | ` +
			`curl -sS -i -X POST https://access.example.com/8.2/api/v5/authenticator/getUserAuth ` +
			`-H 'Content-Type: application/json' --data-binary @-`,
	})
	key := check.Key{Kind: kind, Pointer: pointer}
	row.Causes = append(row.Causes, report.Cause{Key: key, Count: count, Example: reportedTo})
	r.Verdict = ledger.Fail
	return row
}

var _ = Describe("A summary and its annotations are as their golden files say, of the report", func() {
	expect := func(name string, r *report.Report) {
		GinkgoHelper()
		path := filepath.Join("testdata", name)
		testkit.ExpectGolden(path+".md", string(markdown.Render(r.Document())))
		testkit.ExpectGolden(path+".annotations", markdown.Annotations(r.Document()))
	}
	for _, c := range reportCases {
		It(c.Name, func() { expect(c.Name, reportOf(c.Name)) })
	}

	It("of everything, with a text that GitHub would take for commands and Markdown for markup, or with none", func() {
		text := "::error::a,b\r\n::stop-commands::x\n100% %0A\x1b[31m @a `b` <c>"
		expect("hostile", putEverywhere(reportOf("everything"), text, false))
		expect("empty", putEverywhere(reportOf("everything"), "", false))
	})
})

// sweptOf is a sweep of some users who differ, each at a place of its own, with any text.
func sweptOf(users int, text string) *sweep.Summary {
	t := sweep.New(1, schemas.Versions()...)
	for i := range users {
		f := sweep.Finding{User: sweep.User{Index: int64(i), ID: text, UserID: text}, Operation: schemas.GetUserAuth,
			Version: schemas.Parity, Requirement: "9.3/getUserAuth/values", Kind: text,
			Pointer: fmt.Sprintf("/%s%d-", text, i), Count: 1, Expected: text, Actual: text}
		t.Add(false, []sweep.Result{{Outcome: sweep.Different, Served: schemas.Versions(),
			Findings: []sweep.Finding{f}},
			{Outcome: sweep.NotComparable, Why: fmt.Sprint(text, i)}}, nil, 0)
	}
	t.Add(false, []sweep.Result{{Outcome: sweep.Equal, Served: schemas.Versions(), Witnessed: true},
		{Outcome: sweep.Equal, Witnessed: true}}, make([]time.Duration, 4), 0)
	s := sweep.Empty(report.Suite{}, time.Unix(0, 0), "")
	s.Error, s.Complete, s.Tally, s.Findings = nil, true, t, "sha256:77"
	s.Identity.Target[schemas.V5], s.Identity.Target[schemas.V6] = "https://"+text, "https://"+text
	s.Conclude()
	return s
}

var _ = It("A summary of a sweep is as its golden file says", func() {
	testkit.ExpectGolden("testdata/sweep.md", string(markdown.Render(sweptOf(2, "Flags").Document())))
	testkit.ExpectGolden("testdata/sweep-error.md",
		string(markdown.Render(sweep.Empty(report.Suite{}, time.Unix(0, 0), "no users").Document())))
})
