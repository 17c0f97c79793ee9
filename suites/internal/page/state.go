package page

import (
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// state is what became of a row: its verdict, unless something sets the row aside.
type state struct {
	Word string
	Sign string // tells the states apart without colour; the word stands beside it
	Name string // in CSS classes and in the filter
}

// states lists them, those to look at first before the others.
func states() []state {
	return []state{
		{"fail", "✕", "fail"},
		{"inconclusive", "?", "inconclusive"},
		{"waived", "W", "waived"},
		{"known", "K", "known"},
		{"not run", "–", "not-run"},
		{"pass", "✓", "pass"},
	}
}

// stateOf tells what became of a row. A verdict that there is no state for reads as inconclusive: it is no pass.
func stateOf(row *report.Row) state {
	name := string(row.Fate())
	if row.Waiver == nil && row.NotRun() {
		name = "not-run"
	}
	return named(name)
}

func named(name string) state {
	for _, s := range states() {
		if s.Name == name {
			return s
		}
	}
	return named(string(ledger.Inconclusive))
}

// verdictState is how the verdict of the whole run looks: an error is none of the rows' states.
func verdictState(v ledger.Verdict) state {
	if v == ledger.Fault {
		return state{Word: "error", Sign: "!", Name: "error"}
	}
	return named(string(v))
}

// runState is how the verdict of a run looks. A pass that certifies nothing looks like one that is undecided, and says
// why.
func (b *builder) runState() state {
	s := verdictState(b.report.Verdict)
	if b.report.Verdict == ledger.Pass && !b.report.Certifies {
		s = state{Word: b.text(b.report.Headline()), Sign: "≈", Name: string(ledger.Inconclusive)}
	}
	return s
}
