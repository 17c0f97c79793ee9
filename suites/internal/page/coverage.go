package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// coverage is which alternatives of the requirements were seen.
type coverage struct {
	Sentence string
	Rows     []coverageRow
	More     string
}

type coverageRow struct{ ID, Version, Seen, Never string }

func (b *builder) coverage() *coverage {
	if len(b.report.Coverage) == 0 {
		return nil
	}
	seen, all := 0, 0
	for _, c := range b.report.Coverage {
		seen += len(c.Seen)
		all += len(c.Seen) + len(c.Never)
	}
	rows, more := upTo(b.budget, b.report.Coverage, func(c report.Coverage) coverageRow {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(c.Seen)) {
			parts = append(parts, fmt.Sprintf("%s (%d)", name, c.Seen[name]))
		}
		return coverageRow{b.name(c.ID), b.name(string(c.Version)), b.text(strings.Join(parts, ", ")),
			b.text(strings.Join(c.Never, ", "))}
	})
	return &coverage{wording.Number(seen) + " of " + wording.Number(all) + " alternatives.", rows, more}
}
