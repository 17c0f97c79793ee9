package page

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
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
	Diverging  []divergenceRow
	Found      string // how many findings there are, by kind
	Filter     filter
	Groups     []*group
	MoreGroups []string // sentences about what is not shown
	Notes      []string
	Settings   settings
	Built      buildInfo
}

func (b *sweepBuilder) page() *sweepPage {
	s := b.summary
	v := &sweepPage{Resume: b.resume(), Operations: schemas.Operations(), Users: wording.Count(b.counts.Users, "user"),
		Found: b.found(), Notes: b.texts(s.Notes), Settings: b.settings(s.Settings),
		Built: b.buildInfo(s.Suite)}
	v.frame = b.frame(s.Document(), "sweep", s.Suite.Name)
	v.Unfolded, v.Complete, v.Legend = s.Verdict == ledger.Pass && s.Complete, s.Complete, sweepLegend()
	v.Elsewhere = "The whole summary is in " + stats.SummaryFile + ", each finding in " + stats.FindingsFile +
		", each difference with the values of both versions in " + stats.DifferencesFile +
		", the first answers of those users in " + stats.AnswersFile + "."
	if b.counts.Users > 0 {
		v.Outcomes = b.outcomes()
		v.Reasons, v.MoreWhy = b.reasons()
		v.Diverging = b.divergences()
		v.Groups, v.MoreGroups = b.groups()
		v.Filter = filterOfGroups(v.Groups)
	}
	v.add(v.Resume != "", "resume", "How to resume it")
	v.add(len(v.Outcomes) > 0, "outcomes", "Outcomes")
	v.add(len(v.Outcomes) > 0, "findings", "Findings")
	v.add(true, "sweep", "The sweep")
	return v
}

// flagged is the prefix of a setting's source if a flag set it.
const flagged = "flag --"

// resume returns the command that resumes the sweep, with the flags it was started with. It returns "" if there is
// nothing to resume.
func (b *sweepBuilder) resume() string {
	s := b.summary
	if s.Complete || b.counts.Users == 0 {
		return ""
	}
	words := []string{"conformance", "sweep", "--resume"}
	if s.Identity.Sample > 0 {
		words = append(words, "--sample", strconv.Itoa(s.Identity.Sample))
	}
	words = append(words, "--seed", strconv.FormatUint(s.Identity.Seed, 10))
	if s.Identity.Shard.Of > 1 && len(s.Shards) == 0 {
		words = append(words, "--shard", s.Identity.Shard.String())
	}
	for _, setting := range s.Settings {
		name, byFlag := strings.CutPrefix(setting.Source, flagged)
		if byFlag {
			words = append(words, "--"+name, setting.Value)
		}
	}
	altered := func(word string) bool { return report.Printable(word, longestText) != word }
	if len(words) > maxEntries || slices.ContainsFunc(words, altered) {
		return strings.Join(words[:3], " ") // with changed or missing values, the command would resume something else
	}
	line := shellescape.QuoteCommand(words)
	b.charge(sizeOf(line))
	return line
}
