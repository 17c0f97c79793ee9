// Package summary tells of a run what a pull request needs to know: summary.md, annotations for GitHub, and the summary
// of a step there. What a target sent is shown in them and does nothing.
package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// Bounds on what is shown of one text, in characters.
const (
	mostName   = 100 // ids, kinds, versions
	mostPlace  = 300 // pointers, URLs, what an open point shows
	mostText   = 1000
	mostRepeat = 2000
)

// Of makes summary.md of a report, as Markdown for GitHub and GitLab: the verdict first, then what a reviewer asks
// next. It is under 60,000 bytes whatever the report holds: entries are left out whole, and their number is told. The
// same report gives the same bytes.
func Of(r *report.Report) []byte {
	above := head(r) + fault(r).text() + baseline(r).text() + broken(r).text() + staleWaivers(r).text()
	missing := lacking(r).text()
	below := divergences(r).text() + notes(r).text() + fmt.Sprintf("In the report folder: `%s` for people, `%s` for programs, `%s` the evidence.\n",
		report.PageFile, report.JSONFile, report.EvidenceFile)
	room := most - len(above) - len(missing) - len(below)
	inconclusive := open(r, room-roomWaived).text()
	return []byte(above + inconclusive + missing + waived(r, room-len(inconclusive)).text() + below)
}

// headline is the verdict in a word, with a sign that is no picture. A run that certifies nothing has no sign of
// success.
func headline(r *report.Report) string {
	switch {
	case r.Verdict == ledger.Pass && r.Certifies:
		return "✓ pass"
	case r.Verdict == ledger.Pass:
		return "≈ pass, which certifies nothing"
	case r.Verdict == ledger.Fail:
		return "✗ fail"
	case r.Verdict == ledger.Inconclusive:
		return "? inconclusive"
	default:
		return "! error"
	}
}

// completeness says in a sentence whether the run certifies.
func completeness(r *report.Report) string {
	switch {
	case !r.Complete:
		return "Not complete: something was not judged, and the run certifies nothing."
	case r.Verdict != ledger.Pass:
		return "Complete: every documented requirement was judged. The target is not certified."
	case !r.Certifies:
		return "It certifies nothing: " + code(strings.Join(r.Limits(), "; "), mostText) + "."
	default:
		return "Complete: every documented requirement was judged in every version under test. The target is certified."
	}
}

func head(r *report.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: Authenticator API conformance\n\n%s\n\n", headline(r), completeness(r))
	b.WriteString(tally(r))
	v5, v6 := r.Target[schemas.V5], r.Target[schemas.V6]
	switch {
	case v5 != "" && v5 == v6:
		fmt.Fprintf(&b, "- target: %s\n", code(v5, mostPlace))
	default:
		for _, v := range schemas.Versions() {
			if url, ok := r.Target[v]; ok {
				fmt.Fprintf(&b, "- target of %s: %s\n", v, code(url, mostPlace))
			}
		}
	}
	if len(r.Versions) > 0 {
		fmt.Fprintf(&b, "- versions: %s\n", codes(r.Versions, mostName, len(schemas.Versions())))
	}
	fmt.Fprintf(&b, "- contract: %s\n", code(r.Suite.Contract, mostName))
	fmt.Fprintf(&b, "- suite: %s %s", code(r.Suite.Name, mostName), code(r.Suite.Version, mostName))
	if r.Suite.Commit != "" {
		fmt.Fprintf(&b, ", commit %s", code(r.Suite.Commit, mostName))
	}
	b.WriteString("\n")
	if r.Users != nil {
		fmt.Fprintf(&b, "- users: %d, %s\n", r.Users.Count, code(r.Users.Digest, mostName))
	}
	if r.JudgedAgain != nil {
		fmt.Fprintf(&b, "- judged again from evidence: %s\n", code(r.JudgedAgain.Evidence, mostName))
	}
	if r.Run != "" {
		fmt.Fprintf(&b, "- run: %s, began %s\n", code(r.Run, mostName), code(r.Started.UTC().Format(time.RFC3339), mostName))
	}
	fmt.Fprintf(&b, "- sent: %s, %d throttled, %d sent again\n\n", wording.Count(int(r.Counts.Requests), "request"), r.Counts.Throttled, r.Counts.Repeated)
	return b.String()
}

// tally counts the rows of each version by what became of them, each row once.
func tally(r *report.Report) string {
	columns := []string{"pass", "fail", "inconclusive", "waived", "not run"}
	if r.Gate != nil {
		columns = slices.Insert(columns, 2, "known")
	}
	lines := []string{"| version | " + strings.Join(columns, " | ") + " |", "| --- |" + strings.Repeat(" ---: |", len(columns))}
	for _, v := range append(schemas.Versions(), schemas.Parity) {
		count, total := map[string]int{}, 0
		for i := range r.Requirements {
			if row := &r.Requirements[i]; row.Version == v {
				count[fate(row)]++
				total++
			}
		}
		if total == 0 {
			continue
		}
		line := "| " + string(v)
		for _, c := range columns {
			line += fmt.Sprintf(" | %d", count[c])
		}
		lines = append(lines, line+" |")
	}
	if len(lines) == 2 {
		return "No requirement was judged.\n\n"
	}
	return strings.Join(lines, "\n") + "\n\n"
}

// fate is the column in which a row counts.
func fate(row *report.Row) string {
	switch {
	case row.NotRun():
		return "not run"
	case row.Waiver != nil:
		return "waived"
	case row.Known:
		return "known"
	default:
		return string(row.Verdict)
	}
}
