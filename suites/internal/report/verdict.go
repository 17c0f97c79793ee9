package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
)

// Gate is the comparison of a report with its baseline.
type Gate struct {
	Digest      string    `json:"digest"`  // of the baseline's file, sha256:…
	New         []Entry   `json:"new"`     // these fail the run
	Grown       []Entry   `json:"grown"`   // known, but of more users of the same list: these fail the run
	Known       []Entry   `json:"known"`   // accepted: they failed or were inconclusive in the baseline too
	Stale       []Entry   `json:"stale"`   // failed in the baseline but not now: fail the run until it is refreshed
	Changed     []Changed `json:"changed"` // open points
	ChangeFails bool      `json:"changeFails"`
}

// Changes returns the number of open points that changed.
func (g *Gate) Changes() string {
	return wording.Plural(len(g.Changed), "open point changed", "open points changed")
}

// changed reports whether a version does something else at an open point than in the baseline.
func (g *Gate) changed(o Observation) bool {
	return slices.ContainsFunc(g.Changed, func(c Changed) bool { return c.ID == o.ID && c.Operation == o.Operation })
}

// Entry is one cause of one row. Runs are compared by their entries.
type Entry struct {
	Requirement string          `json:"requirement"`
	Version     schemas.Version `json:"version"`
	check.Key
	Count int `json:"count"`
	// Was and Users are for how many users the cause was found in the baseline and now; 0 if that is not known, or is
	// equal.
	Was   int `json:"was,omitempty"`
	Users int `json:"users,omitempty"`
}

// is reports whether the entry is about a cause of a row.
func (e Entry) is(row *Row, c Cause) bool {
	return e.Requirement == row.ID && e.Version == row.Version && e.Key == c.Key
}

// Changed is an open point at which a version behaves differently than in the baseline.
type Changed struct {
	ID        string            `json:"id"`
	Operation schemas.Operation `json:"operation"`
	Version   schemas.Version   `json:"version"`
	Was       string            `json:"was"`
	Is        string            `json:"is"`
}

// rows returns the rows, to read and to change.
func (r *Report) rows() []*Row {
	list := make([]*Row, len(r.Requirements))
	for i := range r.Requirements {
		list[i] = &r.Requirements[i]
	}
	return list
}

// Row returns the row of a key, or nil.
func (r *Report) Row(key ledger.Key) *Row {
	for _, row := range r.rows() {
		if row.ID == key.ID && row.Version == key.Version {
			return row
		}
	}
	return nil
}

// Observed returns what a version did at an open point, one line for each operation.
func (r *Report) Observed(key ledger.Key) []string {
	var lines []string
	for _, o := range r.Observations {
		if seen, ok := o.Seen[key.Version]; ok && o.ID == key.ID {
			lines = append(lines, fmt.Sprintf("%s: %s", o.Operation, seen))
		}
	}
	return lines
}

// Undecided returns how many rows are inconclusive, and neither waived nor known nor left out by a filter.
func (r *Report) Undecided() int {
	return len(slices.DeleteFunc(r.rows(), func(row *Row) bool { return !row.Open() }))
}

// staleLevel is how much stale waivers and entries of the baseline matter.
func (r *Report) staleLevel() Level {
	if r.StaleReported {
		return Warning
	}
	return Failing
}

// StaleEntries says what fails the run although no row fails: stale waivers, entries of the baseline, and changed open
// points. It is "" if there are none.
func (r *Report) StaleEntries() string {
	causes := r.staleCauses()
	if len(causes) == 0 {
		return ""
	}
	return strings.Join(append([]string{strings.Join(causes, ", ")}, failing(r.stale(), r.baseline())...), "\n")
}

// Narrowed reports whether the run was not carried out as a whole: a filter left rows out, or evidence is missing. Such
// a run is not complete for another reason than rows that could not be decided.
func (r *Report) Narrowed() bool {
	left := func(row *Row) bool { return row.NotRun() }
	undecided := func(row *Row) bool { return row.Verdict == ledger.Inconclusive }
	return len(r.Missing) > 0 || slices.ContainsFunc(r.rows(), left) ||
		!r.Complete && !slices.ContainsFunc(r.rows(), undecided)
}

// NotRun reports whether a filter excluded the row.
func (r *Row) NotRun() bool { return r.Reason != nil && *r.Reason == ledger.NotRun }

// Entry returns a cause of the row as an entry of the gate.
func (r *Row) Entry(c Cause) Entry {
	return Entry{Requirement: r.ID, Version: r.Version, Key: c.Key, Count: c.Count}
}

// Judge sets the verdict of the report, and whether it certifies and until which day (in UTC), from its rows, waivers
// and baseline. The first that applies is the verdict:
//
//   - error: the run was not carried out.
//   - fail: a row failed that is neither waived nor known, a waiver or a baseline entry is stale, or an open point
//     changed (with divergence: fail).
//   - inconclusive: a row is inconclusive that is neither waived nor known, nothing passed, or evidence is missing.
//   - pass.
func (r *Report) Judge() {
	r.Verdict = r.verdict()
	r.Certifies = r.Verdict == ledger.Pass && len(r.Limits()) == 0
	r.ValidUntil = nil
	if r.Certifies && r.Subject != nil && r.Subject.validFor > 0 && r.Finished != nil {
		r.ValidUntil = new(r.Finished.AddDate(0, 0, r.Subject.validFor).Format(time.DateOnly))
	}
}

func (r *Report) verdict() ledger.Verdict {
	if r.Error != nil {
		return ledger.Fault
	}
	if len(r.staleCauses()) > 0 {
		return ledger.Fail
	}
	passed, open := false, len(r.Missing) > 0
	for _, row := range r.rows() {
		switch {
		case row.Verdict == ledger.Pass:
			passed = true
		case row.Waiver != nil, row.NotRun():
		case row.Verdict == ledger.Fail:
			if !row.Known {
				return ledger.Fail
			}
		default:
			open = open || !row.Known
		}
	}
	if open || !passed {
		return ledger.Inconclusive
	}
	return ledger.Pass
}

// BuiltInReference is what every report says first if no target was given. Such a run is a demonstration and certifies
// nothing.
const BuiltInReference = "the built-in reference, no deployed service was asked"

// TakeOver puts into a report that was made again from evidence what that does not have: how it came to be, notes, the
// baseline and, if something in it is redacted, the open points that show that. A baseline may change the verdict, but
// never to one that certifies.
func (r *Report) TakeOver(first *Report, isRedacted bool) {
	r.Command, r.JudgedAgain, r.Notes, r.Gate = first.Command, first.JudgedAgain, first.Notes, first.Gate
	for i, o := range r.Observations {
		j := slices.IndexFunc(first.Observations, func(other Observation) bool {
			return other.ID == o.ID && other.Operation == o.Operation
		})
		if j >= 0 && isRedacted && strings.Contains(fmt.Sprint(first.Observations[j].Seen), sanitize.Redacted) {
			r.Observations[i] = first.Observations[j]
		}
	}
	r.Judge()
}

// JudgedAgain marks a report made from recorded evidence: no target was contacted.
type JudgedAgain struct {
	Evidence string `json:"evidence"` // its digest, sha256:…
}

// Users identifies the users for whom a run sent requests.
type Users struct {
	Count  int    `json:"count"`
	Digest string `json:"digest"` // sha256:… of the list, which shows whether two runs used the same users
}

// Limits lists why a run that passed certifies nothing; empty if it certifies. Last is what does not count for the
// verdict: waived rows, rows known from the baseline, and ignored places at which v5 and v6 differ. A report that was
// read does not have the ignored places.
func (r *Report) Limits() []string {
	var list []string
	if r.Narrowed() { // rows that are not decided are waived or known, if the run passes
		list = append(list, "not complete")
	}
	if r.Embedded {
		list = append(list, BuiltInReference)
	}
	if r.JudgedAgain != nil {
		list = append(list, "judged again from evidence")
	}
	for _, v := range schemas.InOrder(r.Recorded) {
		list = append(list, string(v)+" was recorded, not asked")
	}
	known, until := 0, []string{}
	for _, row := range r.Requirements {
		switch {
		case row.Waiver != nil:
			until = append(until, row.Waiver.Until)
		case row.Known:
			known++
		}
	}
	if waived := len(until); waived > 0 {
		slices.Sort(until)
		list = append(list, fmt.Sprintf("%s waived (until %s UTC)", wording.Count(waived, "check"),
			strings.Join(slices.Compact(until), ", ")))
	}
	if known > 0 {
		list = append(list, wording.Count(known, "check")+" known from the baseline")
	}
	if len(r.usedIgnores) > 0 {
		list = append(list, wording.Count(len(r.usedIgnores), "difference")+" ignored (parity.ignore "+
			strings.Join(r.usedIgnores, ", ")+")")
	}
	return list
}
