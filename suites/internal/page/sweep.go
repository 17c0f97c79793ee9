package page

import (
	"cmp"
	"html/template"
	"io"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/tally"
)

// WriteSweep makes sweep.html of a summary. What it writes is a function of it: the same input gives the same bytes, at
// most MaxSize of them.
//
// An error is that of w, or a defect of the page's own templates.
func WriteSweep(w io.Writer, s *tally.Summary) error {
	return produce(w, tally.PageFile, tally.SummaryFile, func(m *maker) ([]byte, error) {
		b := &sweepBuilder{maker: m, summary: s, tally: cmp.Or(s.Tally, tally.New(0))}
		return b.write()
	})
}

// sweepBuilder makes the page of a sweep.
type sweepBuilder struct {
	*maker
	summary *tally.Summary
	tally   *tally.Tally // of which a summary that holds nothing has none
}

// sweepView is all that the templates show of a sweep.
type sweepView struct {
	frame
	Resume     string // the command by which it can be gone on with
	Outcomes   []outcomeRow
	Operations []schemas.Operation
	Users      string
	Grounds    []groundRow
	MoreWhy    string
	Found      string // how many findings there are, of which kinds
	Filter     filter
	Groups     []template.HTML
	MoreGroups []string // what of them is not shown
	Chart      *chart
	Notes      []string
	Settings   settings
	Built      built
}

func (b *sweepBuilder) write() ([]byte, error) {
	groups, more := b.groups()
	v, err := b.page(groups, more)
	if err != nil {
		return nil, err
	}
	return b.whole("sweep.html", v, func() { b.fill(v, groups) })
}

func (b *sweepBuilder) page(groups []*group, more []string) (*sweepView, error) {
	s := b.summary
	v := &sweepView{Resume: b.resume(), Operations: schemas.Operations(), Users: users(b.tally.Users), Found: b.found(),
		Filter: b.filter(groups), MoreGroups: more, Notes: b.texts(s.Notes), Settings: b.settings(s.Settings), Built: b.built(s.Suite)}
	if b.tally.Users > 0 {
		v.Outcomes = b.outcomes()
		v.Grounds, v.MoreWhy = b.grounds()
	}
	v.Chart = b.chart()

	var contents chapters
	contents.add(v.Resume != "", "resume", "How to go on")
	contents.add(len(v.Outcomes) > 0, "outcomes", "Outcomes")
	contents.add(len(v.Outcomes) > 0, "findings", "Findings")
	contents.add(v.Chart != nil, "time", "Over time")
	contents.add(true, "sweep", "The sweep")
	var err error
	v.frame, err = frameOf("Report of a sweep", b.certificate(), contents,
		"The whole summary is in "+tally.SummaryFile+", each finding in "+tally.FindingsFile+", each difference with the values of both versions in "+
			tally.DifferencesFile+", the first answers of those users in "+tally.AnswersFile+".")
	return v, err
}
