package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fatih/color"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/run"
)

// Screen is what a report is printed on.
type Screen struct {
	Colours bool // a terminal; a pipe gets plain text
	Verbose bool // every finding, and not only the first
	Folds   Folds
}

// Print writes what a person reads of a finished run, on one screen: a line for each broken requirement and the first
// example, what was set aside, what stayed open, a table of the sections, and the verdict. Screen.Verbose has all
// findings.
func Print(w io.Writer, r *run.Run, report *Report, dir string, screen Screen) {
	paint := Painter(screen.Colours)
	switch {
	case screen.Verbose:
		printFindings(w, r, report, paint)
	case report.Error == nil: // what was seen until a run broke off accuses nobody
		printBroken(w, r, report, dir, paint)
	}
	if report.Error == nil {
		screen.Folds.around(w, "What stayed open", openRows(r, report) != nil, func() { printOpen(w, r, report, paint) })
		screen.Folds.around(w, "Where v5 and v6 diverge", diverges(r) || len(report.Volatile) > 0, func() {
			printDivergences(w, r, paint)
			printVolatile(w, report)
		})
		printTable(w, r, report)
	}
	printLacking(w, report, paint)
	printGate(w, report, paint)
	for _, note := range report.Stale {
		fmt.Fprintf(w, "%s %s\n", paint(color.FgRed, "stale:"), note)
	}
	for _, note := range report.Notes {
		fmt.Fprintf(w, "%s %s\n", paint(color.FgYellow, "note:"), note)
	}
	if report.Error != nil {
		fmt.Fprintf(w, "%s %s\n", paint(color.FgRed, "error:"), *report.Error)
	}
	printVerdict(w, report, dir, paint)
}

// Paint colours a text where it is for a terminal.
type Paint func(color.Attribute, string) string

// Painter paints, or leaves texts as they are.
func Painter(colours bool) Paint {
	return func(attribute color.Attribute, text string) string {
		if !colours {
			return text
		}
		c := color.New(attribute, color.Bold)
		c.EnableColor()
		return c.Sprint(text)
	}
}

// openRows are the rows that are inconclusive and count, by reason.
func openRows(r *run.Run, report *Report) map[ledger.Reason][]*ledger.Row {
	var open map[ledger.Reason][]*ledger.Row
	for i, row := range r.Ledger.Rows() {
		if row.Selected && report.Requirements[i].Fate() == ledger.Inconclusive {
			if open == nil {
				open = map[ledger.Reason][]*ledger.Row{}
			}
			open[row.Reason] = append(open[row.Reason], row)
		}
	}
	return open
}

// printOpen lists the rows that are inconclusive, by reason and version, with what to do about them: a pass needs a
// witness for every one of them.
func printOpen(w io.Writer, r *run.Run, report *Report, paint Paint) {
	open := openRows(r, report)
	for _, reason := range []ledger.Reason{ledger.NotServed, ledger.NoWitness, ledger.NotComparable, ledger.NotRun} {
		if len(open[reason]) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s %s\n", paint(color.FgYellow, "INCONCLUSIVE"), Why(reason))
		ids := map[schemas.Version][]string{}
		for _, row := range open[reason] {
			ids[row.Version] = append(ids[row.Version], row.ID)
		}
		for _, v := range append(schemas.Versions(), schemas.Parity) {
			if len(ids[v]) > 0 {
				fmt.Fprintf(w, "  %s: %s\n", v, strings.Join(ids[v], ", "))
			}
		}
		for _, row := range open[reason] {
			for _, note := range row.Notes {
				fmt.Fprintf(w, "  note: %s: %s\n", row.Key, note)
			}
		}
		if reason == ledger.NoWitness {
			printWaiver(w, ids, report)
		}
		fmt.Fprintln(w)
	}
	if r.Ledger.NobodyServed() {
		fmt.Fprintf(w, "%s no user was served in any call: are the access token, the application id and the users those of this target?\n\n", paint(color.FgYellow, "hint:"))
	}
}

// waivedFor is how long a waiver that is offered lasts.
const waivedFor = 90 * 24 * time.Hour

// printWaiver offers waivers of rows that stayed open, ready to be pasted into the configuration file.
func printWaiver(w io.Writer, ids map[schemas.Version][]string, report *Report) {
	finished := report.Started
	if report.Finished != nil {
		finished = *report.Finished
	}
	offer := func(ids []string, version schemas.Version) {
		if len(ids) == 0 {
			return
		}
		in := ""
		if version != "" {
			in = fmt.Sprintf("version: %s, ", version)
		}
		fmt.Fprintf(w, "  - {%sverdict: inconclusive, reason: no user of this target has a value, until: %s,\n     requirement: [%s]}\n",
			in, finished.Add(waivedFor).Format(time.DateOnly), strings.Join(ids, ", "))
	}
	fmt.Fprintln(w, "  To waive them, paste this into the configuration file (--config):\n\n  waivers:")
	in := func(v schemas.Version) func(string) bool {
		return func(id string) bool { return slices.Contains(ids[v], id) }
	}
	offer(slices.DeleteFunc(slices.Clone(ids[schemas.V5]), func(id string) bool { return !in(schemas.V6)(id) }), "")
	offer(slices.DeleteFunc(slices.Clone(ids[schemas.V5]), in(schemas.V6)), schemas.V5)
	offer(slices.DeleteFunc(slices.Clone(ids[schemas.V6]), in(schemas.V5)), schemas.V6)
	offer(ids[schemas.Parity], schemas.Parity)
}

func diverges(r *run.Run) bool {
	return slices.ContainsFunc(r.Ledger.Observations(), func(o ledger.Observation) bool { return o.Diverges() })
}

// printDivergences sets v5 beside v6 at the open points where they differ.
func printDivergences(w io.Writer, r *run.Run, paint Paint) {
	any := false
	for _, o := range r.Ledger.Observations() {
		if o.Diverges() {
			if !any {
				fmt.Fprintln(w, paint(color.FgYellow, "v5 and v6 diverge where the document is silent:"))
			}
			any = true
			fmt.Fprintf(w, "  %s of %s\n    v5  %s\n    v6  %s\n", o.Requirement.ID, o.Operation, o.Words[schemas.V5], o.Words[schemas.V6])
		}
	}
	if any {
		fmt.Fprintln(w)
	}
}

func printVolatile(w io.Writer, report *Report) {
	for _, v := range report.Volatile {
		fmt.Fprintf(w, "volatile: %s of %s changes between identical calls and was not compared\n", place(v.Pointer), v.Operation)
	}
}

// mostLacking is how many exchanges are named that the evidence lacks.
const mostLacking = 10

// printLacking names what the evidence lacks, of a run that was judged again.
func printLacking(w io.Writer, report *Report, paint Paint) {
	for _, exchange := range report.Lacking[:min(len(report.Lacking), mostLacking)] {
		fmt.Fprintf(w, "%s the evidence lacks %s\n", paint(color.FgYellow, "lacking:"), exchange)
	}
	if more := len(report.Lacking) - mostLacking; more > 0 {
		fmt.Fprintf(w, "%s and %d more exchanges\n", paint(color.FgYellow, "lacking:"), more)
	}
}

// printGate says how the run stands against its baseline.
func printGate(w io.Writer, report *Report, paint Paint) {
	g := report.Gate
	if g == nil {
		return
	}
	fmt.Fprintf(w, "\nagainst the baseline: %d new, %d known, %d stale, %d open points changed\n", len(g.New), len(g.Known), len(g.Stale), len(g.Changed))
	for _, line := range g.Lines() {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if len(g.Stale) > 0 {
		fmt.Fprintf(w, "  %s what is stale is better now: refresh the baseline with --update-baseline\n", paint(color.FgYellow, "hint:"))
	}
}

func place(pointer string) string {
	if pointer == "" {
		return "the whole answer"
	}
	return pointer
}

// printTable counts the rows of each section by version and by what became of them.
func printTable(w io.Writer, r *run.Run, report *Report) {
	type cell struct {
		section string
		version schemas.Version
	}
	tally := map[cell]map[ledger.Verdict]int{}
	var sections []string
	columns := append([]schemas.Version{}, r.Settings.Versions...)
	if len(columns) > 1 {
		columns = append(columns, schemas.Parity)
	}
	for i, row := range r.Ledger.Rows() {
		section := row.Requirement.Section
		if len(sections) == 0 || sections[len(sections)-1] != section {
			sections = append(sections, section)
		}
		at := cell{section, row.Version}
		if tally[at] == nil {
			tally[at] = map[ledger.Verdict]int{}
		}
		if row.Selected {
			tally[at][report.Requirements[i].Fate()]++
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprint(t, "section")
	for _, v := range columns {
		fmt.Fprintf(t, "\t%s", v)
	}
	fmt.Fprintln(t)
	for _, section := range sections {
		fmt.Fprintf(t, "§%s", section)
		for _, v := range columns {
			fmt.Fprintf(t, "\t%s", counted(tally[cell{section, v}]))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // a terminal that is gone takes nothing from the verdict
}

func counted(tally map[ledger.Verdict]int) string {
	var parts []string
	for _, v := range []ledger.Verdict{ledger.Pass, ledger.Fail, Waived, Known, ledger.Inconclusive} {
		if tally[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", tally[v], v))
		}
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func printVerdict(w io.Writer, report *Report, dir string, paint Paint) {
	colour := color.FgRed
	switch report.Verdict {
	case ledger.Pass:
		colour = color.FgGreen
		if !report.Certifies {
			colour = color.FgYellow
		}
	case ledger.Inconclusive:
		colour = color.FgYellow
	}
	scope := "complete"
	switch {
	case report.Verdict == ledger.Pass && !report.Certifies:
		scope = "certifies nothing: " + strings.Join(report.Limits(), "; ")
	case report.Certifies:
		scope = "complete: certifies"
	case !report.Complete:
		scope = "not complete: certifies nothing"
	}
	fmt.Fprintf(w, "\nverdict: %s (%s), %d requests, %d throttled", paint(colour, string(report.Verdict)), scope, report.Counts.Requests, report.Counts.Throttled)
	if report.Finished != nil {
		fmt.Fprintf(w, ", %.1f s", report.Finished.Sub(report.Started).Seconds())
	}
	fmt.Fprintf(w, "\nreports: %s, and beside it %s\n", filepath.Join(dir, PageFile),
		strings.Join([]string{SummaryFile, JSONFile, JUnitFile, EvidenceFile, StatementFile}, ", "))
}
