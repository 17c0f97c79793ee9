package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// WriteSweep writes sweep.html, made of a summary. The same summary gives the same bytes, at most MaxSize of them.
//
// An error is either from w or a bug in the templates.
func WriteSweep(w io.Writer, s *stats.Summary) error {
	p := &sweepPage{frame: newFrame("sweep", s.Document(), s.Suite.Name, stats.SummaryFile), Summary: s,
		Counts: s.Tally}
	p.Unfolded = s.Verdict == ledger.Pass && s.Complete
	return p.write(w, "sweep.html", p)
}

// sweepPage is the page of a sweep.
type sweepPage struct {
	*frame
	*stats.Summary
	Counts *stats.Counts
}

// Share returns a number of users as a share of all.
func (p *sweepPage) Share(n int64) string { return wording.Percent(n, p.Counts.Users) }

// outcome is how an outcome is shown: by a sign and a word, so that it does not depend on colour.
type outcome struct {
	Outcome  stats.Outcome
	Sign     string
	Class    string // the CSS class for the colours
	Sentence string
}

// Outcomes returns the outcomes in order.
func (p *sweepPage) Outcomes() []outcome {
	alike, both, one := "Both versions answer alike", "Both versions", "One version gave no answer"
	if p.OfOneVersion() {
		alike, both, one = "Both answers are alike", "Both answers", "A call got no answer"
	}
	return []outcome{
		{stats.Equal, "✓", "pass", alike + ", within the contract."},
		{stats.EqualUnderRule, "≈", "known", "They differ only where a rule says that it does not count: a " +
			"volatile place, one that is ignored, or an open point."},
		{stats.NothingAlike, "∅", "not-run", both + " say that the user has no data, in whatever way."},
		{stats.Moved, "~", "waived", "They differed, but no longer when the requests were repeated: " +
			"something changed in between."},
		{stats.Unsteady, "⇄", "inconclusive", "Identical calls are answered now in one way and now in another. All " +
			"users together decide whether that is a finding."},
		{stats.Different, "≠", "fail", "They differ, also when the requests were repeated."},
		{stats.BothViolate, "✕", "error", "They do not differ, and both break the contract."},
		{stats.NotComparable, "?", "inconclusive",
			one + ", or the two answers can't be compared. " +
				"Repair what the reason names, and sweep again."},
	}
}

// Had returns how many users had an outcome.
func (p *sweepPage) Had(op schemas.Operation, o outcome) int64 {
	return p.Counts.Outcomes[op][o.Outcome].Count
}

// Nobody reports whether no user had an outcome.
func (p *sweepPage) Nobody(o outcome) bool {
	return !slices.ContainsFunc(schemas.Operations(), func(op schemas.Operation) bool { return p.Had(op, o) != 0 })
}

// StateOf returns the state of a group.
func (p *sweepPage) StateOf(g *stats.Group) report.State {
	if g.Waived {
		return report.StateOf("waived")
	}
	return report.StateOf(ledger.Fail)
}

// SectionOf returns the section that a group's requirement is about.
func (p *sweepPage) SectionOf(g *stats.Group) string {
	section, _, _ := strings.Cut(g.Requirement, "/")
	return section
}

// Expected returns what was expected for all users of a group who are shown; "" if it differs.
func (p *sweepPage) Expected(g *stats.Group) string {
	shown := g.Sample[:min(len(g.Sample), p.limits["user"])]
	if slices.ContainsFunc(shown, func(f stats.Finding) bool { return f.Expected != shown[0].Expected }) {
		return ""
	}
	return shown[0].Expected
}

// Others says where the users of a group are who are not shown; "" if all are.
func (p *sweepPage) Others(g *stats.Group) string {
	if int64(len(g.Sample)) >= g.Users {
		return ""
	}
	file := p.FindingsIn()
	if g.Version.IsPair() {
		file = stats.DifferencesFile
	}
	return fmt.Sprintf("All %s are in %s.", wording.Number(g.Users), file)
}

// Found describes how many findings there are.
func (p *sweepPage) Found() string {
	all := p.Counts.Found()
	text := wording.Count(all.Differences, "difference") + " between " + p.Identity.Versions() + ", " +
		wording.Plural(all.Violations, "breach", "breaches") + " of the contract"
	if all.Waived > 0 {
		text += ", " + wording.Count(all.Waived, "finding") + " waived"
	}
	if all.Open > 0 {
		text += ", and " + wording.Plural(all.Open, "pair of answers", "pairs of answers") +
			" that could not be compared, for the reasons below"
	}
	text += "."
	if all.Differences+all.Violations > 0 {
		text += " Each user is a line of " + stats.DifferencesFile + ", with the values of both versions."
	}
	return text
}
