package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// summary is what the one who signs reads first.
type summary struct {
	State    state
	Verdict  ledger.Verdict
	Sentence string
	Proves   string // what follows, where that is more than the sentence says
	Scope    string // complete or not, and what that means
	Complete bool
	Error    string
	Of       string // what the error ended
	Where    string // the target in short
	Suite    string
	Facts    []fact
}

// fact is a line of the summary.
type fact struct {
	Name, Value string
	Code        bool // exact: shown as it is typed
}

func (b *builder) summary() summary {
	r := b.report
	s := summary{
		State: b.runState(), Verdict: r.Verdict, Complete: r.Complete, Of: "run",
		Suite: b.text(r.Suite.Name), Where: "no target", Scope: "Complete: every documented requirement was judged, in every version under test.",
	}
	switch {
	case r.Error != nil:
		s.Error = b.lines(*r.Error)
		s.Scope = "Not complete: the run was not carried out to its end. It certifies nothing."
	case !r.Complete:
		s.Scope = "Not complete: not every documented requirement was judged. It certifies nothing."
	case r.Verdict == ledger.Pass && !r.Certifies:
		s.Scope = "It certifies nothing: " + b.text(strings.Join(r.Limits(), "; ")) + "."
	}
	var versions []string
	for _, v := range r.Versions[:min(len(r.Versions), mostColumns)] {
		versions = append(versions, b.text(string(v)))
	}
	s.addTargets(b.text(r.Target[schemas.V5]), b.text(r.Target[schemas.V6]))
	s.add("Versions", false, strings.Join(versions, ", "))
	s.add("Started", false, moment(&r.Started))
	s.add("Finished", false, moment(r.Finished))
	if r.Finished != nil {
		s.add("Took", false, strconv.FormatFloat(r.Finished.Sub(r.Started).Seconds(), 'f', 1, 64)+" s")
	}
	b.addSuite(&s, r.Suite)
	s.add("Run", true, b.text(r.Run))
	if r.Users != nil {
		s.add("Users", false, wording.Count(r.Users.Count, "user"))
		s.add("Digest of the users", true, b.text(r.Users.Digest))
	}
	if r.JudgedAgain != nil {
		s.add("Judged again from evidence", true, b.text(r.JudgedAgain.Evidence))
	}
	return s
}

// addTargets adds the URL of each version, once where they are the same.
func (s *summary) addTargets(v5, v6 string) {
	if v5 == v6 {
		s.add("Target", true, v5)
	} else {
		s.add("Target of v5", true, v5)
		s.add("Target of v6", true, v6)
	}
	for _, url := range []string{v6, v5} {
		if url != "" {
			s.Where = url
		}
	}
}

// addSuite adds which suite judged, and by what.
func (m *maker) addSuite(s *summary, suite report.Suite) {
	s.add("Contract", true, m.text(suite.Contract))
	s.add("Suite", false, m.text(suite.Name+" "+suite.Version))
	s.add("Commit", true, m.text(suite.Commit))
	s.add("Go", false, m.text(suite.Go))
}

// add adds a fact of which something is known.
func (s *summary) add(name string, code bool, value string) {
	if value != "" {
		s.Facts = append(s.Facts, fact{name, value, code})
	}
}

// moment writes a time in UTC (RFC 3339).
func moment(t *time.Time) string {
	if t == nil {
		return "not finished"
	}
	return t.UTC().Format(time.RFC3339)
}

// tell says in a sentence what the verdict rests on.
func (s *summary) tell(rows []*row) {
	count := map[string]int{}
	for _, r := range rows {
		count[r.State.Name]++
	}
	judged := wording.Plural(len(rows)-count["not-run"], "judged row", "judged rows")
	switch s.Verdict {
	case ledger.Fault:
		s.Sentence = "The run could not be carried out, so it says nothing for or against the target."
	case ledger.Fail:
		s.Sentence = fmt.Sprintf("%d of %s failed.", count["fail"], judged)
		if count["fail"] == 0 {
			s.Sentence = "No row failed, but a waiver or an entry of the baseline is stale, or an open point changed that must not."
		}
	case ledger.Inconclusive:
		s.Sentence = fmt.Sprintf("No row failed, but %d of %s could not be decided: nothing was seen of what they speak of.", count["inconclusive"], judged)
	case ledger.Pass:
		s.Sentence = fmt.Sprintf("The target keeps the documented contract: %d of %s passed.", count["pass"], judged)
		if aside := count["waived"] + count["known"]; aside > 0 {
			s.Sentence = fmt.Sprintf("%d of %s passed; the others are waived or known from the baseline.", count["pass"], judged)
		}
	}
}

// counts are the numbers of the run.
func (b *builder) counts() []entry {
	c := b.report.Counts
	return []entry{
		{"requests", strconv.FormatInt(c.Requests, 10)},
		{"throttled: waited out and sent again", strconv.FormatInt(c.Throttled, 10)},
		{"sent again, as a kept connection was closed", strconv.FormatInt(c.Repeated, 10)},
		{"examples that this build of the suite was tested with", strconv.Itoa(c.SelfChecked)},
	}
}

// baseline is how the run stands against an earlier one.
type baseline struct {
	Counts  string
	Entries []baselineEntry
	Changed []report.Changed
	More    string
}

type baselineEntry struct {
	Word, Key, Link, Kind, Pointer, Times string
}

func (b *builder) baseline(rows []*row) *baseline {
	g := b.report.Gate
	if g == nil {
		return nil
	}
	out := &baseline{Counts: fmt.Sprintf("%d new, %d stale, %d known; %s", len(g.New), len(g.Stale), len(g.Known),
		wording.Plural(len(g.Changed), "open point changed", "open points changed"))}
	links := map[string]string{}
	for _, r := range rows {
		links[r.Key()] = r.Link()
	}
	for _, list := range []struct {
		word    string
		entries []report.Entry
	}{{"new", g.New}, {"stale", g.Stale}, {"known", g.Known}} {
		entries, more := upTo(b.maker, list.entries)
		for _, e := range entries {
			key := b.text(e.Requirement) + " " + b.text(string(e.Version))
			out.Entries = append(out.Entries, baselineEntry{list.word, key, links[key], b.text(e.Kind), b.text(e.Pointer), wording.Times(e.Count)})
		}
		if more != "" {
			out.More = more
		}
	}
	changed, more := upTo(b.maker, g.Changed)
	for _, c := range changed {
		out.Changed = append(out.Changed, report.Changed{ID: b.text(c.ID), Operation: schemas.Operation(b.text(string(c.Operation))),
			Version: schemas.Version(b.text(string(c.Version))), Was: b.text(c.Was), Is: b.text(c.Is)})
	}
	if more != "" {
		out.More = more
	}
	return out
}
