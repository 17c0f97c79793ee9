package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
)

// Waiver is a requirement whose failure the target's owner accepts.
type Waiver struct {
	// Requirement is the id of a documented requirement.
	Requirement string
	// Pattern is the entry's pattern that matched the requirement, such as 2.1/*; empty if the entry has the id.
	Pattern string
	// Version is the version that the waiver is for; empty means all.
	Version schemas.Version
	// Verdict is the accepted verdict: Fail or Inconclusive.
	Verdict Verdict
	Reason  string
	// Until is midnight UTC at the start of the last day on which the waiver is valid.
	Until time.Time
	// Where is the entry's place, "file:line".
	Where string
}

// Name returns what the entry in the file names: an id or a pattern.
func (w Waiver) Name() string {
	if w.Pattern != "" {
		return w.Pattern
	}
	return w.Requirement
}

// Active reports whether the waiver is still valid: its last day, in UTC, is included.
func (w Waiver) Active(now time.Time) bool { return Active(w.Until, now) }

// Overlaps reports whether both waivers apply to the same verdict of the same row.
func (w Waiver) Overlaps(other Waiver) bool {
	return w.Requirement == other.Requirement && w.Verdict == other.Verdict &&
		(w.Version == other.Version || w.Version == "" || other.Version == "")
}

// covers reports whether the waiver is one of a row.
func (w Waiver) covers(row *Row) bool {
	return row.ID == w.Requirement && (w.Version == "" || row.Version == w.Version)
}

// Active reports whether a last day, midnight UTC at its start, is not over.
func Active(until, now time.Time) bool { return now.Before(until.AddDate(0, 0, 1)) }

// longWaiver is for how many years a waiver may be valid without a note.
const longWaiver = 1

// soonOver is how many days before its end a waiver is named.
const soonOver = 14

// waiverUse is the effect of one valid waiver, for an id or for all ids that a pattern matches.
type waiverUse struct {
	Waiver
	used bool               // it applied to a row
	rows map[Verdict][]*Row // that it covers and this run judged
}

// Waive applies the waivers to the rows and returns messages about the waivers. Stale ones, whose rows pass, fail the
// run. Those that ended, end late or have no effect are only named.
//
// A waiver of a failure is stale if none of its rows fails and some pass.
func (l *Ledger) Waive(waivers []Waiver, now time.Time) (stale, named []string) {
	var uses []*waiverUse
	for i, w := range waivers {
		again := i > 0 && w.Pattern != "" && w.Pattern == waivers[i-1].Pattern && w.Where == waivers[i-1].Where
		if !again {
			uses = append(uses, &waiverUse{Waiver: w, rows: map[Verdict][]*Row{}})
		}
		if w.Active(now) {
			uses[len(uses)-1].apply(l.rows, w)
			continue
		}
		for _, row := range l.rows {
			row.Ended = row.Ended || w.covers(row)
		}
	}
	for _, u := range uses {
		name := fmt.Sprintf("the waiver of %s (%s) ", u.Name(), u.Where)
		until := u.Until.Format(time.DateOnly)
		if !u.Active(now) {
			continue
		}
		if u.used && !u.Active(now.AddDate(0, 0, soonOver)) {
			named = append(named, name+"ends on "+until+" (UTC): what it sets aside counts after that")
		}
		if u.Until.After(now.AddDate(longWaiver, 0, 0)) {
			named = append(named, name+"ends on "+until+
				", more than a year ahead: set a nearer end, and renew it if it is still needed then")
		}
		if fault := u.staleReason(); fault != "" {
			stale = append(stale, name+fault)
		}
		if fault := u.ineffective(); fault != "" {
			named = append(named, name+fault)
		}
	}
	return stale, named
}

// apply waives the rows of a requirement that have the waiver's verdict.
func (u *waiverUse) apply(rows []*Row, w Waiver) {
	for _, row := range rows {
		if !w.covers(row) || !row.Selected {
			continue
		}
		if row.Verdict() == w.Verdict {
			row.Waiver = &w
			u.used = true
		}
		if row.Reason != NotRun {
			u.rows[row.Verdict()] = append(u.rows[row.Verdict()], row)
		}
	}
}

// staleReason returns why a waiver fails the run, or "" if it does not.
func (u *waiverUse) staleReason() string {
	switch {
	case u.Verdict != Fail, u.used, len(u.rows[Pass]) == 0:
		return ""
	case len(u.rows[Inconclusive]) > 0:
		return "is stale: none of its rows fails; remove it, or, to set aside those that are inconclusive, add " +
			"verdict: inconclusive"
	}
	return "is stale: what it waives passes now; remove it"
}

// ineffective returns what a waiver lacks to cover rows that still count, or why it has no effect at all. It returns ""
// if there is nothing to report.
func (u *waiverUse) ineffective() string {
	if u.staleReason() != "" || u.Pattern != "" && u.used {
		return ""
	}
	has, needs := Inconclusive, "add verdict: inconclusive"
	if u.Verdict == Inconclusive {
		has, needs = Fail, "write verdict: fail"
	}
	open := slices.DeleteFunc(slices.Clone(u.rows[has]), func(row *Row) bool { return row.Waiver != nil })
	switch {
	case len(open) > 0:
		return fmt.Sprintf("has no effect in %s: it waives %s, and the result is %s; to set that aside %s",
			versionsOf(open), u.Verdict, has, needs)
	case u.used:
		return ""
	case len(u.rows) == 0:
		return "has no effect: this run does not judge its requirement"
	case len(u.rows[Pass]) > 0:
		return "has no effect: nothing that it covers is inconclusive now; remove it"
	}
	return "has no effect: another waiver sets the same rows aside"
}

// versionsOf names the versions of the rows, each once.
func versionsOf(rows []*Row) string {
	var versions []string
	for _, row := range rows {
		if !slices.Contains(versions, string(row.Version)) {
			versions = append(versions, string(row.Version))
		}
	}
	return strings.Join(versions, ", ")
}
