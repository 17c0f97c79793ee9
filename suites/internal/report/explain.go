package report

import (
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

// User names a user as findings do: by the comment name where the users file has one.
func User(r *run.Run, user settings.User) string {
	text := r.Secrets().ShowJSON(user.UserID, 80)
	if user.Name != "" {
		text += " (" + r.Secrets().Show(user.Name, 100) + ")"
	}
	return text
}

// Explain is what a person reads of a row that failed or stayed open: the requirement and its section, then every
// finding with its user, exchange, place, what would have been accepted, what came, and a line that sends the request
// again.
func Explain(r *run.Run, row *ledger.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (§%s): %s\n", row.Version, row.ID, row.Requirement.Section, row.Requirement.Statement)
	if row.Verdict() == ledger.Inconclusive {
		fmt.Fprintf(&b, "  inconclusive: %s\n", Why(row.Reason))
	}
	if row.Requirement.Parity {
		explainCauses(&b, r, row)
	} else {
		explainFindings(&b, r, row)
	}
	for _, note := range row.Notes {
		fmt.Fprintf(&b, "  note: %s\n", Note(note))
	}
	if row.Waiver != nil {
		fmt.Fprintf(&b, "  waived until %s: %s\n", row.Waiver.Until.Format("2006-01-02"), r.Secrets().Show(row.Waiver.Reason, 0))
	}
	return strings.TrimRight(b.String(), "\n")
}

// Why says in words why a row is inconclusive.
func Why(reason ledger.Reason) string {
	switch reason {
	case ledger.NoWitness:
		return "no-witness: no record of the run showed a value; add a user who has one, or waive it"
	case ledger.NotServed:
		return "not-served: the answers that it needs were never served"
	case ledger.NotComparable:
		return "not-comparable: no two answers could be compared"
	case ledger.NotRun:
		return "not-run: a filter, the end of the run, or evidence that lacks what it needs, left it out"
	default:
		return string(reason)
	}
}

// explainFindings tells each finding of a row.
func explainFindings(b *strings.Builder, r *run.Run, row *ledger.Row) {
	for i, f := range row.Findings {
		fmt.Fprintf(b, "\n  finding %d of %d", i+1, row.Count)
		explainFinding(b, r, f)
	}
	if more := row.Count - len(row.Findings); more > 0 {
		fmt.Fprintf(b, "\n  and %d more findings, counted but not kept\n", more)
	}
}

// examples is how many findings of one cause are told where causes are what matters.
const examples = 3

// explainCauses tells each cause of a row of parity, with the first few examples: one cause reads as one entry, however
// many users it shows in.
func explainCauses(b *strings.Builder, r *run.Run, row *ledger.Row) {
	for i, c := range row.Causes {
		fmt.Fprintf(b, "\n  difference %d of %d: %s", i+1, len(row.Causes), c.Kind)
		if c.Pointer != "" {
			fmt.Fprintf(b, " at %s", r.Secrets().Show(c.Pointer, 300))
		}
		fmt.Fprintf(b, ", %s\n", wording.Times(c.Count))
		told := 0
		for _, f := range append(row.Findings, c.Example) {
			if told < examples && f.Kind == c.Kind && strictjson.General(f.Pointer) == c.Pointer && (told == 0 || f.Probe.ID != c.Example.Probe.ID) {
				b.WriteString("  for example")
				explainFinding(b, r, f)
				told++
			}
		}
	}
}

func explainFinding(b *strings.Builder, r *run.Run, f check.Finding) {
	shown := findingOf(r, f)
	if f.Probe.ID != "" {
		fmt.Fprintf(b, ": %s for user %s, exchange %s (%s)", f.Probe.Operation, User(r, f.Probe.User), f.Probe.ID, f.Probe.Name())
	}
	if shown.Pointer != "" {
		fmt.Fprintf(b, "\n    at        %s", shown.Pointer)
	}
	fmt.Fprintf(b, "\n    expected  %s\n    actual    %s\n", shown.Expected, shown.Actual)
	if f.Probe.WellFormed() && f.Probe.ID != "" && r.Ledger.Unknown(f.Probe.User) {
		b.WriteString("    hint      no version served this user in any call: perhaps the target does not know the user; check the users file\n")
	}
	if shown.RepeatAgainst != "" {
		fmt.Fprintf(b, "    repeat    %s\n", shown.RepeatAgainst)
	}
	if shown.Repeat != "" {
		fmt.Fprintf(b, "    repeat    %s\n", shown.Repeat)
	}
}
