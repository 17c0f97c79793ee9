package history

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

//go:embed history.html
var source string

//go:embed history.css
var ownStyle string

var layout = template.Must(template.New("history").Parse(source))

// shown is how many reports the page shows, the newest ones. history.json has all.
const shown = 120

// view is what the page shows. All texts are safe to print.
type view struct {
	Style                template.CSS
	Policy               string
	Title, Sentence, Cut string
	Reports              []reportRow
	Certificates         []reportRow
	Requirements         []requirementRow
	Quiet                []requirementRow // those that always passed
	Legend               []report.State
}

type reportRow struct {
	Number                                     int
	Day, Command, Subject, File, Suite, Target string
	State                                      report.State
	Comparable, Ended                          bool
	ValidUntil                                 string
}

type requirementRow struct {
	ID, Version, Command     string
	Strip                    []stretch
	FailingSince, LastPassed string
	Changes                  string
	Now                      report.State
	Never                    bool // it never passed
}

// stretch is some reports in a row in which a requirement has the same state.
type stretch struct {
	Name, Signs, Title string
}

// WriteJSON writes history.json.
func (h *History) WriteJSON(w io.Writer) error { return strictjson.WriteIndented(w, h) }

// WritePage writes history.html, which needs no other file. now tells which certificates have ended.
func (h *History) WritePage(w io.Writer, now time.Time) error {
	v := view{Style: template.CSS(page.Style() + ownStyle), Title: "Authenticator API, " +
		wording.Count(len(h.Reports), "report") + " over time"}
	digest := sha256.Sum256([]byte(v.Style))
	v.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	first := max(0, len(h.Reports)-shown)
	if first > 0 {
		v.Cut = "The newest " + wording.Number(shown) + " of " + wording.Number(len(h.Reports)) +
			" reports; all are in " + JSONFile + "."
	}
	for i, r := range slices.Backward(h.Reports) {
		if i >= first {
			v.Reports = append(v.Reports, rowOf(i+1, r, now))
		}
	}
	for _, r := range h.Certificates() {
		if len(v.Certificates) < shown {
			v.Certificates = append(v.Certificates, rowOf(0, r, now))
		}
	}
	failing := 0
	for _, q := range h.Requirements {
		row := h.requirementRow(q, first)
		if q.FailingSince != nil {
			failing++
		}
		if q.Changes == 0 && row.Now.Name == string(ledger.Pass) {
			v.Quiet = append(v.Quiet, row)
		} else {
			v.Requirements = append(v.Requirements, row)
		}
	}
	slices.SortStableFunc(v.Requirements, func(a, b requirementRow) int { // what fails comes first
		return strings.Compare(b.FailingSince, a.FailingSince)
	})
	v.Legend = report.States()
	v.Sentence = "No report was read."
	if n := len(h.Reports); n > 0 {
		v.Sentence = wording.Count(failing, "check") +
			" fail in the newest report of its kind. The newest report is of " +
			day(h.Reports[n-1].Ended) + ": " + string(h.Reports[n-1].Verdict) + "."
	}
	return layout.Execute(w, v)
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func rowOf(number int, r Report, now time.Time) reportRow {
	row := reportRow{Number: number, Day: day(r.Ended), Command: r.Command, Subject: report.Printable(r.Subject, 200),
		File: report.Printable(r.File, 200), Suite: report.Printable(r.Suite, 40), State: report.StateOf(r.Verdict),
		Comparable: r.Comparable, ValidUntil: report.Printable(r.ValidUntil, 20)}
	for _, base := range r.Target {
		if shown := report.Printable(base, 100); !strings.Contains(row.Target, shown) {
			row.Target = strings.TrimPrefix(row.Target+", "+shown, ", ")
		}
	}
	if until, err := time.Parse(time.DateOnly, r.ValidUntil); err == nil {
		row.Ended = !now.Before(until.AddDate(0, 0, 1))
	}
	return row
}

func (h *History) requirementRow(q Requirement, first int) requirementRow {
	row := requirementRow{ID: report.Printable(q.ID, 100), Version: report.Printable(string(q.Version), 20),
		Command: q.Command,
		Changes: wording.Number(q.Changes), Never: q.LastPassed == nil}
	if q.FailingSince != nil {
		row.FailingSince = day(*q.FailingSince)
	}
	if q.LastPassed != nil {
		row.LastPassed = day(*q.LastPassed)
	}
	for i := first; i < len(h.Reports); i++ {
		r := &h.Reports[i]
		if r.Command != q.Command {
			continue
		}
		name, sign := q.States[i], "·"
		for _, s := range report.States() {
			if s.Name == name {
				sign, row.Now = s.Sign, s
			}
		}
		if name == "" || !r.Comparable {
			name = strings.TrimSpace("other " + name)
		}
		if n := len(row.Strip); n > 0 && row.Strip[n-1].Name == name {
			row.Strip[n-1].Signs += sign
			continue
		}
		row.Strip = append(row.Strip, stretch{name, sign, "from " + day(r.Ended) + ": " + name})
	}
	return row
}
