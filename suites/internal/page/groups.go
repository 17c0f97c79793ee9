package page

import (
	"strings"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
)

// group is all findings of one cause, with some of the users who show it.
type group struct {
	Anchor, Requirement, Section      string
	Operation, Version, Kind, Pointer string
	State                             report.State
	Users, Share, Findings            string
	Open                              bool // unfolded
	Shown                             string
	Expected                          string // set if it is the same for all users who are shown
	Samples                           []sample
	More                              string // what is not shown
}

// sample is one user in a group.
type sample struct{ UserID, ID, Exchange, Expected, Actual string }

// Link returns the fragment of the group's URL.
func (g *group) Link() string { return "#" + g.Anchor }

// Key returns the name of the group.
func (g *group) Key() string { return g.Requirement + " " + g.Version + ": " + g.Kind }

// Limits on the groups, and the sizes of their markup in bytes.
const (
	unfolded     = 1 // number of first groups
	longestShown = 400
	samples      = 10 // users of a group: as many as the counts keep
	groupMarkup  = 1000
	sampleMarkup = 300
)

// groups returns the groups of the summary in its order, the largest first, and sentences about what is omitted. Every
// group gets one user before any group gets a second one, while there is room.
func (b *sweepBuilder) groups() ([]*group, []string) {
	var list []*group
	for i, from := range b.counts.Groups {
		if b.isFull() {
			break
		}
		list = append(list, b.groupOf(from, i < unfolded))
	}
	for n := 1; n < samples; n++ {
		for i, g := range list {
			if from := b.counts.Groups[i]; n < len(from.Sample) && !b.isFull() {
				g.Samples = append(g.Samples, b.sampleOf(from.Sample[n]))
			}
		}
	}
	for i, g := range list {
		g.Expected = g.commonExpected()
		g.More = b.rest(min(samples, len(b.counts.Groups[i].Sample))-len(g.Samples), "user", "users")
	}
	more := []string{b.rest(len(b.counts.Groups)-len(list), "group", "groups")}
	if n := b.counts.Ungrouped; n > 0 {
		more = append(more, wording.Number(n)+" findings are of groups beyond these; each is a line of "+
			stats.FindingsFile+".")
	}
	return list, more
}

// groupOf returns a group with its first user.
func (b *sweepBuilder) groupOf(from *stats.Group, open bool) *group {
	b.charge(groupMarkup)
	g := &group{
		Requirement: b.name(from.Requirement), Operation: b.name(string(from.Operation)),
		Version: b.name(string(from.Version)), Kind: b.name(from.Kind), Pointer: b.cut(from.Pointer, longestPointer),
		State: report.StateOf(ledger.Fail), Users: wording.Count(from.Users, "user"),
		Share: wording.Percent(from.Users, b.counts.Users), Open: open,
	}
	b.charge(2 * (len(g.Requirement) + len(g.Operation) + len(g.Version) + len(g.Kind))) // in attributes, too
	g.Anchor = b.anchors.add(from.Requirement, string(from.Version), from.Kind+from.Pointer)
	section, _, _ := strings.Cut(from.Requirement, "/")
	g.Section = b.name(section)
	if from.Waived {
		g.State = report.WaivedState()
	}
	if from.Count != from.Users {
		g.Findings = wording.Number(from.Count) + " findings"
	}
	if len(from.Sample) > 0 {
		g.Shown = sampleSentence(min(samples, len(from.Sample)), from)
		g.Samples = append(g.Samples, b.sampleOf(from.Sample[0]))
	}
	return g
}

// commonExpected returns what was expected for all users who are shown; "" if it differs.
func (g *group) commonExpected() string {
	for _, s := range g.Samples {
		if s.Expected != g.Samples[0].Expected {
			return ""
		}
	}
	if len(g.Samples) == 0 {
		return ""
	}
	return g.Samples[0].Expected
}

func (b *sweepBuilder) sampleOf(f stats.Finding) sample {
	b.charge(sampleMarkup)
	return sample{b.name(f.User.UserID), b.name(f.User.ID), b.name(f.Exchange), b.cut(f.Expected, longestShown),
		b.cut(f.Actual, longestShown)}
}

// sampleSentence is the sentence about which users are shown.
func sampleSentence(n int, from *stats.Group) string {
	if int64(n) >= from.Users {
		return "All users who show it."
	}
	return wording.Count(int64(n), "user") + " of " + wording.Number(from.Users) + ", drawn at random."
}

// found describes how many findings there are.
func (b *sweepBuilder) found() string {
	all := b.counts.Found()
	text := wording.Count(all.Differences, "difference") + " between " + b.summary.Identity.Versions() + ", " +
		wording.Plural(all.Violations, "breach", "breaches") + " of the contract"
	if all.Waived > 0 {
		text += ", " + wording.Count(all.Waived, "finding") + " waived"
	}
	if all.Open > 0 {
		text += ", and " + wording.Plural(all.Open, "pair of answers", "pairs of answers") +
			" that could not be compared, for the reasons above"
	}
	text += "."
	if all.Differences+all.Violations > 0 {
		text += " Each user is a line of " + stats.DifferencesFile + ", with the values of both versions."
	}
	return text
}
