package page

import (
	"fmt"
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
	Anchor, ID, Operation, Statement string
	V5, V6                           string
	Agreement                        string
	Alike                            bool // the two texts are equal and share one cell
}

// points returns the open points, first those at which v5 and v6 differ, and a sentence about the omitted ones.
func (b *builder) points() ([]point, string) {
	var first, others []report.Observation
	for _, o := range b.report.Observations {
		if o.Diverges() {
			first = append(first, o)
		} else {
			others = append(others, o)
		}
	}
	return upTo(b.budget, append(first, others...), b.pointOf)
}

func (b *builder) pointOf(o report.Observation) point {
	p := point{Anchor: b.anchors.add(o.ID, string(o.Operation)), ID: b.name(o.ID),
		Operation: b.name(string(o.Operation)), Statement: b.text(o.Statement),
		V5: b.observed(o.V5), V6: b.observed(o.V6), Agreement: notCompared}
	p.Alike = p.V5 == p.V6
	switch {
	case o.Diverges():
		p.Agreement = differs
	case o.Agree != nil:
		p.Agreement = agrees
	}
	return p
}

// comparedSentence is the sentence about how many open points were compared and at how many v5 and v6 differ.
func comparedSentence(points []point) string {
	compared, differ := 0, 0
	for _, p := range points {
		if p.Agreement != notCompared {
			compared++
		}
		if p.Agreement == differs {
			differ++
		}
	}
	if compared == 0 {
		return "v5 and v6 were compared at none of them."
	}
	return fmt.Sprintf("v5 and v6 differ at %d of the %d at which they were compared.", differ, compared)
}

// observed returns what was observed for a version, with one line for each part.
func (b *builder) observed(words *string) string {
	if words == nil {
		return "not under test"
	}
	return strings.ReplaceAll(b.text(*words), "; ", "\n")
}

// excluded is a requirement that can't be observed.
type excluded struct{ Anchor, ID, Statement, Reason string }

func (b *builder) excluded() []excluded {
	list, more := upTo(b.budget, b.report.Excluded, func(e report.Excluded) excluded {
		return excluded{b.anchors.add(e.ID), b.text(e.ID), b.text(e.Statement), b.text(e.Reason)}
	})
	if more != "" {
		list = append(list, excluded{Statement: more})
	}
	return list
}

// volatile returns the places that were left out of the comparison.
func (b *builder) volatile() ([]report.Volatile, string) {
	return upTo(b.budget, b.report.Volatile, func(v report.Volatile) report.Volatile {
		return report.Volatile{Operation: b.operation(v.Operation), Pointer: b.text(v.Pointer)}
	})
}
