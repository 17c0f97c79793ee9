package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// Limits on what is shown for one row.
const (
	maxCauses   = 15
	maxUsers    = 3 // users for whom an example is shown
	maxExamples = 8 // answers, or pairs of answers
	maxPlaces   = 15
)

// Size in bytes of the markup around a cause, an example and a place.
const (
	causeMarkup   = 300
	exampleMarkup = 2500
	placeMarkup   = 400
)

// cause is all findings of one kind at one pointer, as a single entry.
type cause struct {
	Kind, Pointer, Times string
	Sentence             string // one finding in words; "" if an example shows it
}

// addCausesAndExamples adds causes and examples to the rows until the budget is used up. Every row gets its first cause
// and first example before any row gets a second one. So no row takes what the others need.
func (b *builder) addCausesAndExamples(rows []*row) {
	chosen := make([][]answers, len(rows))
	for i, r := range rows {
		chosen[i] = b.examplesOf(r.from)
	}
	for n := range maxCauses {
		for i, r := range rows {
			if n < len(r.from.Causes) && !b.isFull() {
				r.Causes = append(r.Causes, b.causeOf(r.from.Causes[n], chosen[i]))
			}
		}
		for i, r := range rows {
			if n < len(chosen[i]) && !b.isFull() {
				r.Examples = append(r.Examples, b.exampleOf(r.Version, chosen[i][n], n == 0))
			}
		}
	}
	for i, r := range rows {
		r.More = append(r.More, b.rest(len(r.from.Causes)-len(r.Causes), "cause", "causes"))
		if left := len(chosen[i]) - len(r.Examples); left > 0 {
			r.More = append(r.More, b.rest(left, "example", "examples")+" and "+report.EvidenceFile)
		}
	}
}

func (b *builder) causeOf(c report.Cause, chosen []answers) *cause {
	out := &cause{Kind: b.name(c.Kind), Pointer: b.cut(c.Pointer, longestPointer), Times: wording.Times(c.Count)}
	if !slices.ContainsFunc(chosen, func(a answers) bool { return a.show(c) }) {
		out.Sentence = b.text(c.Example)
	}
	b.charge(causeMarkup)
	return out
}

// longestPointer is the maximum length of a JSON Pointer on the page, in characters.
const longestPointer = 300

// answers are the findings of a row in one answer, or between two.
type answers []report.Finding

// show reports whether one of the findings belongs to a cause.
func (a answers) show(c report.Cause) bool { return slices.ContainsFunc(a, c.Includes) }

// examplesOf selects the answers of a row to show as examples: first one for each cause, unless an answer selected
// before shows it too, then those of other users.
func (b *builder) examplesOf(r *report.Row) []answers {
	var all, chosen []answers
	index := map[[2]string]int{}
	for _, f := range r.Findings {
		key := [2]string{f.Exchange, f.Against}
		if _, ok := index[key]; !ok {
			index[key] = len(all)
			all = append(all, nil)
		}
		all[index[key]] = append(all[index[key]], f)
	}
	users := map[string]bool{}
	choose := func(a answers) {
		chosen = append(chosen, a)
		users[b.userOf(a[0].Exchange)] = true
	}
	for _, c := range r.Causes {
		has := func(a answers) bool { return a.show(c) }
		if i := slices.IndexFunc(all, has); i >= 0 && !slices.ContainsFunc(chosen, has) && len(chosen) < maxExamples {
			choose(all[i])
		}
	}
	for _, a := range all {
		if len(users) >= maxUsers || len(chosen) >= maxExamples {
			break
		}
		if !users[b.userOf(a[0].Exchange)] {
			choose(a)
		}
	}
	return chosen
}

// userOf returns a key for the user of an exchange. If the user is not known, each exchange counts as a user of its
// own.
func (b *builder) userOf(id string) string {
	if name, known := b.users[id]; known {
		return name
	}
	name := "exchange " + id
	if b.store != nil && id != "" {
		if kept, err := b.store.Entry(id); err == nil && kept != nil {
			name = fmt.Sprintf("user %q %q", kept.Probe.User.ID, kept.Probe.User.UserID)
		}
	}
	b.users[id] = name
	return name
}
