package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// The words for whether v5 and v6 agree at an open point.
const (
	differs     = "differ"
	explained   = "differ, by what failed"
	agrees      = "alike"
	notCompared = "not compared"
)

// point is an open point: what the document leaves open, and what the target does there.
type point struct {
	Anchor, ID, Operation, Statement string
	Versions                         []schemas.Version
	Seen                             []seen // by each version, or by all alike
	Agreement                        string
}

// Names returns the names of the versions for a sentence.
func (p point) Names() string { return schemas.Named(p.Versions) }

// seen is what a version shows, in a cell that spans Columns.
type seen struct {
	By      string
	Columns int
	Parts   []string
}

// points are the open points: those at which versions differ, and the others, which are folded.
type points struct {
	Names            string // of the versions, for a sentence
	Compared         string // a sentence about how many agree
	Differing        []point
	Others           []point
	OtherCount, More string
}

// points returns the open points. A difference that a finding explains is folded too.
func (b *builder) points() *points {
	var first, others []report.Observation
	for _, o := range b.report.Observations {
		if o.Diverges() && !o.Explained {
			first = append(first, o)
		} else {
			others = append(others, o)
		}
	}
	all, more := upTo(b.budget, append(first, others...), b.pointOf)
	if len(all) == 0 {
		return nil
	}
	n := min(len(first), len(all))
	names := all[0].Names()
	return &points{names, comparedSentence(all, names), all[:n], all[n:],
		wording.Plural(len(all)-n, "other open point", "other open points"), more}
}

func (b *builder) pointOf(o report.Observation) point {
	p := point{Anchor: b.anchors.add(o.ID, string(o.Operation)), ID: b.name(o.ID),
		Operation: b.name(string(o.Operation)), Statement: b.text(o.Statement),
		Agreement: notCompared}
	alike := true
	p.Versions = o.Seen.Versions()
	for i, v := range p.Versions {
		p.Seen = append(p.Seen, seen{string(v), 1, b.observed(o.Seen, v)})
		alike = alike && slices.Equal(p.Seen[i].Parts, p.Seen[0].Parts)
	}
	if alike {
		p.Seen = []seen{{"both", len(p.Seen), p.Seen[0].Parts}}
	}
	switch {
	case o.Explained:
		p.Agreement = explained
	case o.Diverges():
		p.Agreement = differs
	case o.Agree != nil:
		p.Agreement = agrees
	}
	return p
}

// comparedSentence is the sentence about how many open points were compared and at how many the versions differ.
func comparedSentence(points []point, names string) string {
	compared, differ := 0, 0
	for _, p := range points {
		if p.Agreement != notCompared {
			compared++
		}
		if p.Agreement == differs || p.Agreement == explained {
			differ++
		}
	}
	if compared == 0 {
		return names + " were compared at none of them."
	}
	return fmt.Sprintf("%s differ at %d of the %d at which they were compared.", names, differ, compared)
}

// observed returns the parts of what was observed for a version.
func (b *builder) observed(all report.Seen, v schemas.Version) []string {
	one, ok := all[v]
	switch {
	case !ok:
		return []string{"not under test"}
	case len(one.Parts) == 0: // the report was read from a file, which has only the text
		return b.texts([]string{one.Text})
	}
	return b.texts(one.Parts)
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
