package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// Document returns the report in the form that every format renders.
func (r *Report) Document() *Document {
	d := &Document{
		Title: "Authenticator API conformance", State: r.State(), Verdict: r.verdictLine(), Sentence: r.sentence(),
		Scope: r.scope(), Table: r.table(),
		Files: []File{{PageFile, "to read"}, {SummaryFile, "for a pull request"}, {JSONFile, "for programs"},
			{JUnitFile, "for CI"}, {EvidenceFile, "every exchange"}, {StatementFile, "to sign"}},
	}
	if r.Error != nil {
		d.Error = *r.Error
	}
	r.facts(d)
	failed := func(row *Row) bool { return len(row.Findings) > 0 }
	if r.Verdict == ledger.Fail && r.Values != settings.ValuesHide && slices.ContainsFunc(r.rows(), failed) {
		d.SuggestLastFailed("run", r.Folder, r.Settings, r.Recorded)
	}
	if i := slices.IndexFunc(r.rows(), (*Row).Failed); i >= 0 && r.Error == nil {
		d.Next = append(d.Next, Step{"To read what a check requires", "explain " + r.Requirements[i].ID})
	}
	r.sections(d)
	return d
}

// verdictLine returns the verdict with its reason, and the number of requests.
func (r *Report) verdictLine() string {
	reason := strings.TrimSuffix(": "+strings.ToLower(r.sentence()[:1])+r.sentence()[1:], ".")
	switch {
	case r.Certifies:
		reason = " (certifies)"
	case r.Verdict == ledger.Pass:
		reason = " (certifies nothing: " + strings.Join(r.Limits(), "; ") + ")"
		if r.isOfLastFailed() {
			reason = ": " + r.repaired()
		}
	case r.Error != nil:
		reason = ": " + ShortReason(*r.Error)
	case r.Narrowed():
		reason += " (not every check was run)"
	}
	if r.Error != nil && r.Counts.Requests == 0 {
		return string(r.Verdict) + reason
	}
	text := fmt.Sprintf("%s%s, %s, %d throttled", r.Verdict, reason, wording.Count(r.Counts.Requests, "request"),
		r.Counts.Throttled)
	if r.Finished != nil {
		text += fmt.Sprintf(", %.1f s", r.Finished.Sub(r.Started).Seconds())
	}
	return text
}

// maxReason is how many characters of an error are in the line of the verdict.
const maxReason = 200

// ShortReason returns the first sentence of an error, for the line of the verdict.
func ShortReason(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "; ")
	text, _, _ = strings.Cut(text, ". ")
	return Printable(text, maxReason)
}

// sentence describes what the verdict is based on.
func (r *Report) sentence() string {
	count := map[string]int{}
	for _, s := range countStates(r.rows()) {
		count[s.Name] = s.Count
	}
	all := len(r.Requirements) - count["not-run"]
	checks := wording.Count(all, "check")
	switch r.Verdict {
	case ledger.Fail:
		if stale := r.staleCauses(); count["fail"] == 0 && len(stale) > 0 {
			return "No check failed, but " + strings.Join(stale, ", and ") + "."
		}
		undecided := ""
		if n := count["inconclusive"]; n > 0 {
			undecided = fmt.Sprintf(", and %d could not be decided", n)
		}
		return fmt.Sprintf("%d of %s failed%s.", count["fail"], checks, undecided)
	case ledger.Inconclusive:
		switch {
		case count["inconclusive"] == 0 && r.lacksRecorded():
			return "Nothing failed, but the record does not have every user of the users file."
		case count["inconclusive"] == 0:
			return "Nothing failed, but no check passed, or the evidence is incomplete. " +
				"Run all checks against the target."
		}
		return fmt.Sprintf("Nothing failed, but %d of %s could not be decided; each reason says what to do.",
			count["inconclusive"], checks)
	case ledger.Pass:
		switch {
		case r.isOfLastFailed():
			return strings.ToUpper(r.repaired()[:1]) + r.repaired()[1:] + "."
		case r.Embedded:
			return fmt.Sprintf("%d of %s passed. The target is %s.", count["pass"], checks, BuiltInReference)
		case count["pass"] == len(r.Requirements):
			return fmt.Sprintf("The target keeps the documented contract: %d of %s passed.", all, checks)
		}
		return fmt.Sprintf("%d of %s passed; %s.", count["pass"], checks, countedAside(count))
	}
	return "The run could not be carried out, so it shows nothing about the target."
}

// isOfLastFailed reports whether the run was of what failed in an earlier one alone.
func (r *Report) isOfLastFailed() bool {
	return slices.ContainsFunc(r.Settings,
		func(s Setting) bool { return s.Source == "flag --"+settings.LastFailedFlag })
}

// repaired says what is true of a run of what failed last that passes.
func (r *Report) repaired() string {
	run, pass := 0, 0
	for _, row := range r.rows() {
		if !row.NotRun() {
			run++
		}
		if row.Verdict == ledger.Pass {
			pass++
		}
	}
	text := wording.Plural(run, "check that failed passes now", "checks that failed pass now")
	switch {
	case pass < run:
		text = fmt.Sprintf("%d of %s pass now, and none fails anew", pass, wording.Plural(run, "check that failed",
			"checks that failed"))
	case run > 1:
		text = "all " + text
	}
	return text + "; a whole run is due, as this one certifies nothing"
}

// countedAside says what became of the checks that did not pass.
func countedAside(count map[string]int) string {
	var list []string
	if n := count["waived"]; n > 0 {
		list = append(list, wording.Plural(n, "is waived", "are waived"))
	}
	if n := count["known"]; n > 0 {
		list = append(list, wording.Plural(n, "is known from the baseline", "are known from the baseline"))
	}
	if n := count["not-run"]; n > 0 {
		list = append(list, wording.Plural(n, "was not run", "were not run"))
	}
	return strings.Join(list, ", ")
}

// staleCauses explains why a run fails even if no row fails: stale waivers or baseline entries, or open points that
// changed.
func (r *Report) staleCauses() []string {
	var list []string
	if len(r.Stale) > 0 && !r.StaleReported {
		list = append(list, wording.Plural(len(r.Stale), "waiver is stale", "waivers are stale"))
	}
	if r.Gate == nil {
		return list
	}
	if stale := len(r.Gate.Stale); stale > 0 && !r.StaleReported {
		list = append(list,
			wording.Plural(stale, "entry of the baseline is stale", "entries of the baseline are stale"))
	}
	if r.Gate.ChangeFails {
		list = append(list, r.Gate.Changes()+" (divergence: fail)")
	}
	return list
}

// scope describes whether the run certifies, and if not, why not.
func (r *Report) scope() string {
	switch {
	case r.Error != nil:
		return "Not complete: the run was not carried out to its end. It certifies nothing."
	case !r.Complete && r.Narrowed():
		return "Not complete: not every documented requirement was judged. It certifies nothing."
	case r.Verdict == ledger.Pass && !r.Certifies:
		return "It certifies nothing: " + strings.Join(r.Limits(), "; ") + "."
	case !r.Complete:
		open := slices.DeleteFunc(r.rows(), func(row *Row) bool { return row.Verdict != ledger.Inconclusive })
		return fmt.Sprintf("Not complete: %s could not be decided. The target is not certified.",
			wording.Count(len(open), "check"))
	case r.Verdict == ledger.Pass:
		return "Complete: every documented requirement was judged in every version under test. The target is certified."
	}
	return "Complete: every documented requirement was judged in every version under test. The target is not certified."
}

func name(v schemas.Version) string { return string(v) }

func (r *Report) facts(d *Document) {
	target := r.Target
	if r.Embedded {
		target = map[schemas.Version]string{}
		for v := range r.Target {
			target[v] = BuiltInReference
		}
	}
	users := ""
	if r.Users != nil {
		users = wording.Number(r.Users.Count)
	}
	d.Describe(target, r.Started, users)
	r.Subject.Describe(d)
	for _, v := range schemas.InOrder(r.Recorded) {
		d.Recorded(string(v), RecordedWords(r.Recorded[v], r.Started))
		d.Fact("Digest of the record of "+string(v), r.Recorded[v].Digest, true)
	}
	if r.ValidUntil != nil {
		d.Head = append(d.Head, Fact{Name: "Valid until", Value: *r.ValidUntil})
	}
	if r.Fingerprints != nil {
		d.Head = append(d.Head, Fact{"Fingerprint", r.Fingerprints.String(), true})
	}
	d.Fact("Versions", strings.Join(each(r.Versions, name), ", "), false)
	for _, v := range schemas.InOrder(r.Proxy) {
		d.Fact("Proxy of "+string(v), r.Proxy[v], true)
	}
	if r.Users != nil {
		d.Fact("Users", wording.Count(r.Users.Count, "user"), false)
		d.Fact("Digest of the users", r.Users.Digest, true)
	}
	d.HiddenValues(r.Values)
	if r.JudgedAgain != nil {
		d.Fact("Judged again from evidence", r.JudgedAgain.Evidence, true)
	}
	d.Times(r.Started, r.Finished)
	if r.Finished != nil && r.Error == nil {
		d.Fact("Took", fmt.Sprintf("%.1f s", r.Finished.Sub(r.Started).Seconds()), false)
	}
	if c := r.Counts; c.Requests > 0 {
		d.Fact("Requests", fmt.Sprintf("%s, %d throttled, %d sent again", wording.Number(c.Requests), c.Throttled,
			c.Repeated), false)
	}
	d.Suite(r.Suite)
	d.Fact("Run", r.Run, true)
}

// Columns lists the versions of the rows; v5=v6 comes last.
func (r *Report) Columns() (list []schemas.Version) {
	for _, row := range r.Requirements {
		if !slices.Contains(list, row.Version) {
			list = append(list, row.Version)
		}
	}
	slices.SortStableFunc(list, func(a, b schemas.Version) int { return cmp.Compare(len(a), len(b)) })
	return list
}

// Cell is how many rows of a section are in which state, in a version.
type Cell struct {
	Section string // "" for all
	Version schemas.Version
	States  []StateCount
}

// Cells counts the rows of a section, or of all for "", by version.
func (r *Report) Cells(section string) (cells []Cell) {
	for _, v := range r.Columns() {
		rows := slices.DeleteFunc(r.rows(),
			func(row *Row) bool { return row.Version != v || section != "" && row.Section != section })
		cells = append(cells, Cell{section, v, countStates(rows)})
	}
	return cells
}

// table returns the number of rows by section, version and state.
func (r *Report) table() Table {
	t := Table{Heads: append([]string{"section"}, each(r.Columns(), name)...)}
	inOneSection := func(a, b *Row) bool { return a.Section == b.Section }
	for _, row := range slices.CompactFunc(r.rows(), inOneSection) {
		line := []string{r.sectionName(row.Section)}
		for _, c := range r.Cells(row.Section) {
			var parts []string
			for _, s := range slices.Backward(c.States) {
				parts = append(parts, fmt.Sprintf("%d %s", s.Count, s.Word))
			}
			line = append(line, cmp.Or(strings.Join(parts, ", "), "-"))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// sectionName returns a section's number with its heading, if it has one.
func (r *Report) sectionName(section string) string {
	if heading := r.Headings[section]; heading != "" {
		return "§" + section + " " + heading
	}
	return "§" + section
}
