package page

import (
	"html/template"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/internal/wording"
)

// group is all findings of one cause, with some of the users who show it.
type group struct {
	Anchor, Requirement, Section, Heading string
	Operation, Version, Kind, Pointer     string
	State                                 state
	Users, Share, Findings                string
	Open                                  bool // not folded
	Shown                                 string
	Samples                               []template.HTML
	More                                  string // what is not shown

	found  []tally.Finding
	shown  bool
	leaves int // samples for which there was no room
}

// Link is the fragment that leads to the group, Key what it is called.
func (g *group) Link() string { return "#" + g.Anchor }

// Key names the group.
func (g *group) Key() string { return g.Requirement + " " + g.Version + ": " + g.Kind }

const (
	unfolded = 1   // groups, the first ones
	longest  = 400 // characters of a text of a group
	samples  = 10  // users of a group: as many as a tally keeps
)

// brief is text for one of many.
func (b *sweepBuilder) brief(s string) string { return b.short(s, longest) }

// groups are those of the summary, in its order: the largest first. The sentences say what of them is not shown.
func (b *sweepBuilder) groups() ([]*group, []string) {
	var list []*group
	for i, from := range b.tally.Groups {
		g := &group{
			Requirement: b.brief(from.Requirement), Operation: b.brief(string(from.Operation)), Version: b.brief(string(from.Version)),
			Kind: b.brief(from.Kind), Pointer: b.brief(from.Pointer), State: named(string(ledger.Fail)),
			Users: users(from.Users), Share: percent(from.Users, b.tally.Users), Open: i < unfolded, found: from.Sample[:min(len(from.Sample), samples)],
		}
		g.Anchor = b.anchors.add(from.Requirement, string(from.Version), from.Kind+from.Pointer)
		section, _, _ := strings.Cut(from.Requirement, "/")
		if g.Heading = heading(section); g.Heading != "" {
			g.Section = b.brief(section)
		}
		if from.Waived {
			g.State = named("waived")
		}
		if from.Count != from.Users {
			g.Findings = grouped(from.Count) + " findings"
		}
		g.Shown = b.drawn(len(g.found), from)
		list = append(list, g)
	}
	var more []string
	if n := b.tally.Lumped; n > 0 {
		more = append(more, grouped(n)+" findings are of groups beyond these; each is a line of "+tally.FindingsFile+".")
	}
	return list, more
}

// drawn says which users are shown; "" where there are none.
func (b *sweepBuilder) drawn(n int, from *tally.Group) string {
	switch {
	case n == 0:
		return ""
	case int64(n) >= from.Users:
		return "All users who show it."
	}
	return users(int64(n)) + " of " + grouped(from.Users) + ", drawn at random."
}

// found says how many findings there are.
func (b *sweepBuilder) found() string {
	all := tally.Findings{}
	for _, op := range schemas.Operations() {
		if f := b.tally.Findings[op]; f != nil {
			all.Differences += f.Differences
			all.Violations += f.Violations
			all.Waived += f.Waived
			all.Open += f.Open
		}
	}
	text := wording.Count(all.Differences, "difference") + " between v5 and v6, " + wording.Plural(all.Violations, "breach", "breaches") + " of the contract"
	if all.Waived > 0 {
		text += ", " + wording.Count(all.Waived, "finding") + " waived"
	}
	if all.Open > 0 {
		text += ", and " + wording.Plural(all.Open, "pair of answers", "pairs of answers") + " that could not be compared, of which the grounds above tell"
	}
	text += "."
	if all.Differences+all.Violations > 0 {
		text += " Each user is a line of " + tally.DifferencesFile + ", with the values of both versions."
	}
	return text
}

// filter narrows the groups. What is no choice of it can be found by its text.
func (b *sweepBuilder) filter(groups []*group) filter {
	f := filter{Of: "groups", Rows: len(groups)}
	for _, c := range []struct {
		name, label string
		value       func(*group) option
	}{
		{"operation", "Operation", func(g *group) option { return option{g.Operation, g.Operation} }},
		{"version", "Version", func(g *group) option { return option{g.Version, g.Version} }},
		{"kind", "Kind", func(g *group) option { return option{g.Kind, g.Kind} }},
		{"verdict", "Verdict", func(g *group) option { return option{g.State.Name, g.State.Word} }},
	} {
		made := choice{Name: c.name, Label: c.label}
		known := map[option]bool{}
		for _, g := range groups {
			if o := c.value(g); !known[o] {
				known[o] = true
				made.Options = append(made.Options, o)
			}
		}
		slices.SortFunc(made.Options, func(a, b option) int { return strings.Compare(a.Word, b.Word) })
		made.Options = made.Options[:min(len(made.Options), b.level.list)]
		f.Choices = append(f.Choices, made)
	}
	return f
}

// sample is a user who shows what a group is about.
type sample struct{ UserID, ID, Exchange, Expected, Actual string }

func (b *sweepBuilder) sampleOf(f tally.Finding) sample {
	return sample{b.brief(f.User.UserID), b.brief(f.User.ID), b.brief(f.Exchange), b.brief(f.Expected), b.brief(f.Actual)}
}

// fill renders groups into the page as long as there is room: first what each group is, then one user of each, then
// more of them. So no group takes the room of the others.
func (b *sweepBuilder) fill(v *sweepView, groups []*group) {
	b.room -= roomForMore
	for _, g := range groups {
		g.More = b.leftOut(samples) // no longer than it will be
		g.shown = b.take(b.piece("group.html", g))
	}
	for n := range samples {
		for _, g := range groups {
			if !g.shown || n >= len(g.found) {
				continue
			}
			if one := b.piece("sample.html", b.sampleOf(g.found[n])); b.take(one) {
				g.Samples = append(g.Samples, one)
			} else {
				g.leaves++
			}
		}
	}
	left := 0
	for _, g := range groups {
		if !g.shown {
			left++
			continue
		}
		g.More = b.leftOut(g.leaves)
		v.Groups = append(v.Groups, b.piece("group.html", g))
	}
	if left > 0 {
		v.MoreGroups = append(v.MoreGroups, b.noRoom(left, "more group", "more groups", b.data))
	}
}

// leftOut says how many users of a group are not shown.
func (b *sweepBuilder) leftOut(n int) string {
	return b.noRoom(n, "more user", "more users", b.data)
}
