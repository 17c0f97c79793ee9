package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/wording"
)

// JudgedAgain says that a report is of evidence: no target was asked for it.
type JudgedAgain struct {
	Evidence string `json:"evidence"` // its digest, sha256:…
}

// Users are those whom a run asked for.
type Users struct {
	Count  int    `json:"count"`
	Digest string `json:"digest"` // sha256:… of the list, so that two runs can be told to have asked for the same
}

// usersOf are the users of a run. The digest is of one line of JSON for each, in their order: id, userId, enrolled.
func usersOf(r *run.Run) *Users {
	digest := sha256.New()
	for _, u := range r.Settings.Users {
		line, err := json.Marshal([]any{r.Secrets().String(u.ID), r.Secrets().String(u.UserID), u.Enrolled})
		if err != nil {
			panic(err) // texts always marshal
		}
		digest.Write(append(line, '\n'))
	}
	return &Users{Count: len(r.Settings.Users), Digest: "sha256:" + hex.EncodeToString(digest.Sum(nil))}
}

// SetAside says what does not count for the verdict: rows that are waived, rows that are known from the baseline, and
// ignored places at which v5 and v6 differ. A run with any of it certifies nothing.
func (r *Report) SetAside() []string {
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
		list = append(list, fmt.Sprintf("%s waived (until %s)", wording.Count(waived, "row"),
			strings.Join(slices.Compact(until), ", ")))
	}
	if known > 0 {
		list = append(list, wording.Count(known, "row")+" known from the baseline")
	}
	if len(r.hid) > 0 {
		list = append(list, wording.Count(len(r.hid), "difference")+" ignored (parity.ignore "+strings.Join(r.hid, ", ")+")")
	}
	return list
}

// Limits say why a run that passed certifies nothing; none where it does.
func (r *Report) Limits() []string {
	var list []string
	if !r.Complete {
		list = append(list, "not complete")
	}
	if r.JudgedAgain != nil {
		list = append(list, "judged again from evidence")
	}
	return append(list, r.SetAside()...)
}

// Headline is the verdict, and of a pass that certifies nothing the reason: "pass, with 2 rows waived (until
// 2027-01-31)".
func (r *Report) Headline() string {
	if r.Verdict != ledger.Pass || r.Certifies {
		return string(r.Verdict)
	}
	return string(r.Verdict) + ", but " + strings.Join(r.Limits(), "; ")
}
