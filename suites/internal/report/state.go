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
		return stateNamed("waived")
	case r.NotRun():
		return stateNamed("not-run")
	case r.Known:
		return stateNamed("known")
	}
	return stateNamed(string(r.Verdict))
}

// WaivedState returns the state of a waived row.
func WaivedState() State { return stateNamed("waived") }

// Failed reports whether the row fails the run.
func (r *Row) Failed() bool { return r.State().Name == string(ledger.Fail) }

// Open reports whether the row is inconclusive and neither waived nor known.
func (r *Row) Open() bool { return r.State().Name == string(ledger.Inconclusive) }

// StateOf returns the state of a verdict. An unknown verdict counts as inconclusive, never as a pass.
func StateOf(v ledger.Verdict) State {
	if v == ledger.Fault {
		return State{Word: "error", Sign: "!", Name: "error"}
	}
	return stateNamed(string(v))
}

func stateNamed(name string) State {
	for _, s := range States() {
		if s.Name == name {
			return s
		}
	}
	return stateNamed(string(ledger.Inconclusive))
}

// State returns the state of the run's verdict. A pass that certifies nothing is displayed as undecided, with the
// reason: "pass, but 2 rows waived (until 2027-01-31)".
func (r *Report) State() State {
	if r.Verdict == ledger.Pass && !r.Certifies {
		return State{Word: "pass, but " + strings.Join(r.Limits(), "; "), Sign: "≈",
			Name: string(ledger.Inconclusive)}
	}
	return StateOf(r.Verdict)
}
