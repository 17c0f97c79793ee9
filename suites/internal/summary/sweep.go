package summary

import (
	"fmt"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	sweep "authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/internal/wording"
)

// mostSwept is how many groups of findings, and grounds of outcomes, are shown; sweep.json has all.
const mostSwept = 20

// OfSweep tells of a sweep, as Markdown for GitHub and GitLab: the verdict, what became of the users, and the groups of
// findings, the largest first. It is under 60,000 bytes whatever the sweep found, and the same for the same summary.
func OfSweep(s *sweep.Summary) []byte {
	var b strings.Builder
	sign := map[ledger.Verdict]string{ledger.Pass: "✓", ledger.Fail: "✗", ledger.Inconclusive: "?"}[s.Verdict]
	if sign == "" {
		sign = "!"
	}
	fmt.Fprintf(&b, "## %s %s: Authenticator API sweep of v5 and v6\n\n%s\n\nWhat it proves: %s\n\n", sign, s.Verdict, code(s.Reason, mostText), code(s.Proves, mostText))
	b.WriteString("| outcome |")
	for _, op := range schemas.Operations() {
		fmt.Fprintf(&b, " %s |", op)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(schemas.Operations())) + "\n")
	for _, o := range sweep.Outcomes() {
		fmt.Fprintf(&b, "| %s |", o)
		for _, op := range schemas.Operations() {
			fmt.Fprintf(&b, " %d |", s.Tally.Outcomes[op][o].Count)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	grounds(&b, s.Tally)
	groups(&b, s.Tally)
	for _, v := range schemas.Versions() {
		if url, ok := s.Identity.Target[v]; ok {
			fmt.Fprintf(&b, "- target of %s: %s\n", v, code(url, mostPlace))
		}
	}
	fmt.Fprintf(&b, "- looked at: %s of %d that were read, %s, %d throttled, %s\n", wording.Count(int(s.Tally.Users), "user"), s.Read.Users,
		wording.Count(int(s.Traffic.Requests), "request"), s.Traffic.Throttled, time.Duration(s.Seconds*float64(time.Second)).Round(time.Second))
	fmt.Fprintf(&b, "- in the report folder: `%s` for people, `%s` for programs, `%s` who differs, `%s` each finding\n", sweep.PageFile, sweep.SummaryFile, sweep.DifferencesFile, sweep.FindingsFile)
	return []byte(b.String())
}

func grounds(b *strings.Builder, t *sweep.Tally) {
	shown, more := 0, 0
	for _, op := range schemas.Operations() {
		for _, o := range sweep.Outcomes() {
			for _, g := range t.Outcomes[op][o].Grounds() {
				if shown == mostSwept {
					more++
					continue
				}
				shown++
				fmt.Fprintf(b, "- %s, %s: %d × %s\n", op, o, g.Count, code(g.Why, mostPlace))
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "- and %s\n", wording.Plural(more, "ground more", "grounds more"))
	}
	if shown > 0 {
		b.WriteString("\n")
	}
}

func groups(b *strings.Builder, t *sweep.Tally) {
	for i, g := range t.Groups {
		if i == mostSwept {
			fmt.Fprintf(b, "- and %s\n", wording.Plural(len(t.Groups)-i, "group more", "groups more"))
			break
		}
		fmt.Fprintf(b, "- %s %s %s: %s at %s, %s", code(g.Requirement, mostName), code(string(g.Version), mostName), code(string(g.Operation), mostName),
			code(g.Kind, mostName), code(g.Pointer, mostPlace), wording.Count(int(g.Users), "user"))
		if g.Waived {
			b.WriteString(" (waived)")
		}
		if len(g.Sample) > 0 {
			f := g.Sample[0]
			fmt.Fprintf(b, "; for example user %s: expected %s, %s", code(f.User.UserID, mostName), code(f.Expected, mostPlace), code(f.Actual, mostPlace))
		}
		b.WriteString("\n")
	}
	if len(t.Groups) > 0 {
		b.WriteString("\n")
	}
}
