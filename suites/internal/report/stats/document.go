package stats

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// Document returns the summary in the form that every format renders.
func (s *Summary) Document() *report.Document {
	d := &report.Document{
		Title:    "Authenticator API sweep of " + s.Identity.Versions(),
		State:    report.StateOf(s.Verdict),
		Verdict:  string(s.Verdict) + ": " + s.Reason,
		Sentence: sentence(s.Reason),
		Scope:    s.scope() + " " + sentence("what it proves: "+s.Proves),
		Table:    s.table(),
		Remarks:  []string{"what it proves: " + s.Proves},
		Files:    []report.File{{Name: PageFile, Purpose: "to read"}, {Name: SummaryFile, Purpose: "for programs"}},
	}
	found, own := s.Tally.Found(), s.Findings != "" // else they are in the folders of shards, or not written
	if own {
		d.Files = append(d.Files, report.File{Name: FindingsFile, Purpose: "each finding"})
	}
	if found.Differences+found.Violations > 0 && (own || s.Merged()) {
		d.Files = append(d.Files,
			report.File{Name: DifferencesFile, Purpose: "who differs, with the values of both versions"})
	}
	if found.Differences+found.Violations > 0 && own {
		d.Files = append(d.Files, report.File{Name: AnswersFile, Purpose: "the first of their answers"})
	}
	if s.Verdict == ledger.Pass && s.builtIn() {
		d.State = report.State{Word: "pass, but " + report.BuiltInReference, Sign: "≈",
			Name: string(ledger.Inconclusive)}
	}
	if served := s.servedLine(); served != "" {
		d.Remarks = append([]string{"users served: " + served}, d.Remarks...)
	}
	if s.Error != nil {
		d.Error, d.Sentence = *s.Error, "The sweep could not be carried out, or has not ended."
		d.Verdict = string(s.Verdict) + ": " + report.ShortReason(*s.Error)
		if s.Tally.Users == 0 {
			d.Table, d.Remarks = report.Table{}, nil // there is nothing to count
		}
	}
	s.addFacts(d)
	if s.Verdict == ledger.Fail && s.Identity.Values != settings.ValuesHide {
		d.SuggestLastFailed("sweep", s.Folder, s.Settings, s.records())
	}
	if s.Verdict == ledger.Fault && s.Tally.Users > 0 && !s.Ended && !s.Merged() {
		d.SuggestResume(s.Settings, s.records(), s.Identity.flags())
	}
	if s.Tally.Users > 0 && !s.OfOneVersion() {
		d.Lead = []string{"", s.Tally.keyFigure()}
	}
	if s.Error == nil || s.Traffic.Requests > 0 {
		d.Lead = append(d.Lead, "", s.traffic(), "")
	}
	s.addRecorded(d)
	d.Add(s.findings())
	d.Add(s.unsteadySection())
	d.Add(s.Tally.divergenceSection(s.Identity.Versions()))
	d.Add(s.Tally.reasonSection())
	notes := report.Section{Name: "notes", Title: "Notes", Label: "note:"}
	for _, note := range s.Notes {
		notes.Items = append(notes.Items, report.Item{Text: note})
	}
	d.Add(notes)
	return d
}

// FindingsIn names the file with all findings.
func (s *Summary) FindingsIn() string {
	if s.Merged() {
		return "the " + FindingsFile + " of its shard"
	}
	return FindingsFile
}

// sentence turns a clause into a sentence with capital and full stop.
func sentence(clause string) string {
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

// scope describes whether all intended users were checked.
func (s *Summary) scope() string {
	users := "the population"
	switch {
	case s.Identity.Sample > 0:
		users = "the sample"
	case s.Identity.Shard.Of > 1:
		users = "shard " + s.Identity.Shard.String()
	}
	if s.Identity.LastFailed > 0 && s.Ended {
		return "Not complete: only users were checked for whom something was found before."
	}
	if !s.Complete {
		return fmt.Sprintf("Not complete: not every user of %s was asked.", users)
	}
	return fmt.Sprintf("Complete: every user of %s was asked.", users)
}

// traffic describes in one line what was sent.
func (s *Summary) traffic() string {
	t := s.Traffic
	text := wording.Count(s.Tally.Users, "user") + ", " + wording.Count(t.Requests, "request")
	if t.Throttled > 0 {
		text += ", throttled " + wording.Times(t.Throttled)
	}
	if t.Repeated > 0 {
		text += ", " + wording.Count(t.Repeated, "request") +
			" sent again as the target closed its connection, or answered late at first"
	}
	if t.AskedAgain > 0 {
		text += ", " + wording.Count(t.AskedAgain, "user") + " asked again as they were refused"
	}
	if t.Interruptions > 0 {
		text += ", refused everybody " + wording.Times(t.Interruptions) + " for a while"
	}
	return text + ", " + time.Duration(s.Seconds*float64(time.Second)).Round(time.Millisecond).String()
}

// table returns the number of users by outcome and operation.
func (s *Summary) table() report.Table {
	c, table := s.Tally, report.Table{Heads: []string{"users by outcome"}}
	if s.OfOneVersion() {
		table.Heads[0] = "users by outcome of two calls"
	}
	for _, op := range schemas.Operations() {
		table.Heads = append(table.Heads, string(op))
	}
	for _, o := range Outcomes() {
		row := []string{string(o)}
		for _, op := range schemas.Operations() {
			row = append(row, strconv.FormatInt(c.Outcomes[op][o].Count, 10))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// findings returns a section with one item for each cause, the one with the most users first. Where the versions differ
// because one of them breaks the contract there, that is a line of its item. The file named has them all.
func (s *Summary) findings() report.Section {
	c := s.Tally
	section := report.Section{Name: "findings", Title: "Findings", Label: "FAIL"}
	shown, consequences := map[*Root]bool{}, c.consequences()
	for _, p := range s.unsteady(parity.OneSided) {
		section.Items = append(section.Items, c.groupItem(p.Found))
	}
	for _, g := range c.Groups {
		if consequences[g] != nil {
			continue
		}
		root := c.shared(g)
		if root != nil && shown[root] {
			continue
		}
		item := c.groupItem(g)
		if s.isUndecided(g) {
			item.Level, item.Word = report.Warning, "undecided"
		}
		if root != nil {
			item = c.rootItem(root)
		}
		shown[root] = true
		for _, other := range c.Groups {
			if of := consequences[other]; of == g || of != nil && root != nil && c.shared(of) == root {
				item.Results = max(1, item.Results) + 1
				item.Lines = append(item.Lines, fmt.Sprintf("so %s differ there: %s, %s", other.Version.Both(),
					other.Requirement, wording.Count(other.Users, "user")))
			}
		}
		section.Items = append(section.Items, item)
	}
	if c.Ungrouped > 0 {
		section.Intro = fmt.Sprintf("The groups below, and %s of groups beyond the first %s; each is a line of %s.",
			wording.Count(c.Ungrouped, "finding"), wording.Number(int64(maxGroups)), s.FindingsIn())
	}
	return section
}

// consequences returns, for each group of differences that a breach explains, the group of that breach: of the same
// operation and place, or of the whole answer, and of no fewer users.
func (c *Counts) consequences() map[*Group]*Group {
	explained := map[*Group]*Group{}
	for _, g := range c.Groups {
		if !g.Version.IsPair() || g.Waived {
			continue
		}
		i := slices.IndexFunc(c.Groups, func(of *Group) bool {
			whole := g.Kind == string(parity.Served) && of.brief() != ""
			return !of.Version.IsPair() && !of.Waived && of.Operation == g.Operation && of.Users >= g.Users &&
				(whole || g.Pointer != "" && of.Pointer == g.Pointer)
		})
		if i >= 0 {
			explained[g] = c.Groups[i]
		}
	}
	return explained
}

// groupItem returns the item of a group.
func (c *Counts) groupItem(g *Group) report.Item {
	item := report.Item{Level: report.Failing, Name: fmt.Sprintf("%s %s, %s", g.Requirement, g.Version, g.Operation)}
	users := wording.Count(g.Users, "user")
	switch brief := g.brief(); {
	case brief != "" && g.Pointer != "":
		item.Text = users + ", at " + g.Pointer + ": " + brief
	case brief != "":
		item.Text = users + ", " + brief
	case g.Pointer != "":
		item.Text = report.KeyText(g.Key) + ", " + users
	default:
		item.Text = report.KeyText(g.Key) + ", the whole answer, " + users
	}
	if g.Waived {
		item.Level, item.Word = report.Info, "waived"
	}
	item.More = g.example()
	return item
}

// brief returns what came and what was expected, in short, for the first user; "" if it is not about a whole answer.
func (g *Group) brief() string {
	if len(g.Sample) == 0 {
		return ""
	}
	return g.Sample[0].Brief
}

// example returns a line about one user of a group; none if no sample is known.
func (g *Group) example() []string {
	if len(g.Sample) == 0 {
		return nil
	}
	f, got := g.Sample[0], "got "
	if f.Version.IsPair() {
		got = "" // what came begins with the version
	}
	return []string{fmt.Sprintf("user %s (%s), %s: expected %s; %s%s", f.User.UserID, f.User.ID, f.Exchange,
		f.Expected, got, f.Actual)}
}

// divergenceSection returns a section with the two ways in which the versions say that there is nothing (J16, J22).
func (c *Counts) divergenceSection(versions string) report.Section {
	s := report.Section{Name: "divergences", Title: "Where " + versions + " diverge", Fold: true}
	for _, op := range schemas.Operations() {
		item := report.Item{Level: report.Warning, Name: "open/4.3/empty-result of " + string(op),
			Text: "the document leaves open how a version says that there is nothing"}
		for _, ways := range c.DivergencesOf(op) {
			item.Lines = append(item.Lines, ways.Why+": "+wording.Count(ways.Count, "user"))
		}
		if len(item.Lines) > 0 {
			s.Items = append(s.Items, item)
		}
	}
	return s
}

// reasonSection returns the reasons for outcomes that have more than one.
func (c *Counts) reasonSection() report.Section {
	s := report.Section{Name: "grounds", Title: "Why"}
	for _, op := range schemas.Operations() {
		for _, o := range Outcomes() {
			for _, g := range c.Outcomes[op][o].Reasons() {
				name, text := fmt.Sprintf("%s, %s", op, o), fmt.Sprintf("%d × %s", g.Count, g.Why)
				s.Items = append(s.Items, report.Item{Name: name, Text: text})
			}
		}
	}
	return s
}

func share(n, total int64) string {
	return fmt.Sprintf("%s of %s (%s)", wording.Number(n), wording.Number(total), wording.Percent(n, total))
}

func (s *Summary) addFacts(d *report.Document) {
	t := s.Tally
	if t.Users > 0 {
		if !s.OfOneVersion() {
			d.Fact("Users who differ", share(t.Differing, t.Users), false)
		}
		d.Fact("Users for whom the contract is broken", share(t.Violating, t.Users), false)
	}
	d.Describe(s.Identity.Target, s.Started, wording.Number(t.Users))
	s.Subject.Describe(d)
	if s.Identity.Rules != "" {
		prints := report.Fingerprints{Contract: s.Suite.Contract, Settings: s.Identity.Rules, Users: s.Read.Digest}
		d.Head = append(d.Head, report.Fact{Name: "Fingerprint", Value: prints.String(), Exact: true})
	}
	d.HiddenValues(s.Identity.Values)
	d.Fact("Users checked", wording.Number(t.Users), false)
	d.Fact("Users served", s.servedLine(), false)
	if t.Unserved.Count > 0 {
		d.Fact("Users not served in "+s.versionsAs("either version"), wording.Number(t.Unserved.Count), false)
		d.Fact("Their answers", t.unservedAnswers(), false)
	}
	if t.NotEnrolled > 0 {
		d.Fact("Users marked enrolled: false whom some operation did not serve", wording.Number(t.NotEnrolled), false)
	}
	if s.Read.Users > 0 {
		population := "Population"
		if !s.Complete {
			population += ", as far as it was read"
		}
		d.Fact(population, wording.Count(s.Read.Users, "user"), false)
		d.Fact("Digest of the population", s.Read.Digest, true)
	}
	if s.Identity.Sample > 0 {
		d.Fact("Sample", fmt.Sprintf("%s, drawn at random with seed %d", wording.Count(s.Identity.Sample, "user"),
			s.Identity.Seed), false)
	}
	if s.Identity.Shard.Of > 1 {
		d.Fact("Shard", s.Identity.Shard.String(), false)
	}
	if len(s.Shards) > 0 {
		d.Fact("Merged shards", strconv.Itoa(len(s.Shards)), false)
	}
	d.Times(s.Started, s.Finished)
	took, rate := "Time spent", "Users per second"
	if len(s.Shards) > 0 { // they may have run at the same time
		took, rate = took+", by all shards together", rate+" of one shard, on average"
	}
	if s.Seconds > 0 {
		duration := time.Duration(s.Seconds * float64(time.Second)).Round(time.Millisecond)
		if duration > time.Minute {
			duration = duration.Round(time.Second)
		}
		d.Fact(took, duration.String(), false)
		d.Fact(rate, strconv.FormatFloat(float64(t.Users)/s.Seconds, 'g', 3, 64), false)
	}
	if traffic := s.Traffic; traffic.Requests > 0 {
		d.Fact("Requests", wording.Number(traffic.Requests), false)
		d.Fact("Throttled: told to come again later", wording.Times(traffic.Throttled), false)
		d.Fact("Controls: requests that were served before, asked again", wording.Number(traffic.Controls), false)
		d.Fact("Interruptions: times in which everybody was refused", wording.Number(traffic.Interruptions), false)
		if traffic.AskedAgain > 0 {
			d.Fact("Users asked again at the end of their block, as they were refused or got no answer",
				wording.Number(traffic.AskedAgain), false)
		}
		d.Fact("Sent again, as a kept connection was closed, or a first answer was late or 5xx",
			wording.Times(traffic.Repeated), false)
	}
	d.Suite(s.Suite)
	d.Fact("Sweep", s.Sweep, true)
	d.Fact("Digest of "+FindingsFile+" without its last line", s.Findings, true)
}
