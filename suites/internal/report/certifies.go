package report

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/wording"
)

// BuiltInReference is what every report says first if no target was given. Such a run is a demonstration and certifies
// nothing.
const BuiltInReference = "the built-in reference, no deployed service was asked"

// JudgedAgain marks a report made from recorded evidence: no target was contacted.
type JudgedAgain struct {
	Evidence string `json:"evidence"` // its digest, sha256:…
}

// Users identifies the users for whom a run sent requests.
type Users struct {
	Count  int    `json:"count"`
	Digest string `json:"digest"` // sha256:… of the list, which shows whether two runs used the same users
}

// setAside describes what does not count for the verdict: waived rows, rows known from the baseline, and ignored places
// at which v5 and v6 differ. A run with any of these certifies nothing.
func (r *Report) setAside() []string {
	waived, known, until := 0, 0, []string{}
	for _, row := range r.Requirements {
		switch {
		case row.Waiver != nil:
			waived++
			until = append(until, row.Waiver.Until)
		case row.Known:
			known++
		}
	}
	var list []string
	if waived > 0 {
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

// Limits lists why a run that passed certifies nothing; empty if it certifies. Of a report that was read it does not
// have the ignored places.
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
	return append(list, r.setAside()...)
}
