package tally

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fatih/color"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// printed is how many groups the terminal gets; all are in sweep.json.
const printed = 20

// Print tells people what a sweep came to: the outcomes, the groups of findings, the verdict and what it proves. Folder
// is where its files are.
func Print(w io.Writer, s *Summary, folder string, coloured bool) {
	t := s.Tally
	if t.Users > 0 {
		fmt.Fprintf(w, "\n%s\n", t.Figure())
	}
	fmt.Fprintf(w, "\n%s, %s", wording.Count(t.Users, "user"), wording.Count(s.Traffic.Requests, "request"))
	if s.Traffic.Throttled > 0 {
		fmt.Fprintf(w, ", throttled %s", wording.Times(s.Traffic.Throttled))
	}
	if s.Traffic.Repeated > 0 {
		fmt.Fprintf(w, ", %s sent again as the target was down or closed its connection", wording.Count(s.Traffic.Repeated, "request"))
	}
	if s.Traffic.Outages > 0 {
		fmt.Fprintf(w, ", left alone %s without answers", wording.Times(s.Traffic.Outages))
	}
	fmt.Fprintf(w, ", %s\n\n", time.Duration(s.Seconds*float64(time.Second)).Round(time.Millisecond))

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "users by outcome\t%s\t\n", strings.Join(names(), "\t"))
	for _, o := range Outcomes() {
		fmt.Fprintf(table, "%s\t", o)
		for _, op := range schemas.Operations() {
			fmt.Fprintf(table, "%d\t", t.Outcomes[op][o].Count)
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush() // a terminal that is gone takes nothing from the sweep
	t.printGrounds(w)
	t.printGroups(w)
	for _, note := range s.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	colour := color.FgRed
	switch s.Verdict {
	case ledger.Pass:
		colour = color.FgGreen
	case ledger.Inconclusive:
		colour = color.FgYellow
	}
	fmt.Fprintf(w, "\nverdict: %s: %s\n", report.Painter(coloured)(colour, string(s.Verdict)), s.Reason)
	fmt.Fprintf(w, "what it proves: %s\n", s.Proves)
	fmt.Fprintf(w, "report: %s (to read), %s (to process)\n", filepath.Join(folder, PageFile), filepath.Join(folder, SummaryFile))
	if found := t.Found(); found.Differences+found.Violations > 0 {
		fmt.Fprintf(w, "their answers, the first of them: %s\n", filepath.Join(folder, AnswersFile))
		fmt.Fprintf(w, "who differs, with the values of both versions: %s\n", filepath.Join(folder, DifferencesFile))
	}
}

func names() []string {
	var list []string
	for _, op := range schemas.Operations() {
		list = append(list, string(op))
	}
	return list
}

// printGrounds tells why, of outcomes that have more than one ground.
func (t *Tally) printGrounds(w io.Writer) {
	for _, op := range schemas.Operations() {
		for _, o := range Outcomes() {
			for _, g := range t.Outcomes[op][o].Grounds() {
				fmt.Fprintf(w, "  %s, %s: %d × %s\n", op, o, g.Count, g.Why)
			}
		}
	}
}

func (t *Tally) printGroups(w io.Writer) {
	for i, g := range t.Groups {
		if i == printed {
			fmt.Fprintf(w, "\n… and %s more, in %s\n", wording.Count(int64(len(t.Groups)-printed), "group"), SummaryFile)
			break
		}
		where := g.Pointer
		if where == "" {
			where = "the whole answer"
		}
		aside := ""
		if g.Waived {
			aside = " (waived)"
		}
		fmt.Fprintf(w, "\n%s %s, %s: %s at %s, %s%s\n", g.Requirement, g.Version, g.Operation, g.Kind, where, wording.Count(g.Users, "user"), aside)
		if len(g.Sample) > 0 {
			f := g.Sample[0]
			fmt.Fprintf(w, "  user %s (%s), %s: expected %s; %s\n", f.User.UserID, f.User.ID, f.Exchange, f.Expected, f.Actual)
		}
	}
	if t.Lumped > 0 {
		fmt.Fprintf(w, "\n%s more, of groups beyond the first %d; each is a line of %s\n", wording.Count(t.Lumped, "finding"), mostGroups, FindingsFile)
	}
}
