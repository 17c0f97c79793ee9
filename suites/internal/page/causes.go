package page

import (
	"fmt"
	"html/template"
	"slices"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

// examples is how many findings of one cause are shown.
const examples = 3

// cause is all findings of one kind at one place: one entry, however many they are.
type cause struct {
	Kind, Pointer, Times string
	Sentence             string // of one of them, shown where none is
	Examples             []template.HTML
	More                 string // what is not shown

	found  []report.Finding
	shown  bool
	leaves int // examples for which there was no room
}

func (b *builder) causeOf(r *report.Row, c report.Cause) *cause {
	out := &cause{Kind: b.text(c.Kind), Pointer: b.text(c.Pointer), Times: wording.Times(c.Count), Sentence: b.text(c.Example)}
	out.found = b.examplesOf(r, c)
	return out
}

// examplesOf chooses findings of a cause: of different users where the exchanges are at hand, else of different
// exchanges.
func (b *builder) examplesOf(r *report.Row, c report.Cause) []report.Finding {
	var list []report.Finding
	seen := map[string]bool{}
	for _, f := range r.Findings {
		if f.Kind != c.Kind || strictjson.General(f.Pointer) != c.Pointer {
			continue
		}
		whom := b.whom(f.Exchange)
		if !seen[whom] {
			seen[whom] = true
			list = append(list, f)
		}
		if len(list) == examples {
			break
		}
	}
	return list
}

// whom tells exchanges of different users apart; where the user is not known, every exchange has one of its own.
func (b *builder) whom(id string) string {
	if name, known := b.users[id]; known {
		return name
	}
	name := "exchange " + id
	if b.shelf != nil && id != "" {
		if kept, err := b.shelf.Kept(id); err == nil && kept != nil {
			name = fmt.Sprintf("user %q %q", kept.Probe.User.ID, kept.Probe.User.UserID)
		}
	}
	b.users[id] = name
	return name
}

// fill renders causes and examples into the rows, as long as there is room: first what each cause is, then one example
// of each, then more of them. So no row, however many causes it has, takes the room of the others.
func (b *builder) fill(rows []*row) {
	most := 0
	for _, r := range rows {
		most = max(most, len(r.causes))
	}
	each := func(do func(r *row, c *cause)) {
		for i := range most {
			for _, r := range rows {
				if i < len(r.causes) {
					do(r, r.causes[i])
				}
			}
		}
	}
	each(func(_ *row, c *cause) {
		c.More = b.leftOut(examples) // no longer than it will be
		c.shown = b.take(b.piece("cause.html", c))
	})
	for n := range examples {
		each(func(_ *row, c *cause) {
			if c.shown && n < len(c.found) {
				b.addExample(c, c.found[n], n == 0)
			}
		})
	}
	each(func(r *row, c *cause) {
		if c.shown {
			c.More = b.leftOut(c.leaves)
			r.Causes = append(r.Causes, b.piece("cause.html", c))
		}
	})
	for _, r := range rows {
		left := slices.DeleteFunc(slices.Clone(r.causes), func(c *cause) bool { return c.shown })
		if len(left) > 0 {
			r.More = b.noRoom(len(left), "more cause", "more causes", b.data)
		}
	}
}

// leftOut says how many examples of a cause are not shown.
func (b *builder) leftOut(n int) string {
	return b.noRoom(n, "more example", "more examples", b.data+" and "+report.EvidenceFile)
}

// addExample takes an example in whole where there is room for it, else without its exchanges.
func (b *builder) addExample(c *cause, f report.Finding, first bool) {
	if !b.full {
		whole := b.piece("example.html", b.exampleOf(f, first))
		if b.take(whole) {
			c.Examples = append(c.Examples, whole)
			return
		}
		b.full = true // nor is any other exchange looked up
	}
	e := b.plainExample(f, first)
	e.Lost = []string{"Left out, as the page has no room for more: " + inEvidence(b.text(f.Exchange)) + "."}
	if short := b.piece("example.html", e); b.take(short) {
		c.Examples = append(c.Examples, short)
		return
	}
	c.leaves++
}
