package report

import (
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/ledger"
)

// State is how a verdict, or the status of a row, is displayed.
type State struct {
	Word string
	Sign string // distinguishes the states without colour; always shown with the word
	Name string // for CSS classes and filters
}

// States lists the states of rows, the most urgent first.
func States() []State {
	return []State{
		{"fail", "✗", "fail"},
		{"inconclusive", "?", "inconclusive"},
		{"waived", "W", "waived"},
		{"known", "K", "known"},
		{"not run", "–", "not-run"},
		{"pass", "✓", "pass"},
	}
}

// StateCount is the number of rows in one state.
type StateCount struct {
	State
	Count int
}

// countStates counts rows by state, the most urgent first. States without rows are left out.
func countStates(rows []*Row) []StateCount {
	var list []StateCount
	for _, s := range States() {
		in := slices.DeleteFunc(slices.Clone(rows), func(row *Row) bool { return row.State() != s })
		if len(in) > 0 {
			list = append(list, StateCount{s, len(in)})
		}
	}
	return list
}

// State returns the status of a row: its verdict, unless a waiver, the baseline or a filter overrides it.
func (r *Row) State() State {
	switch {
	case r.Waiver != nil:
		return StateOf("waived")
	case r.NotRun():
		return StateOf("not-run")
	case r.Known:
		return StateOf("known")
	}
	return StateOf(r.Verdict)
}

// Failed reports whether the row fails the run.
func (r *Row) Failed() bool { return r.State().Name == string(ledger.Fail) }

// Open reports whether the row is inconclusive and neither waived nor known.
func (r *Row) Open() bool { return r.State().Name == string(ledger.Inconclusive) }

// StateOf returns the state of a verdict, or of a row by its name. An unknown one counts as inconclusive, never as a
// pass.
func StateOf(name ledger.Verdict) State {
	for _, s := range append(States(), State{"error", "!", string(ledger.Fault)}) {
		if s.Name == string(name) {
			return s
		}
	}
	return StateOf(ledger.Inconclusive)
}

// State returns the state of the run's verdict. A pass that certifies nothing is displayed as undecided, with the
// reason: "pass, but 2 rows waived (until 2027-01-31)".
func (r *Report) State() State {
	if r.Verdict == ledger.Pass && !r.Certifies {
		return State{"pass, but " + strings.Join(r.Limits(), "; "), "≈", string(ledger.Inconclusive)}
	}
	return StateOf(r.Verdict)
}
