package proof_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// lines returns the golden lines of a service. The first has the verdicts of run and sweep, the outcomes of an
// operation that are not all alike, and the first finding of the rows that the service is declared to break. Each
// further line is something else: a finding, rows that are inconclusive, a divergence, a volatile pointer. Random texts
// and what depends on timing are left out.
func (j *judged) lines(declared ...string) []string {
	head := string(j.run.Verdict)
	if j.run.Error != nil {
		head += ": " + causeOf(*j.run.Error)
	} else if j.run.Narrowed() {
		head += ", not complete"
	}
	head += ", sweep " + string(j.sweep.Verdict)
	swept := j.sweep.Error == nil && j.sweep.Complete
	switch {
	case j.sweep.Error != nil:
		head += ": " + causeOf(*j.sweep.Error)
	case !j.sweep.Complete:
		head += ", not complete" // how far it came depends on timing
	default:
		for _, op := range schemas.Operations() {
			head += outcomesOf(op, j.sweep.Tally.Outcomes[op])
		}
	}
	found := findings{}
	if j.run.Error == nil {
		for _, row := range j.run.Requirements {
			for _, c := range row.Causes {
				found.add(row.ID, c.Kind, c.Pointer, row.Version).run += c.Count
			}
		}
	}
	if swept {
		for _, g := range j.sweep.Tally.Groups {
			found.add(g.Requirement, g.Kind, g.Pointer, g.Version).sweep += int(g.Users)
		}
	}
	texts := found.texts()
	if i := slices.IndexFunc(texts, func(text string) bool {
		id, _, _ := strings.Cut(text, " ")
		return slices.Contains(declared, id)
	}); i >= 0 {
		head += "; " + texts[i]
		texts = slices.Delete(texts, i, i+1)
	}
	list := append([]string{head}, texts...)
	if j.run.Error != nil {
		return list
	}
	list = append(list, inconclusiveLines(j.run.Requirements)...)
	for _, o := range j.run.Observations {
		if o.Agree != nil && !*o.Agree {
			list = append(list, fmt.Sprintf("divergence %s %s: v5 %s; v6 %s", o.ID, o.Operation,
				normalizeText(o.Seen[schemas.V5].String()), normalizeText(o.Seen[schemas.V6].String())))
		}
	}
	for _, u := range j.run.Unsteady {
		in := []string{}
		for _, v := range schemas.InOrder(u.Users) {
			if u.Users[v] > 0 {
				in = append(in, string(v))
			}
		}
		list = append(list, fmt.Sprintf("unsteady %s %s in %s", u.Operation, normalizeText(u.Pointer),
			strings.Join(in, " and ")))
	}
	return list
}

// findings counts what was found, by a text that names the row, kind and pointer, and by version.
type findings map[string]map[schemas.Version]*counts

// counts are the findings of a run, and the users of a sweep that have one.
type counts struct{ run, sweep int }

func (f findings) add(id, kind, pointer string, v schemas.Version) *counts {
	text := id + " %s: " + strings.ReplaceAll(describeFinding(kind, pointer), "%", "%%")
	if f[text] == nil {
		f[text] = map[schemas.Version]*counts{}
	}
	if f[text][v] == nil {
		f[text][v] = &counts{}
	}
	return f[text][v]
}

// texts are the findings, sorted; versions with the same counts are in one text.
func (f findings) texts() []string {
	var list []string
	for text, versions := range f {
		same := map[counts][]string{}
		for _, v := range slices.Sorted(maps.Keys(versions)) {
			same[*versions[v]] = append(same[*versions[v]], string(v))
		}
		for c, versions := range same {
			list = append(list, fmt.Sprintf(text+" %d/%d", strings.Join(versions, " "), c.run, c.sweep))
		}
	}
	slices.Sort(list)
	return list
}

// timedLines are the golden lines of a service whose findings depend on timing: the possible verdicts only.
func timedLines(verdicts ...ledger.Verdict) []string {
	text := make([]string, len(verdicts))
	for i, v := range verdicts {
		text[i] = string(v)
	}
	return []string{strings.Join(text, " or ") + ", which depends on time"}
}

// inconclusiveLines has a line for each reason and the same rows, because some services have many inconclusive rows. A
// section whose rows are all there is named once.
func inconclusiveLines(rows []report.Row) []string {
	section := func(row report.Row) string {
		before, _, _ := strings.Cut(row.ID, "/")
		return before + "/*"
	}
	all, ids := map[string]int{}, map[string][]string{}
	for _, row := range rows {
		all[string(row.Version)+section(row)]++
	}
	for v, group := range groupsOf(rows, func(row report.Row) string { return string(row.Version) }) {
		for reason, group := range groupsOf(group, func(row report.Row) string {
			if row.Verdict != ledger.Inconclusive {
				return ""
			}
			return string(*row.Reason)
		}) {
			var names []string
			for part, group := range groupsOf(group, section) {
				if len(group) == all[v+part] && len(group) > 1 {
					names = append(names, part)
					continue
				}
				for _, row := range group {
					names = append(names, row.ID)
				}
			}
			slices.Sort(names)
			text := fmt.Sprintf("inconclusive, %s: %s", reason, strings.Join(names, " "))
			if reason != "" {
				ids[text] = append(ids[text], v)
			}
		}
	}
	var list []string
	for text, versions := range ids {
		slices.Sort(versions)
		list = append(list, strings.Join(versions, " ")+" "+text)
	}
	slices.Sort(list)
	return list
}

func groupsOf(rows []report.Row, key func(report.Row) string) map[string][]report.Row {
	groups := map[string][]report.Row{}
	for _, row := range rows {
		groups[key(row)] = append(groups[key(row)], row)
	}
	return groups
}

// outcomesOf says how many users had each outcome; "" if all answers were alike.
func outcomesOf(op schemas.Operation, all map[stats.Outcome]*stats.Share) string {
	text, alike := "; "+string(op), true
	for _, o := range stats.Outcomes() {
		if share := all[o]; share != nil && share.Count > 0 {
			text += fmt.Sprintf(" %s %d%s,", o, share.Count, reasonsOf(share))
			alike = alike && (o == stats.Equal || o == stats.NothingAlike)
		}
	}
	if alike {
		return ""
	}
	return strings.TrimSuffix(text, ",")
}

// reasonsOf returns the reasons of an outcome, in parentheses.
func reasonsOf(s *stats.Share) string {
	if len(s.Why) == 0 {
		return ""
	}
	reasons := slices.Sorted(maps.Keys(s.Why))
	for i, g := range reasons {
		reasons[i] = normalizeText(g)
	}
	return " (" + strings.Join(slices.Compact(reasons), "; ") + ")"
}

// describeFinding returns the kind of a finding and its pointer.
func describeFinding(kind, pointer string) string {
	if pointer == "" {
		return normalizeText(kind)
	}
	return normalizeText(kind) + " at " + normalizeText(pointer)
}

// causeOf returns the beginning of an error text. The rest names the request that failed first, which depends on
// timing. So does the kind of deadline error.
func causeOf(text string) string {
	if strings.Contains(text, "deadline) leaves") {
		return "the deadline leaves no time"
	}
	text, _, _ = strings.Cut(text, ";")
	return normalizeText(text)
}

var address = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)

// clock matches the time until which a target answered.
var clock = regexp.MustCompile(`\d\d:\d\d:\d\d UTC`)

// normalizeText makes a text the same in each run and on each machine, and one line of at most 120 characters.
func normalizeText(text string) string {
	text = address.ReplaceAllString(text, "$1:PORT")
	text = clock.ReplaceAllString(text, "TIME UTC")
	text = strings.ReplaceAll(text, "\n", " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:120]) + "…"
	}
	return text
}
