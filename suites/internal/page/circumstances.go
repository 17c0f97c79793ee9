package page

import (
	"maps"
	"slices"

	"authenticator-conformance/suites/internal/report"
)

// entry is a name with a value.
type entry struct{ Name, Value string }

// settings are those in effect.
type settings struct {
	List []report.Setting
	More string // what is not shown
}

func (m *maker) settings(all []report.Setting) settings {
	kept, more := upTo(m, all)
	out := settings{More: more}
	for _, s := range kept {
		out.List = append(out.List, report.Setting{Name: m.text(s.Name), Value: m.text(s.Value), Source: m.text(s.Source)})
	}
	return out
}

// built is what the suite was built of.
type built struct{ Files, Libraries []entry }

func (m *maker) built(s report.Suite) built { return built{m.pairs(s.Files), m.pairs(s.Libraries)} }

// pairs are the entries of a map, sorted by name.
func (m *maker) pairs(entries map[string]string) []entry {
	names, more := upTo(m, slices.Sorted(maps.Keys(entries)))
	var list []entry
	for _, name := range names {
		list = append(list, entry{m.text(name), m.text(entries[name])})
	}
	if more != "" {
		list = append(list, entry{Name: more})
	}
	return list
}
