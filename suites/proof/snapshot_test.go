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

// lines returns the golden lines of a service: the verdicts, each row that does not pass with the kinds, pointers and
// counts of its findings, divergences, volatile pointers, and outcomes. Random texts and what depends on timing are
// left out.
func (j *judged) lines() []string { return append(runLines(j.run), sweepLines(j.sweep)...) }

// timedLines are the golden lines of a service whose findings depend on timing: the possible verdicts only.
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
			list = append(list, fmt.Sprintf("run %s %s fail: %s (%d)", row.Version, row.ID,
				describeFinding(c.Kind, c.Pointer), c.Count))
		}
		if slices.ContainsFunc(row.Causes, func(c report.Cause) bool { return pseudonym.MatchString(c.Pointer) }) {
			slices.Sort(list[first:]) // their order depends on the random pseudonyms
		}
	}
	list = append(list, inconclusiveLines(r.Requirements)...)
	for _, o := range r.Observations {
		if o.Agree != nil && !*o.Agree {
			list = append(list, fmt.Sprintf("run divergence %s %s: v5 %s; v6 %s", o.ID, o.Operation,
				normalize(o.Seen[schemas.V5].Text),
				normalize(o.Seen[schemas.V6].Text)))
		}
	}
	for _, v := range r.Volatile {
		list = append(list, fmt.Sprintf("run volatile %s %s", v.Operation, normalize(v.Pointer)))
	}
	return list
}

// inconclusiveLines has one line for each version and reason, because some services have many inconclusive rows.
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
		return append(list, "sweep is not complete") // how far it came depends on timing
	}
	for _, op := range schemas.Operations() {
		var outcomes []string
		for _, o := range stats.Outcomes() {
			if share := s.Tally.Outcomes[op][o]; share.Count > 0 {
				outcomes = append(outcomes, fmt.Sprintf("%s %d%s", o, share.Count, reasonsOf(share)))
			}
		}
		list = append(list, fmt.Sprintf("sweep %s: %s", op, strings.Join(outcomes, ", ")))
	}
	var groups []string
	for _, g := range s.Tally.Groups {
		groups = append(groups, fmt.Sprintf("sweep %s %s: %s (%d)", g.Version, g.Requirement,
			describeFinding(g.Kind, g.Pointer), g.Users))
	}
	slices.Sort(groups)
	return append(list, groups...)
}

// reasonsOf returns the reasons of an outcome, in parentheses.
func reasonsOf(s *stats.Share) string {
	if len(s.Why) == 0 {
		return ""
	}
	reasons := slices.Sorted(maps.Keys(s.Why))
	for i, g := range reasons {
		reasons[i] = normalize(g)
	}
	return " (" + strings.Join(slices.Compact(reasons), "; ") + ")"
}

// describeFinding returns the kind of a finding and its pointer.
func describeFinding(kind, pointer string) string {
	if pointer == "" {
		return normalize(kind)
	}
	return normalize(kind) + " at " + normalize(pointer)
}

// cause returns the beginning of an error text. The rest names the request that failed first, which depends on timing.
// So does the kind of deadline error.
func cause(text string) string {
	if strings.Contains(text, "deadline) leaves") {
		return "the deadline leaves no time"
	}
	text, _, _ = strings.Cut(text, ";")
	return normalize(text)
}

// pseudonym matches the replacement of a secret, which is random in each run.
var pseudonym = regexp.MustCompile(`(?i)redacted-[a-z]{16}`)

var address = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)

// normalize makes a text the same in each run and on each machine, and one line of at most 120 characters.
func normalize(text string) string {
	text = address.ReplaceAllString(text, "$1:PORT")
	text = pseudonym.ReplaceAllString(text, "redacted")
	text = strings.ReplaceAll(text, "\n", " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:120]) + "…"
	}
	return text
}
