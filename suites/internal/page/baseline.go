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
	Entries []baselineEntry // new, grown and stale ones
	Known   []baselineEntry
	// KnownCount is the number of known entries, in words.
	KnownCount string
	Changed    []report.Changed
	More       []string
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
		Counts: fmt.Sprintf("%d new, %d grown, %d stale, %d known; %s", len(g.New), len(g.Grown), len(g.Stale),
			len(g.Known), g.Changes()),
		KnownCount: wording.Plural(len(g.Known), "known cause", "known causes"),
	}
	links := map[string]string{}
	for _, r := range rows {
		links[r.Key()] = r.Link()
	}
	add := func(list *[]baselineEntry, word string, all []report.Entry) {
		entries, more := upTo(b.budget, all, func(e report.Entry) baselineEntry {
			key := b.name(e.Requirement) + " " + b.name(string(e.Version))
			often := wording.Times(e.Count)
			if e.Was != e.Users {
				often = fmt.Sprintf("%s in the baseline, now %d", wording.Count(e.Was, "user"), e.Users)
			}
			return baselineEntry{word, key, links[key], b.name(e.Kind), b.text(e.Pointer), often}
		})
		*list, out.More = append(*list, entries...), append(out.More, more)
	}
	add(&out.Entries, "new", g.New)
	add(&out.Entries, "grown", g.Grown)
	add(&out.Entries, "stale", g.Stale)
	add(&out.Known, "known", g.Known)
	changed, more := upTo(b.budget, g.Changed, func(c report.Changed) report.Changed {
		return report.Changed{ID: b.name(c.ID), Operation: b.operation(c.Operation),
			Version: schemas.Version(b.name(string(c.Version))), Was: b.text(c.Was), Is: b.text(c.Is)}
	})
	out.Changed, out.More = changed, append(out.More, more)
	return out
}
