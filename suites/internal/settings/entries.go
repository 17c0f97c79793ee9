package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/input"
)

// The members of an entry of waivers and of parity.ignore.
const (
	memberRequirement = "requirement"
	memberVersion     = "version"
	memberVerdict     = "verdict"
	memberReason      = "reason"
	memberUntil       = "until"
	memberPointer     = "pointer"
)

// column is a member that each entry of a list in the file has.
type column struct {
	name     string
	kind     kind
	optional bool
}

// entry is one item of a list in the file: the values of its members as text, and where each member is. A list value is
// joined by commas.
type entry struct {
	where     string // "file:line" of the item
	texts     map[string]string
	locations map[string]string
}

// parseEntries returns the valid items of a list. The error names every invalid one.
func (g rawValue) parseEntries(columns ...column) (list []entry, err error) {
	var names, needed []string
	for _, c := range columns {
		if names = append(names, c.name); !c.optional {
			needed = append(needed, c.name)
		}
	}
	var faults []error
	for _, item := range g.node.Content {
		e := entry{where: g.fileLine(item.Line), texts: map[string]string{}, locations: map[string]string{}}
		if input.Tag(item) != input.Mapping {
			faults = append(faults, fmt.Errorf("%s: expected an entry with %s, got %s", e.where,
				strings.Join(names, ", "), input.Kind(item)))
			continue
		}
		before := len(faults)
		for name, value := range input.Members(input.Resolve(item)) {
			_, twice := e.locations[name.Value]
			e.locations[name.Value] = g.fileLine(name.Line)
			var text string
			var err error
			at := slices.Index(names, name.Value)
			if at >= 0 {
				text, err = columns[at].kind.text(value)
			}
			switch {
			case at < 0:
				err = e.fault(name.Value, " is unknown: an entry has %s%s", strings.Join(names, ", "),
					input.Suggest(name.Value, names))
			case twice:
				err = e.fault(name.Value, " occurs twice in one entry: remove one")
			case err != nil:
				err = e.fault(name.Value, ": %v", err)
			case strings.TrimSpace(text) == "":
				err = e.fault(name.Value, " is empty: give a value")
			}
			if e.texts[name.Value] = text; err != nil {
				faults = append(faults, err)
			}
		}
		for _, name := range needed {
			if _, ok := e.locations[name]; !ok {
				faults = append(faults, fmt.Errorf("%s: member %s is missing: each entry needs %s", e.where,
					input.Quote(name), strings.Join(needed, ", ")))
			}
		}
		if len(faults) == before {
			list = append(list, e)
		}
	}
	return list, errors.Join(faults...)
}

// fault returns an error about one member of the entry, with its file and line.
func (e entry) fault(name, format string, values ...any) error {
	return fmt.Errorf("%s: member %s%s", e.locations[name], input.Quote(name), fmt.Sprintf(format, values...))
}

// until returns midnight UTC at the start of the entry's last day.
func (e entry) until() (time.Time, error) {
	day, err := time.Parse(time.DateOnly, e.texts[memberUntil])
	if err != nil {
		err = e.fault(memberUntil, ": expected a date such as 2027-01-31, got %s", input.Quote(e.texts[memberUntil]))
	}
	return day, err
}

// countEntries returns the number of entries as text, and how many of them have expired.
func countEntries(all, expired int) string {
	if expired == 0 {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d, of which %d past their date", all, expired)
}

// setIgnore reads the places that the parity comparison leaves out.
func (r *resolver) setIgnore(g rawValue) error {
	list, err := g.parseEntries(column{memberPointer, kindText, false}, column{memberReason, kindText, false},
		column{memberUntil, kindDate, true})
	faults, expired := []error{err}, 0
	for _, e := range list {
		i := Ignore{Pointer: e.texts[memberPointer], Reason: e.texts[memberReason], Where: e.where}
		var err error
		if e.texts[memberUntil] != "" {
			i.Until, err = e.until()
		}
		if fault := pointerFault(i.Pointer); fault != "" {
			err = e.fault(memberPointer, ": %s is not a JSON Pointer (RFC 6901): %s", input.Quote(i.Pointer), fault)
		}
		for _, other := range r.settings.Ignore {
			if other.Pointer == i.Pointer {
				err = fmt.Errorf("%s: leaves out %s again, as %s does: remove one", i.Where, input.Quote(i.Pointer),
					other.Where)
			}
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if !i.Active(r.now) {
			expired++
		}
		r.settings.Ignore = append(r.settings.Ignore, i)
	}
	r.show(nameIgnore, countEntries(len(r.settings.Ignore), expired), g.source)
	return errors.Join(faults...)
}

// pointerFault returns what is wrong with a JSON Pointer (RFC 6901), or "". An empty pointer is an error.
func pointerFault(pointer string) string {
	if !strings.HasPrefix(pointer, "/") {
		return "it must begin with /, such as /Device/Comment"
	}
	for at, r := range pointer {
		if r == '~' && !strings.HasPrefix(pointer[at:], "~0") && !strings.HasPrefix(pointer[at:], "~1") {
			return "after ~ must come 0 (for ~) or 1 (for /)"
		}
	}
	return ""
}
