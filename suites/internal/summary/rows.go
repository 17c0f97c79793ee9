package summary

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// mostIDs is how many requirements one line names: one version has fewer.
const mostIDs = 50

// roomFence is what a fence around an error takes at most, with a last line that says how much was cut.
const roomFence = 200

// fault shows why the run could not be carried out.
func fault(r *report.Report) *section {
	s := newSection("Error", roomError)
	if r.Error == nil {
		return s
	}
	s.say("The run was not carried out to its end, and certifies nothing. Correct what is named here, and run again.")
	lines, size := strings.Split(fewBackticks(*r.Error), "\n"), 0
	for i, line := range lines {
		lines[i] = redact.Printable(line, mostText)
		if size += len(lines[i]) + len("\n"); size > s.room-roomFence {
			lines = append(lines[:i:i], "… and "+wording.Plural(len(lines)-i, "more line", "more lines"))
			break
		}
	}
	s.add(1, func() string { return fenced("text", strings.Join(lines, "\n"), 0) })
	return s
}

// group is the open rows of one reason in one version.
type group struct {
	reason  ledger.Reason
	version schemas.Version
	ids     []string
}

// openRows groups the rows that are inconclusive and neither waived nor left out, in the order of reasons and versions.
func openRows(r *report.Report) []group {
	var groups []group
	for _, reason := range []ledger.Reason{ledger.NotServed, ledger.NoWitness, ledger.NotComparable} {
		for _, v := range append(schemas.Versions(), schemas.Parity) {
			g := group{reason: reason, version: v}
			for i := range r.Requirements {
				if row := &r.Requirements[i]; isOpen(row) && *row.Reason == reason && row.Version == v {
					g.ids = append(g.ids, row.ID)
				}
			}
			if len(g.ids) > 0 {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

func isOpen(row *report.Row) bool {
	return row.Verdict == ledger.Inconclusive && row.Waiver == nil && !row.Known && row.Reason != nil && !row.NotRun()
}

// open shows what stayed inconclusive, why, and what to do.
func open(r *report.Report, room int) *section {
	s := newSection("Inconclusive", room)
	for _, g := range openRows(r) {
		s.add(len(g.ids), func() string {
			return fmt.Sprintf("- %s: %s. %s\n", g.version, codes(g.ids, mostName, mostIDs), remedy(g.reason))
		})
	}
	left := 0
	for i := range r.Requirements {
		row := &r.Requirements[i]
		if row.NotRun() {
			left++
		}
		if isOpen(row) {
			each(s, row.Notes, func(note string) string {
				return fmt.Sprintf("- note on %s: %s\n", name(row.Version, row.ID), code(note, mostPlace))
			})
		}
	}
	if left > 0 && r.Error == nil {
		s.add(left, func() string {
			return fmt.Sprintf("- %s not run: run without a filter, and to the end.\n", wording.Plural(left, "row was", "rows were"))
		})
	}
	return s
}

// remedy says why a row is open, and what to do about it.
func remedy(reason ledger.Reason) string {
	why := report.Why(reason)
	switch reason {
	case ledger.NotServed:
		return why + "; check token, application and users, then what failed above."
	case ledger.NotComparable:
		return why + "; look for what failed above, or changes from call to call."
	default:
		return why + "."
	}
}

// lacking shows what the evidence lacks, of a run that was judged again.
func lacking(r *report.Report) *section {
	s := newSection("Lacking in the evidence", roomLacking)
	each(s, r.Lacking, item)
	return s
}

// waived shows what the target's owner set aside.
func waived(r *report.Report, room int) *section {
	s := newSection("Waived", room)
	for i := range r.Requirements {
		if row := &r.Requirements[i]; row.Waiver != nil {
			s.add(1, func() string {
				return fmt.Sprintf("- %s, %s, until %s: %s\n", name(row.Version, row.ID), code(string(row.Verdict), mostName), code(row.Waiver.Until, mostName), code(row.Waiver.Reason, mostPlace))
			})
		}
	}
	return s
}

// staleWaivers shows the waivers of failures that pass now.
func staleWaivers(r *report.Report) *section {
	s := newSection("Stale waivers", roomStale)
	if len(r.Stale) > 0 {
		s.say("They fail the run: remove them.")
	}
	each(s, r.Stale, item)
	return s
}

// divergences sets v5 beside v6 at the open points where they differ.
func divergences(r *report.Report) *section {
	s := newSection("Divergences", roomDivergences)
	list := divergent(r)
	if len(list) > 0 {
		s.say("v5 and v6 differ where the document is silent.")
	}
	each(s, list, func(o report.Observation) string {
		return fmt.Sprintf("- %s of %s: v5 %s, v6 %s\n", code(o.ID, mostName), code(string(o.Operation), mostName), shown(o.V5), shown(o.V6))
	})
	return s
}

// divergent lists the open points at which v5 and v6 differ.
func divergent(r *report.Report) []report.Observation {
	var list []report.Observation
	for _, o := range r.Observations {
		if o.Agree != nil && !*o.Agree {
			list = append(list, o)
		}
	}
	return list
}

func shown(text *string) string {
	if text == nil {
		return empty
	}
	return code(*text, mostPlace)
}

func notes(r *report.Report) *section {
	s := newSection("Notes", roomNotes)
	each(s, r.Notes, item)
	return s
}

// name is a row's.
func name(v schemas.Version, id string) string {
	return code(string(v), mostName) + " " + code(id, mostName)
}
