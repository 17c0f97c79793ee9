package page

import (
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// baseline is the comparison of the run with an earlier one.
type baseline struct {
	Counts  string
	Entries []baselineEntry
	Changed []report.Changed
	More    []string
}

type baselineEntry struct {
	Word, Key, Link, Kind, Pointer, Times string
}

func (b *builder) baseline(rows []*row) *baseline {
	g := b.report.Gate
	if g == nil {
		return nil
	}
	out := &baseline{
		Counts: fmt.Sprintf("%d new, %d stale, %d known; %s", len(g.New), len(g.Stale), len(g.Known), g.Changes()),
	}
	links := map[string]string{}
	for _, r := range rows {
		links[r.Key()] = r.Link()
	}
	add := func(word string, all []report.Entry) {
		entries, more := upTo(b.budget, all, func(e report.Entry) baselineEntry {
			key := b.name(e.Requirement) + " " + b.name(string(e.Version))
			return baselineEntry{word, key, links[key], b.name(e.Kind), b.text(e.Pointer), wording.Times(e.Count)}
		})
		out.Entries, out.More = append(out.Entries, entries...), append(out.More, more)
	}
	add("new", g.New)
	add("stale", g.Stale)
	add("known", g.Known)
	changed, more := upTo(b.budget, g.Changed, func(c report.Changed) report.Changed {
		return report.Changed{ID: b.name(c.ID), Operation: b.operation(c.Operation),
			Version: schemas.Version(b.name(string(c.Version))), Was: b.text(c.Was), Is: b.text(c.Is)}
	})
	out.Changed, out.More = changed, append(out.More, more)
	return out
}
