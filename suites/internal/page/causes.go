package page

import (
	"fmt"
	"slices"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

// Bounds of what is shown of one row.
const (
	mostCauses   = 15
	mostUsers    = 3 // with an example
	mostExamples = 8 // answers, or pairs of them
	mostPlaces   = 15
)

// Bytes of the templates of one of them.
const (
	causeMarkup   = 300
	exampleMarkup = 2500
	placeMarkup   = 400
)

// cause is all findings of one kind at one place: one entry, however many they are.
type cause struct {
	Kind, Pointer, Times string
	Sentence             string // of one of them, if no example has one
}

// isOf reports whether a finding is of a cause.
func isOf(f report.Finding, c report.Cause) bool {
	return f.Kind == c.Kind && strictjson.General(f.Pointer) == c.Pointer
}

// fill adds causes and examples to the rows while there is room: the first cause and the first example of each row before
// the second ones of any, and so on. So no row takes the room of the others.
func (b *builder) fill(rows []*row) {
	chosen := make([][]answers, len(rows))
	for i, r := range rows {
		chosen[i] = b.examplesOf(r.from)
	}
	for n := range mostCauses {
		for i, r := range rows {
			if n < len(r.from.Causes) && !b.full() {
				r.Causes = append(r.Causes, b.causeOf(r.from.Causes[n], chosen[i]))
			}
		}
		for i, r := range rows {
			if n < len(chosen[i]) && !b.full() {
				r.Examples = append(r.Examples, b.exampleOf(chosen[i][n], n == 0))
			}
		}
	}
	for i, r := range rows {
		if left := len(r.from.Causes) - len(r.Causes); left > 0 {
			r.More = append(r.More, b.rest(left, "cause", "causes"))
		}
		if left := len(chosen[i]) - len(r.Examples); left > 0 {
			r.More = append(r.More, b.rest(left, "example", "examples")+" and "+report.EvidenceFile)
		}
	}
}

func (b *builder) causeOf(c report.Cause, chosen []answers) *cause {
	out := &cause{Kind: b.name(c.Kind), Pointer: b.cut(c.Pointer, longestPointer), Times: wording.Times(c.Count)}
	if !slices.ContainsFunc(chosen, func(a answers) bool { return a.have(c) }) {
		out.Sentence = b.text(c.Example)
	}
	b.charge(causeMarkup)
	return out
}

// longestPointer is how much of a place is shown.
const longestPointer = 300

// answers are the findings of a row in one answer, or between two.
type answers []report.Finding

// have reports whether one of the findings is of a cause.
func (a answers) have(c report.Cause) bool {
	return slices.ContainsFunc(a, func(f report.Finding) bool { return isOf(f, c) })
}

// examplesOf chooses answers of a row: of each cause first one, unless an answer chosen before shows it too, then those
// of other users.
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
		has := func(a answers) bool { return a.have(c) }
		if i := slices.IndexFunc(all, has); i >= 0 && !slices.ContainsFunc(chosen, has) && len(chosen) < mostExamples {
			choose(all[i])
		}
	}
	for _, a := range all {
		if len(users) >= mostUsers || len(chosen) >= mostExamples {
			break
		}
		if !users[b.userOf(a[0].Exchange)] {
			choose(a)
		}
	}
	return chosen
}

// userOf tells exchanges of different users apart. If the user is not known, every exchange has its own.
func (b *builder) userOf(id string) string {
	if name, known := b.users[id]; known {
		return name
	}
	name := "exchange " + id
	if b.shelf != nil && id != "" {
		if kept, err := b.shelf.Entry(id); err == nil && kept != nil {
			name = fmt.Sprintf("user %q %q", kept.Probe.User.ID, kept.Probe.User.UserID)
		}
	}
	b.users[id] = name
	return name
}
