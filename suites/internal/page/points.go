package page

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// The words for whether v5 and v6 agree at an open point.
const (
	differs     = "differ"
	agrees      = "alike"
	notCompared = "not compared"
)

// point is an open point: what the document leaves open, and what the target does there.
type point struct {
	Anchor, ID, Section, Operation, Statement string
	V5, V6                                    string
	Agreement                                 string
	Alike                                     bool // the two texts are equal and share one cell
}

// points returns the open points, first those at which v5 and v6 differ, and a sentence about the omitted ones.
func (b *builder) points() ([]point, string) {
	sorted := slices.Clone(b.report.Observations)
	diverges := func(o report.Observation) int {
		if o.Diverges() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sorted, func(x, y report.Observation) int { return diverges(x) - diverges(y) })
	kept, more := upTo(b.budget, sorted)
	list := make([]point, 0, len(kept))
	for _, o := range kept {
		p := point{
			Anchor: b.anchors.add(o.ID, string(o.Operation)), ID: b.name(o.ID), Section: b.name(o.Section),
			Operation: b.name(string(o.Operation)), Statement: b.text(o.Statement),
			V5: b.observed(o.V5), V6: b.observed(o.V6), Agreement: notCompared,
		}
		if o.Agree != nil {
			p.Agreement = agrees
			if !*o.Agree {
				p.Agreement = differs
			}
		}
		p.Alike = p.V5 == p.V6
		list = append(list, p)
	}
	return list, more
}

// comparedSentence is the sentence about how many open points were compared and at how many v5 and v6 differ.
func comparedSentence(points []point) string {
	all, differ := 0, 0
	for _, p := range points {
		if p.Agreement != notCompared {
			all++
		}
		if p.Agreement == differs {
			differ++
		}
	}
	if all == 0 {
		return "v5 and v6 were compared at none of them."
	}
	return fmt.Sprintf("v5 and v6 differ at %d of the %d at which they were compared.", differ, all)
}

// observed returns what was observed for a version, with one line for each part.
func (b *builder) observed(words *string) string {
	if words == nil {
		return "not under test"
	}
	return strings.ReplaceAll(b.text(*words), "; ", "\n")
}

type excluded struct {
	Anchor, ID, Section, Statement, Reason string
}

func (b *builder) excluded() []excluded {
	kept, more := upTo(b.budget, b.report.Excluded)
	var list []excluded
	for _, e := range kept {
		list = append(list, excluded{b.anchors.add(e.ID), b.text(e.ID), b.text(e.Section), b.text(e.Statement),
			b.text(e.Reason)})
	}
	if more != "" {
		list = append(list, excluded{Statement: more})
	}
	return list
}

// volatile returns the places that were left out of the comparison.
func (b *builder) volatile() ([]report.Volatile, string) {
	kept, more := upTo(b.budget, b.report.Volatile)
	var list []report.Volatile
	for _, v := range kept {
		list = append(list, report.Volatile{Operation: b.operation(v.Operation), Pointer: b.text(v.Pointer)})
	}
	return list, more
}
