package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fatih/color"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/wording"
)

// Bounds on what is printed of the broken requirements, so that a run is told on one screen.
const (
	mostBroken   = 20 // lines
	mostExpected = 60 // characters
	mostActual   = 80 // characters
)

// breach is a requirement that is broken, in one version or alike in both.
type breach struct {
	row      *ledger.Row // the first of them
	versions []string
	text     string // what is wrong in it
}

// breaches lists what counts against the target, in the order of the catalogue.
func breaches(r *run.Run, report *Report) []breach {
	var list []breach
	for i, row := range r.Ledger.Rows() {
		if !row.Selected || report.Requirements[i].Fate() != ledger.Fail {
			continue
		}
		text := whatIsWrong(r, row)
		if n := len(list) - 1; n >= 0 && list[n].row.ID == row.ID && list[n].text == text {
			list[n].versions = append(list[n].versions, string(row.Version))
			continue
		}
		list = append(list, breach{row, []string{string(row.Version)}, text})
	}
	return list
}

// whatIsWrong says in half a line what is wrong with a row: of how many users, where, what came, and what was expected.
func whatIsWrong(r *run.Run, row *ledger.Row) string {
	example := findingOf(r, row.Causes[0].Example)
	text := ""
	if n := row.FailingUsers(); n > 0 {
		text = fmt.Sprintf("%d of %s, ", n, wording.Count(len(r.Settings.Users), "user"))
	}
	if pointer := r.Secrets().Show(row.Causes[0].Pointer, 0); pointer != "" {
		text += "at " + pointer + " "
	}
	actual, expected := redact.Printable(example.Actual, mostActual), redact.Printable(example.Expected, mostExpected)
	if row.Requirement.Parity {
		text += actual + "; " + strings.TrimPrefix(expected, "what ") // v6 shows …; v5 shows …
	} else {
		text += "got " + actual + ", expected " + expected
	}
	if more := len(row.Causes) - 1; more > 0 {
		text += fmt.Sprintf("; and %s", wording.Count(more, "other cause"))
	}
	return text
}

// printBroken writes a line for each broken requirement, the first example with the line that repeats it, and a line
// for each row that is set aside.
func printBroken(w io.Writer, r *run.Run, report *Report, dir string, paint Paint) {
	list := breaches(r, report)
	for _, b := range list[:min(len(list), mostBroken)] {
		fmt.Fprintf(w, "%s %s (§%s) in %s: %s\n", paint(color.FgRed, "FAIL"), b.row.ID, b.row.Requirement.Section, strings.Join(b.versions, " and "), b.text)
	}
	if more := len(list) - mostBroken; more > 0 {
		fmt.Fprintf(w, "%s and %s: see %s\n", paint(color.FgRed, "FAIL"), wording.Count(more, "other requirement"), filepath.Join(dir, PageFile))
	}
	if len(list) > 0 {
		printFirst(w, r, report, list[0].row, dir)
	}
	aside := false
	for i, row := range r.Ledger.Rows() {
		switch shown := report.Requirements[i]; shown.Fate() {
		case Waived:
			fmt.Fprintf(w, "%s %s %s, %s until %s: %s\n", paint(color.FgYellow, "WAIVED"), row.ID, row.Version, row.Verdict(), shown.Waiver.Until, shown.Waiver.Reason)
			aside = true
		case Known:
			fmt.Fprintf(w, "%s %s %s: it is so in the baseline for the same causes\n", paint(color.FgYellow, "KNOWN"), row.ID, row.Version)
			aside = true
		}
	}
	if aside {
		fmt.Fprintln(w)
	}
}

// printFirst writes the first example of a broken requirement in full, and where the others are.
func printFirst(w io.Writer, r *run.Run, report *Report, row *ledger.Row, dir string) {
	var b strings.Builder
	explainFinding(&b, r, row.Findings[0])
	fmt.Fprintf(w, "\n  %s %s, for example%s", row.ID, row.Version, b.String())
	all := 0
	for _, shown := range report.Requirements {
		if shown.Fate() == ledger.Fail {
			all += shown.FindingCount
		}
	}
	if all > 1 {
		fmt.Fprintf(w, "  and %s: see %s, or run with --verbose\n", wording.Count(all-1, "other finding"), filepath.Join(dir, PageFile))
	}
	fmt.Fprintln(w)
}

// printFindings writes every finding of every row that failed.
func printFindings(w io.Writer, r *run.Run, report *Report, paint Paint) {
	heads := map[ledger.Verdict]string{ledger.Fail: "FAIL", Waived: "WAIVED", Known: "KNOWN"}
	for i, row := range r.Ledger.Rows() {
		if row.Selected && row.Verdict() == ledger.Fail {
			fmt.Fprintf(w, "%s %s\n\n", paint(color.FgRed, heads[report.Requirements[i].Fate()]), Explain(r, row))
		}
	}
}
