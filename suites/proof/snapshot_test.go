package proof_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

// lines say what a run and a sweep say of a service: the verdict, each row that does not pass with the kinds, places
// and numbers of its findings, divergences, volatile places, and outcomes. What is random, or depends on time, is left
// out.
func (j *judged) lines() []string { return append(runLines(j.run), sweepLines(j.sweep)...) }

// timedLines are the lines of a service whose findings depend on time: the verdicts that fit.
func timedLines(verdicts ...ledger.Verdict) []string {
	text := make([]string, len(verdicts))
	for i, v := range verdicts {
		text[i] = string(v)
	}
	return []string{"run: " + strings.Join(text, " or ") + ", which depends on time"}
}

func runLines(r *report.Report) []string {
	list := []string{"run: " + string(r.Verdict)}
	if r.Error != nil {
		return append(list, "run error: "+cause(*r.Error))
	}
	if !r.Complete {
		list = append(list, "run is not complete")
	}
	for _, row := range r.Requirements {
		first := len(list)
		for _, c := range row.Causes {
			list = append(list, fmt.Sprintf("run %s %s fail: %s (%d)", row.Version, row.ID, at(c.Kind, c.Pointer),
				c.Count))
		}
		if slices.ContainsFunc(row.Causes, func(c report.Cause) bool { return pseudonym.MatchString(c.Pointer) }) {
			slices.Sort(list[first:]) // their order depends on the pseudonyms
		}
	}
	list = append(list, inconclusiveLines(r.Requirements)...)
	for _, o := range r.Observations {
		if o.Agree != nil && !*o.Agree {
			list = append(list, fmt.Sprintf("run divergence %s %s: v5 %s; v6 %s", o.ID, o.Operation, steady(*o.V5),
				steady(*o.V6)))
		}
	}
	for _, v := range r.Volatile {
		list = append(list, fmt.Sprintf("run volatile %s %s", v.Operation, steady(v.Pointer)))
	}
	return list
}

// inconclusiveLines have a line for each version and reason, as a service that answers nothing has many such rows.
func inconclusiveLines(rows []report.Row) []string {
	ids := map[string][]string{}
	for _, row := range rows {
		if row.Verdict == ledger.Inconclusive {
			group := fmt.Sprintf("run %s inconclusive, %s:", row.Version, *row.Reason)
			ids[group] = append(ids[group], row.ID)
		}
	}
	var list []string
	for _, group := range slices.Sorted(maps.Keys(ids)) {
		list = append(list, group+" "+strings.Join(ids[group], " "))
	}
	return list
}

func sweepLines(s *stats.Summary) []string {
	list := []string{"sweep: " + string(s.Verdict)}
	if s.Error != nil {
		return append(list, "sweep error: "+cause(*s.Error))
	}
	if !s.Complete {
		return append(list, "sweep is not complete") // how far it came depends on time
	}
	for _, op := range schemas.Operations() {
		var outcomes []string
		for _, o := range stats.Outcomes() {
			if share := s.Tally.Outcomes[op][o]; share.Count > 0 {
				outcomes = append(outcomes, fmt.Sprintf("%s %d%s", o, share.Count, why(share)))
			}
		}
		list = append(list, fmt.Sprintf("sweep %s: %s", op, strings.Join(outcomes, ", ")))
	}
	var groups []string
	for _, g := range s.Tally.Groups {
		groups = append(groups, fmt.Sprintf("sweep %s %s: %s (%d)", g.Version, g.Requirement, at(g.Kind, g.Pointer),
			g.Users))
	}
	slices.Sort(groups)
	return append(list, groups...)
}

// why gives the grounds of an outcome.
func why(s *stats.Share) string {
	if len(s.Why) == 0 {
		return ""
	}
	grounds := slices.Sorted(maps.Keys(s.Why))
	for i, g := range grounds {
		grounds[i] = steady(g)
	}
	return " (" + strings.Join(slices.Compact(grounds), "; ") + ")"
}

// at names a kind of finding and its place.
func at(kind, pointer string) string {
	if pointer == "" {
		return steady(kind)
	}
	return steady(kind) + " at " + steady(pointer)
}

// cause is the beginning of an error's text. What follows names the request that failed first, which depends on time,
// as does whether a deadline passed before a wait or would have passed in it.
func cause(text string) string {
	if strings.Contains(text, "deadline) leaves") {
		return "the deadline leaves no time"
	}
	text, _, _ = strings.Cut(text, ";")
	return steady(text)
}

// pseudonym stands for a text with a secret. It is another one in each run.
var pseudonym = regexp.MustCompile(`(?i)redacted-[a-z]{16}`)

var address = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)

// steady makes a text the same in each run and on each machine, and one line of at most 120 characters.
func steady(text string) string {
	text = address.ReplaceAllString(text, "$1:PORT")
	text = pseudonym.ReplaceAllString(text, "redacted")
	text = strings.ReplaceAll(text, "\n", " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:120]) + "…"
	}
	return text
}
