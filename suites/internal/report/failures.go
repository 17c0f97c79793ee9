package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// maxCauses is how many causes of one requirement are listed.
const maxCauses = 10

// failures returns a section with one item for each thing that is broken: the sentence of the catalogue, then one line
// for each cause. If v5 and v6 break a requirement in the same way, they share an item. Where the versions differ at a
// place at which one of them breaks the contract, that is the same defect, and a line of its item.
func (r *Report) failures() Section {
	s := Section{Name: "failures", Title: "What failed", Label: "FAIL"}
	var groups []*failure
	for _, row := range r.rows() {
		causes := r.newCauses(row)
		if !row.Failed() || len(causes) == 0 {
			continue
		}
		s.Rest += row.FindingCount
		if row.Version.IsPair() {
			if causes = attach(groups, row, causes); len(causes) == 0 {
				continue
			}
		}
		f := r.failureOf(row, causes)
		if i := slices.IndexFunc(groups, f.joins); i >= 0 {
			groups[i].Rows, groups[i].causes = append(groups[i].Rows, row), append(groups[i].causes, causes...)
			continue
		}
		groups = append(groups, f)
	}
	for i, f := range groups {
		f.Name, f.Text = rowName(f.Rows), f.Rows[0].Statement
		if f.Rows[len(f.Rows)-1].ID != f.Rows[0].ID {
			f.Text = "these checks failed for one cause"
		}
		for _, row := range f.attached {
			f.Rows, f.Lines = append(f.Rows, row), append(f.Lines, "so "+row.Version.Both()+" differ there: "+row.ID)
		}
		if i < maxPrinted {
			s.Rest -= len(f.Examples) // the item shows these findings
		}
		s.Items = append(s.Items, f.Item)
	}
	return s
}

// Failure describes what is broken in a row that failed: a line for each cause, and the command that sends the example
// of the first again. The statement is not repeated. first is the row that stands for all that share the item.
func (r *Report) Failure(row *Row) (text string, first *Row) {
	for _, item := range r.failures().Items {
		if !slices.Contains(item.Rows, row) {
			continue
		}
		text = item.Name + ": " + strings.Join(item.Lines, "\n  - ")
		if e := item.ExampleOf(0); e != nil && e.Commands != "" {
			commands := strings.Split(strings.TrimSuffix(e.Commands, "\n"), "\n")
			text += "\n  " + commands[len(commands)-1] // of two that are compared, the one that may be wrong
		}
		return text, item.Rows[0]
	}
	return row.Explain(), row
}

// failure is one thing that is broken: a requirement, in one version or in several; or several of one root cause.
type failure struct {
	Item            // its rows are of one requirement, or of one root cause
	root     string // the text of the root cause that all its causes have; "" if they have none
	causes   []Cause
	attached []*Row // comparisons that differ at the same places
}

// failureOf returns what is broken in a row, with a line for each cause. Those of one root cause share a line.
func (r *Report) failureOf(row *Row, causes []Cause) *failure {
	f := &failure{Item: Item{Level: Failing, Rows: []*Row{row}}, causes: causes}
	var roots []string
	for _, c := range causes {
		root := ""
		if shared := r.rootCause(row.Version, c); shared != nil {
			root = shared.Text
		}
		if !slices.Contains(roots, root) || root == "" {
			example := Example{}
			if found := row.example(c); found != nil {
				example = Example{found.owner, found.repeatCommands()}
			}
			f.Lines, f.Examples = append(f.Lines, r.causeLine(row, c)), append(f.Examples, example)
		}
		roots = append(roots, root)
	}
	if len(slices.Compact(roots)) == 1 {
		f.root = roots[0]
	}
	if omitted := len(f.Lines) - maxCauses; omitted > 0 {
		f.Examples = f.Examples[:maxCauses]
		f.Lines = append(f.Lines[:maxCauses], "and "+wording.Count(omitted, "other cause")+", in "+JSONFile)
	}
	return f
}

// joins reports whether a failure is of the same requirement or root cause, with the same lines.
func (f *failure) joins(other *failure) bool {
	return (other.Rows[0].ID == f.Rows[0].ID || f.root != "" && other.root == f.root) &&
		other.Rows[0].Version.IsPair() == f.Rows[0].Version.IsPair() && slices.Equal(other.Lines, f.Lines)
}

// attach adds a comparison to the failures of one version at the same places. It returns the causes that are left: one
// for each place. A whole answer to a request that must be refused is no place that is compared.
func attach(groups []*failure, row *Row, causes []Cause) []Cause {
	var left []Cause
	for _, c := range causes {
		at := func(other Cause) bool {
			return other.Pointer == c.Pointer || other.answers && c.Kind == string(parity.Served)
		}
		i := slices.IndexFunc(groups, func(f *failure) bool {
			return !f.Rows[0].Version.IsPair() && f.Rows[0].Operation == row.Operation &&
				(c.Pointer != "" || f.Rows[0].Users > 0) && slices.ContainsFunc(f.causes, at)
		})
		switch {
		case i >= 0 && !slices.Contains(groups[i].attached, row):
			groups[i].attached = append(groups[i].attached, row)
		case i < 0 && !slices.ContainsFunc(left, at):
			left = append(left, c)
		}
	}
	return left
}

// rowName returns the id of a requirement with the versions.
func rowName(rows []*Row) string {
	var ids []string
	var versions []schemas.Version
	for _, row := range rows {
		if !slices.Contains(ids, row.ID) {
			ids = append(ids, row.ID)
		}
		if !slices.Contains(versions, row.Version) {
			versions = append(versions, row.Version)
		}
	}
	return wording.List(ids) + " in " + schemas.Named(versions)
}

// newCauses returns the causes of a row that are not in the baseline.
func (r *Report) newCauses(row *Row) []Cause {
	return slices.DeleteFunc(slices.Clone(row.Causes), func(c Cause) bool {
		return r.Gate != nil && slices.ContainsFunc(r.Gate.Known, func(e Entry) bool { return e.is(row, c) })
	})
}

// Affected returns for how many users a row failed, or the number of findings if none has a user.
func (r *Report) Affected(row *Row) string {
	if row.Users == 0 {
		return wording.Count(row.FindingCount, "finding")
	}
	return r.ofUsers(row.Users)
}

// ofUsers returns a number of users, as "3 of 13 users".
func (r *Report) ofUsers(n int) string {
	if r.Users == nil {
		return wording.Count(n, "user")
	}
	return fmt.Sprintf("%d of %s", n, wording.Count(r.Users.Count, "user"))
}

// affected returns the beginning of a line about some users, as "3 of 13 users, "; "" if no user is concerned.
func (r *Report) affected(users int) string {
	if users == 0 {
		return ""
	}
	return r.ofUsers(users) + ", "
}

// causeLine describes a cause in one line: how many users, where, what came and what was expected. A cause of the
// baseline that hits more users now has grown.
func (r *Report) causeLine(row *Row, c Cause) string {
	if root := r.rootCause(row.Version, c); root != nil {
		return r.affected(int(root.Users)) + root.String()
	}
	begin := r.affected(c.Users)
	if r.Gate != nil && r.Users != nil {
		if i := slices.IndexFunc(r.Gate.Grown, func(e Entry) bool { return e.is(row, c) }); i >= 0 {
			grown := r.Gate.Grown[i]
			begin = fmt.Sprintf("grown: %s, now %d, ", r.ofUsers(grown.Was), grown.Users)
		}
	}
	place := "at " + c.Pointer + ": "
	if c.Pointer == "" {
		place = ""
	}
	if f := row.example(c); f != nil {
		return begin + place + cmp.Or(f.brief, "got "+Printable(f.Actual, maxBrief)+", expected "+
			Printable(f.Expected, maxBrief))
	}
	return begin + KeyText(c.Key) + ", " + wording.Times(c.Count)
}

// example returns the finding that a cause shows as its example, or a similar one; nil if none was stored.
func (r *Row) example(c Cause) *Finding {
	if c.example != nil {
		return c.example
	}
	for _, similar := range []func(Finding) bool{func(f Finding) bool { return f.Message == c.Example }, c.Includes} {
		if i := slices.IndexFunc(r.Findings, similar); i >= 0 {
			return &r.Findings[i]
		}
	}
	return nil
}

// Who names the users who show a cause, of those whose findings are kept.
func (r *Row) Who(c Cause) (users []string) {
	for _, f := range r.Findings {
		if f.user != "" && c.Includes(f) && !slices.Contains(users, f.user) {
			users = append(users, f.user)
		}
	}
	return users
}

// Includes reports whether a finding is one of those that the cause sums up.
func (c Cause) Includes(f Finding) bool {
	return check.Key{Kind: f.Kind, Pointer: strictjson.General(f.Pointer), Off: f.Off} == c.Key
}

// repeatCommands returns the curl commands that repeat the requests, first the one of the answer it is compared with.
func (f *Finding) repeatCommands() string {
	return strings.TrimPrefix(f.RepeatAgainst+"\n"+f.Repeat, "\n")
}

// explain describes a finding in full: user, exchange, place, expected and received value, and commands that repeat the
// request.
func (f *Finding) explain() string {
	text := f.owner
	for _, line := range [][2]string{{"at", f.Pointer}, {"expected", f.Expected}, {"actual", f.Actual},
		{"hint", f.hint}, {"repeat", f.RepeatAgainst}, {"repeat", f.Repeat}} {
		if line[1] != "" {
			text += fmt.Sprintf("\n  %-9s %s", line[0], line[1])
		}
	}
	return text
}

// Explain describes a row that failed or is inconclusive: the requirement, its section and every finding.
func (r *Row) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (§%s): %s\n", r.Version, r.ID, r.Section, r.Statement)
	if why := r.Why(); r.Verdict == ledger.Inconclusive && why != "" {
		fmt.Fprintf(&b, "  inconclusive: %s\n", why)
	}
	for i := range r.Findings {
		fmt.Fprintf(&b, "\n  finding %d of %d: %s\n", i+1, r.FindingCount, indented(r.Findings[i].explain()))
	}
	if omitted := r.FindingCount - len(r.Findings); omitted > 0 {
		fmt.Fprintf(&b, "\n  and %d more findings, counted but not kept\n", omitted)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", note)
	}
	if r.Waiver != nil {
		fmt.Fprintf(&b, "  %s\n", r.Waiver)
	}
	return strings.TrimRight(b.String(), "\n")
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// Why explains why a row is inconclusive and what to do about it; "" if it is not.
func (r *Row) Why() string {
	if r.Reason == nil {
		return ""
	}
	return string(*r.Reason) + ": " + remedy(*r.Reason, r.Because)
}

// remedy explains a reason for "inconclusive" and what to do about it. Because is the failure that explains it.
func remedy(reason ledger.Reason, because string) string {
	if because != "" {
		return because + "; repair that first"
	}
	switch reason {
	case ledger.NoWitness:
		return "no record of the run showed a value; add a user who has one to the users file, or waive it"
	case ledger.NotServed:
		return "no request that it depends on was served; check token, application id and users, then the failures"
	case ledger.NoControl:
		return "a request was refused while nobody was served, so that it is not known who refused: a lockout, a " +
			"limit in front, an ended token or a stopped process; or nobody can read the body; remove the cause, and " +
			"run again"
	case ledger.UnsteadyAnswers:
		return "identical calls are answered now in one way and now in another, so that nobody can tell whether the " +
			"versions agree; do nodes differ, or does the service change it by itself? Repair that, and run again"
	case ledger.NotComparable:
		return "no two answers could be compared; repair what failed, and see what changes from call to call"
	case ledger.NotRun:
		return "left out by a filter or --last-failed, by the end of the run, or as evidence is missing; run it to " +
			"the end without these"
	default:
		return string(reason)
	}
}
