package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings/input"
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

// memberKinds has the kinds of the members that are not a text.
var memberKinds = map[string]kind{memberRequirement: kindIDs, memberUntil: kindDate}

// entry is one item of a list in the file: the values of its members as text, and where each member is. A list value is
// joined by commas.
type entry struct {
	where     string // "file:line" of the item
	texts     map[string]string
	locations map[string]string
}

// optional ends the name of a member that an entry need not have.
const optional = "?"

// eachEntry returns a setter that hands the valid items of a list to add, which reports whether the entry is still
// valid. It shows how many there are. Members are what an item has, in order. The error names every invalid item.
func eachEntry(add func(*resolver, entry) (active bool, err error), members ...string) setter {
	return func(r *resolver, _ *Target, g *rawValue) error {
		var faults []error
		all, expired := 0, 0
		for _, item := range g.node.Content {
			active := false
			e, err := g.parseEntry(item, members)
			if err == nil {
				active, err = add(r, e)
			}
			if err != nil {
				faults = append(faults, err)
				continue
			}
			if all++; !active {
				expired++
			}
		}
		if g.shown = strconv.Itoa(all); expired > 0 {
			g.shown += fmt.Sprintf(", of which %d past their date", expired)
		}
		return errors.Join(faults...)
	}
}

// parseEntry returns one item of a list. The error names everything that is wrong with it.
func (g *rawValue) parseEntry(item *yaml.Node, names []string) (entry, error) {
	var members, needed []string
	for _, name := range names {
		member, isOptional := strings.CutSuffix(name, optional)
		if members = append(members, member); !isOptional {
			needed = append(needed, member)
		}
	}
	e := entry{where: g.fileLine(item.Line), texts: map[string]string{}, locations: map[string]string{}}
	if input.Tag(item) != input.Mapping {
		return e, fmt.Errorf("%s: expected an entry with %s, got %s", e.where, strings.Join(members, ", "),
			input.Kind(item))
	}
	var faults []error
	for name, value := range input.Members(input.Resolve(item)) {
		_, twice := e.locations[name.Value]
		e.locations[name.Value] = g.fileLine(name.Line)
		if !slices.Contains(members, name.Value) {
			faults = append(faults, e.fault(name.Value, " is unknown: an entry has %s%s", strings.Join(members, ", "),
				input.Suggest(name.Value, members)))
			continue
		}
		text, err := memberKinds[name.Value].text(value)
		switch {
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
	return e, errors.Join(faults...)
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

// addIgnore stores a place that the parity comparison leaves out.
func (r *resolver) addIgnore(e entry) (active bool, err error) {
	i := Ignore{Pointer: e.texts[memberPointer], Reason: e.texts[memberReason], Where: e.where}
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
	if err == nil {
		r.settings.Ignore = append(r.settings.Ignore, i)
	}
	return i.Active(r.now), err
}

// pointerFault returns what is wrong with a JSON Pointer (RFC 6901), or "". An empty pointer is an error.
func pointerFault(pointer string) string {
	if !strings.HasPrefix(pointer, "/") {
		return "it must begin with /, such as /Device/Comment"
	}
	if _, err := strictjson.Tokens(pointer); err != nil {
		return "after ~ must come 0 (for ~) or 1 (for /)"
	}
	return ""
}

// Ignore is a place in the answers that the parity comparison leaves out.
type Ignore struct {
	// Pointer is a JSON Pointer (RFC 6901) of at least one token; the token "*" matches every index of an array.
	Pointer, Reason string
	// Until is midnight UTC at the start of the last day on which the entry is valid; the zero time means for ever.
	Until time.Time
	// Where is the entry's place, "file:line".
	Where string
}

// Active reports whether the entry is still valid: its last day, in UTC, is included.
func (i Ignore) Active(now time.Time) bool { return i.Until.IsZero() || ledger.Active(i.Until, now) }

// Ended names the waivers and the ignored places that are past their date: they explain findings that nobody expects.
func (s *Settings) Ended(now time.Time) (notes []string) {
	note := func(format, name, where string, until time.Time) {
		text := fmt.Sprintf(format+" (%s) ended on %s (UTC) and no longer holds", name, where,
			until.Format(time.DateOnly))
		if !slices.Contains(notes, text) { // a pattern has a waiver for each requirement
			notes = append(notes, text)
		}
	}
	for _, w := range s.Waivers {
		if !w.Active(now) {
			note("the waiver of %s", w.Name(), w.Where, w.Until)
		}
	}
	for _, i := range s.Ignore {
		if !i.Active(now) {
			note("parity.ignore %s", i.Pointer, i.Where, i.Until)
		}
	}
	return notes
}

// Active returns the entries that are not past their date.
func Active[E interface{ Active(time.Time) bool }](list []E, now time.Time) []E {
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return !e.Active(now) })
}
