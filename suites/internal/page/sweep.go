package page

import (
	"cmp"
	"io"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

// WriteSweep writes sweep.html, made of a summary. The same summary gives the same bytes, at most MaxSize of them.
//
// An error is either from w or a bug in the templates.
func WriteSweep(w io.Writer, s *stats.Summary) error {
	b := &sweepBuilder{budget: newBudget(stats.SummaryFile, sweepTextBytes), summary: s,
		counts: cmp.Or(s.Tally, stats.New(0))}
	return execute(w, "sweep.html", b.page())
}

// sweepTextBytes is how many bytes of text are shown in full.
const sweepTextBytes = 3_300_000

// sweepBuilder builds the data for the page of a sweep.
type sweepBuilder struct {
	*budget
	summary *stats.Summary
	counts  *stats.Counts // zero if the summary has no counts
}

// sweepPage is the data for the templates of a sweep.
type sweepPage struct {
	frame
	Resume     string // the command that resumes the sweep
	Outcomes   []outcomeRow
	Operations []schemas.Operation
	Users      string
	Reasons    []reasonRow
	MoreWhy    string
	Found      string // how many findings there are, by kind
	Lines      string // the name of the file with every finding
	Filter     filter
	Groups     []*group
	MoreGroups []string // sentences about what is not shown
	Times      *times
	Notes      []string
	Settings   settings
	Built      buildInfo
}

func (b *sweepBuilder) page() *sweepPage {
	s := b.summary
	v := &sweepPage{Resume: b.resume(), Operations: schemas.Operations(), Users: users(b.counts.Users),
		Found: b.found(),
		Lines: stats.FindingsFile,
		Notes: b.texts(s.Notes), Settings: b.settings(s.Settings), Built: b.buildInfo(s.Suite), Times: b.times()}
	certificate := b.certificate(s.Document(), "sweep", s.Suite.Name, s.Identity.Target)
	certificate.Open, certificate.Complete = s.Verdict == ledger.Pass && s.Complete, s.Complete
	if b.counts.Users > 0 {
		v.Outcomes = b.outcomes()
		v.Reasons, v.MoreWhy = b.reasons()
		v.Groups, v.MoreGroups = b.groups()
		v.Filter = filterOfGroups(v.Groups)
	}
	var contents chapters
	contents.add(v.Resume != "", "resume", "How to go on")
	contents.add(len(v.Outcomes) > 0, "outcomes", "Outcomes")
	contents.add(len(v.Outcomes) > 0, "findings", "Findings")
	contents.add(v.Times != nil, "time", "Over time")
	contents.add(true, "sweep", "The sweep")
	v.frame = frameOf("Report of a sweep", certificate, sweepLegend(), contents,
		"The whole summary is in "+stats.SummaryFile+", each finding in "+stats.FindingsFile+
			", each difference with the values of both versions in "+
			stats.DifferencesFile+", the first answers of those users in "+stats.AnswersFile+".")
	return v
}
