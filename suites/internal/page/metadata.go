package page

import (
	"fmt"
	"maps"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// settings are the settings in effect.
type settings struct {
	List []report.Setting
	More string // what is not shown
}

func (b *budget) settings(all []report.Setting) settings {
	list, more := upTo(b, all, func(s report.Setting) report.Setting {
		return report.Setting{Name: b.text(s.Name), Value: b.text(s.Value), Source: b.text(s.Source)}
	})
	return settings{list, more}
}

// buildInfo is what the suite was built from.
type buildInfo struct{ Files, Libraries []entry }

func (b *budget) buildInfo(s report.Suite) buildInfo {
	return buildInfo{b.pairs(s.Files), b.pairs(s.Libraries)}
}

// pairs returns the entries of a map, sorted by name.
func (b *budget) pairs(entries map[string]string) []entry {
	list, more := upTo(b, slices.Sorted(maps.Keys(entries)),
		func(name string) entry { return entry{b.text(name), b.text(entries[name])} })
	if more != "" {
		list = append(list, entry{Name: more})
	}
	return list
}

// counts returns the numbers of the run.
func (b *builder) counts() []entry {
	c := b.report.Counts
	list := []entry{
		{"requests", wording.Number(c.Requests)},
		{"throttled: waited out and sent again", wording.Number(c.Throttled)},
		{"sent again, as a kept connection was closed", wording.Number(c.Repeated)},
		{"examples that this build of the suite was tested with", wording.Number(c.SelfChecked)},
	}
	for _, v := range schemas.InOrder(c.Served) {
		list = append(list, entry{"users served by " + string(v),
			fmt.Sprintf("%s of %s", wording.Number(c.Served[v]), wording.Number(c.Users))})
	}
	return list
}
