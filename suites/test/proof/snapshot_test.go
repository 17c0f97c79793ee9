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

// outcome is what of the verdicts on a service is compared with the golden file: everything but counts, and texts that
// are random or depend on timing.
type outcome struct {
	run, sweep           string // their verdicts, with the error
	runFound, sweepFound findings
	inconclusive         []string // rows, with the reason
	diverging            []string // open points
	unsteady             []string // pointers, with operation and versions
	users                []string // of a sweep: how many were not alike, by operation
}

// outcome returns the outcome of a run and a sweep.
func (j *judged) outcome() *outcome {
	o := &outcome{run: string(j.run.Verdict), sweep: string(j.sweep.Verdict), runFound: findings{},
		sweepFound: findings{}}
	switch {
	case j.sweep.Error != nil:
		o.sweep += ": " + causeOf(*j.sweep.Error)
	case !j.sweep.Complete:
		o.sweep += ", not complete" // how far it came depends on timing
	default:
		for _, op := range schemas.Operations() {
			o.users = append(o.users, outcomesOf(op, j.sweep.Tally.Outcomes[op])...)
		}
		for _, g := range j.sweep.Tally.Groups {
			o.sweepFound.add(g.Requirement, g.Version, g.Kind, g.Pointer)
		}
	}
	if j.run.Error != nil {
		o.run += ": " + causeOf(*j.run.Error)
		return o
	}
	if j.run.Narrowed() {
		o.run += ", not complete"
	}
	for _, row := range j.run.Requirements {
		for _, c := range row.Causes {
			o.runFound.add(row.ID, row.Version, c.Kind, c.Pointer)
		}
	}
	o.inconclusive = inconclusiveRows(j.run.Requirements)
	for _, p := range j.run.Observations {
		if p.Agree != nil && !*p.Agree {
			o.diverging = append(o.diverging, p.ID)
		}
	}
	for _, u := range j.run.Unsteady {
		in := slices.DeleteFunc(schemas.InOrder(u.Users), func(v schemas.Version) bool { return u.Users[v] == 0 })
		o.unsteady = append(o.unsteady, fmt.Sprintf("%s %s %v", u.Operation, normalizeText(u.Pointer), in))
	}
	return o
}

// line returns the golden line of a service: what is wrong with it, or special, and the verdicts, each with its
// findings. The first finding of the rows that the service is declared to break says what and where.
func (o *outcome) line(sentence string, declared ...string) string {
	text := sentence + " → " + o.run + o.runFound.text(declared)
	for _, part := range []struct {
		says string
		list []string
	}{{"inconclusive", o.inconclusive}, {"diverging at", o.diverging}, {"unsteady", o.unsteady}} {
		if list := slices.Compact(slices.Sorted(slices.Values(part.list))); len(list) > 0 {
			if part.says != o.run {
				text += "; " + part.says
			}
			text += " " + strings.Join(list, ", ")
		}
	}
	swept := o.sweepFound.text(declared)
	if swept != "" && swept == o.runFound.text(declared) {
		swept = " by the same"
	}
	text += "; sweep " + o.sweep + swept
	if len(o.users) > 0 {
		text += ": " + strings.Join(o.users, ", ")
	}
	return text
}

// findings have what was found first of each row, by its id and version, with its kind and pointer.
type findings map[string]map[string]string

func (f findings) add(id string, v schemas.Version, kind, pointer string) {
	if f[id] == nil {
		f[id] = map[string]string{}
	}
	what, found := describeFinding(kind, pointer), f[id][string(v)]
	if found == "" || what < found {
		f[id][string(v)] = what
	}
}

// text lists the rows with findings, and says what was found of the first one that is declared.
func (f findings) text(declared []string) string {
	var list []string
	said := false
	for _, id := range slices.Sorted(maps.Keys(f)) {
		versions := slices.Sorted(maps.Keys(f[id]))
		row := id + " " + strings.Join(versions, " ")
		if !said && slices.Contains(declared, id) {
			said, row = true, row+" ("+f[id][versions[0]]+")"
		}
		list = append(list, row)
	}
	if len(list) == 0 {
		return ""
	}
	return " by " + strings.Join(list, ", ")
}

// timedLine is the golden line of a service whose findings depend on timing: the possible verdicts only.
func timedLine(sentence string, verdicts ...ledger.Verdict) string {
	text := make([]string, len(verdicts))
	for i, v := range verdicts {
		text[i] = string(v)
	}
	return sentence + " → " + strings.Join(text, " or ") + ", which depends on time"
}

// inconclusiveRows has a text for each reason and the same rows, because some services have many inconclusive rows. A
// section whose rows are all there is named once.
func inconclusiveRows(rows []report.Row) []string {
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
			if reason != "" {
				slices.Sort(names)
				text := strings.Join(names, " ") + " %s (" + reason + ")"
				ids[text] = append(ids[text], v)
			}
		}
	}
	var list []string
	for text, versions := range ids {
		slices.Sort(versions)
		list = append(list, fmt.Sprintf(text, strings.Join(versions, " ")))
	}
	return list
}

func groupsOf(rows []report.Row, key func(report.Row) string) map[string][]report.Row {
	groups := map[string][]report.Row{}
	for _, row := range rows {
		groups[key(row)] = append(groups[key(row)], row)
	}
	return groups
}

// outcomesOf says of how many users the answers were not alike.
func outcomesOf(op schemas.Operation, all map[stats.Outcome]*stats.Share) (list []string) {
	for _, o := range stats.Outcomes() {
		if share := all[o]; share != nil && share.Count > 0 && o != stats.Equal && o != stats.NothingAlike {
			list = append(list, fmt.Sprintf("%s %s %d%s", op, o, share.Count, reasonsOf(share)))
		}
	}
	return list
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
