package report

import "authenticator-conformance/suites/internal/ledger"

// State is how a verdict, or what became of a row, is shown everywhere.
type State struct {
	Word string
	Sign string // tells the states apart without colour; the word stands beside it
	Name string // for CSS classes and filters
}

// States are those of rows, the ones to look at first before the others.
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

// State is what became of a row: its verdict, unless a waiver, the baseline or a filter sets it aside.
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

// WaivedState is that of what a waiver sets aside.
func WaivedState() State { return stateNamed("waived") }

// Failed reports whether the row fails the run: nothing sets it aside.
func (r *Row) Failed() bool { return r.State().Name == string(ledger.Fail) }

// Open reports whether the row is inconclusive and nothing sets it aside.
func (r *Row) Open() bool { return r.State().Name == string(ledger.Inconclusive) }

// StateOf is how a verdict is shown. A verdict that has no state reads as inconclusive: it is no pass.
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

// State is how the verdict of the run is shown. A pass that certifies nothing looks undecided, and says why.
func (r *Report) State() State {
	if r.Verdict == ledger.Pass && !r.Certifies {
		return State{Word: r.Headline(), Sign: "≈", Name: string(ledger.Inconclusive)}
	}
	return StateOf(r.Verdict)
}
