package summary

import (
	"fmt"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// baseline shows how the run stands against an earlier one, worst first.
func baseline(r *report.Report) *section {
	s := newSection("Against the baseline", roomBaseline)
	g := r.Gate
	if g == nil {
		return s
	}
	passes := map[ledger.Key]bool{}
	for _, row := range r.Requirements {
		passes[ledger.Key{ID: row.ID, Version: row.Version}] = row.Verdict == ledger.Pass
	}
	var fixed, stale []report.Entry
	for _, e := range g.Stale {
		if passes[ledger.Key{ID: e.Requirement, Version: e.Version}] {
			fixed = append(fixed, e)
		} else {
			stale = append(stale, e)
		}
	}
	intro := fmt.Sprintf("%d new, %d fixed, %d stale, %d known, %s.", len(g.New), len(fixed), len(stale), len(g.Known), wording.Plural(len(g.Changed), "open point changed", "open points changed"))
	if len(g.Stale) > 0 {
		intro += " What is fixed or stale fails the run until the baseline tells the truth again: refresh it with `--update-baseline`."
	}
	s.say(intro)
	s.list("new", g.New)
	s.list("fixed", fixed)
	s.list("stale", stale)
	each(s, g.Changed, func(c report.Changed) string {
		return fmt.Sprintf("- changed%s: %s of %s: was %s, is %s\n", failing(g), name(c.Version, c.ID), code(string(c.Operation), mostName), code(c.Was, mostPlace), code(c.Is, mostPlace))
	})
	s.list("known", g.Known)
	return s
}

// failing says of a changed open point that it fails the run, where it does.
func failing(g *report.Gate) string {
	if g.ChangeFails {
		return ", fails the run"
	}
	return ""
}

func (s *section) list(word string, entries []report.Entry) {
	each(s, entries, func(e report.Entry) string {
		return fmt.Sprintf("- %s: %s: %s%s, %s\n", word, name(e.Version, e.Requirement), code(e.Kind, mostName), at(e.Pointer), wording.Times(e.Count))
	})
}
