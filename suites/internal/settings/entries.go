package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// entry is one item of a list in the configuration file, whose members are texts; one that is a list itself is joined
// by commas.
type entry struct {
	where string
	texts map[string]string
	lines map[string]string
}

// readEntries reads a list of entries whose members must be among known; those in needed must be there. An entry with
// a fault is left out and named.
func readEntries(g given, known, needed []string) (list []entry, faults []error) {
	for _, item := range g.node.Content {
		e, err := readEntry(g, item.Line, resolved(item), known, needed)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		list = append(list, e)
	}
	return list, faults
}

func readEntry(g given, line int, node *yaml.Node, known, needed []string) (entry, error) {
	e := entry{where: g.at(line), texts: map[string]string{}, lines: map[string]string{}}
	if tagOf(node) != tagMapping {
		return e, fmt.Errorf("%s: expected an entry with %s, got %s", e.where, strings.Join(known, ", "), kindOf(node))
	}
	var faults []error
	for _, m := range pairs(node) {
		_, twice := e.lines[m.name]
		e.lines[m.name] = g.at(m.line)
		text, fault := entryText(m, known)
		if twice {
			fault = "stands twice in one entry: leave one"
		}
		if fault != "" {
			faults = append(faults, fmt.Errorf("%s: member %s %s", g.at(m.line), quote(m.name), fault))
			continue
		}
		e.texts[m.name] = text
	}
	for _, name := range needed {
		if _, ok := e.lines[name]; !ok {
			faults = append(faults, fmt.Errorf("%s: member %s is missing: each entry needs %s", e.where, quote(name),
				strings.Join(needed, ", ")))
		}
	}
	return e, errors.Join(faults...)
}

// entryText reads one member, or says what is wrong with it. A date needs no quotes, although YAML has a type for it.
func entryText(m pair, known []string) (text, fault string) {
	if !slices.Contains(known, m.name) {
		return "", fmt.Sprintf("is not known: an entry has %s%s", strings.Join(known, ", "), guess(m.name, known))
	}
	accepted := textForm("")
	switch m.name {
	case memberUntil:
		accepted.tags = append(accepted.tags, tagDate)
		accepted.expected = "a date such as 2027-01-31"
	case memberRequirement:
		accepted = wordsForm("")
		accepted.expected = "an id such as 2.1/Id, a pattern such as 2.1/*, or a list of these"
	}
	text, err := accepted.text(m.value)
	if err != nil {
		return "", "is wrong: " + err.Error()
	}
	if strings.TrimSpace(text) == "" {
		return "", "is empty: give a value"
	}
	return text, ""
}

// fault is an error at a member of the entry.
func (e entry) fault(name, format string, values ...any) error {
	return fmt.Errorf("%s: member %s: %s", e.lines[name], quote(name), fmt.Sprintf(format, values...))
}

// counted shows a list of entries: how many, and how many of them no longer hold.
func counted(all, past int) string {
	if past == 0 {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d, of which %d past their date", all, past)
}
