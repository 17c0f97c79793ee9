package report

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

// Limits in characters on the line for a broken requirement, and on its further causes.
const (
	maxExpected = 80
	maxActual   = 80
	maxCauses   = 10
)

// failures returns a section with one item for each broken requirement. If v5 and v6 break it in the same way, they
// share an item.
func (r *Report) failures() Section {
	s := Section{Name: "failures", Title: "What failed", Label: "FAIL", Brief: true}
	var versions []string
	last := ""
	for _, row := range r.rows() {
		if !row.Failed() {
			continue
		}
		causes := r.newCauses(row)
		if len(causes) == 0 {
			continue
		}
		if s.Rest += row.FindingCount; len(s.Items) == 0 {
			s.Rest-- // the item explains the first finding
		}
		text := r.describeFailure(row, causes)
		if n := len(s.Items) - 1; n >= 0 && last == row.ID && s.Items[n].Text == text {
			versions = append(versions, string(row.Version))
			s.Items[n].Name, s.Items[n].Rows = rowName(row, versions), append(s.Items[n].Rows, row)
			continue
		}
		last, versions = row.ID, []string{string(row.Version)}
		item := Item{Level: Failing, Rows: []*Row{row}, Name: rowName(row, versions), Text: text, Lang: "sh"}
		for _, c := range causes[1:min(len(causes), maxCauses)] {
			item.More = append(item.More, causeLine(c))
		}
		if omitted := len(causes) - maxCauses; omitted > 0 {
			item.More = append(item.More, wording.Count(omitted, "other cause")+", in "+JSONFile)
		}
		if f := row.example(causes[0]); f != nil {
			item.Code, item.Example = f.repeatCommands(), f.explain()
		}
		s.Items = append(s.Items, item)
	}
	return s
}

func rowName(row *Row, versions []string) string {
	return fmt.Sprintf("%s (§%s) in %s", row.ID, row.Section, strings.Join(versions, " and "))
}

// newCauses returns the causes of a row that are not in the baseline.
func (r *Report) newCauses(row *Row) []Cause {
	return slices.DeleteFunc(slices.Clone(row.Causes), func(c Cause) bool {
		return r.Gate != nil && slices.ContainsFunc(r.Gate.Known, func(e Entry) bool {
			e.Count = c.Count // it may differ from run to run
			return e == row.Entry(c)
		})
	})
}

// describeFailure describes a failed row in one line: how many users, which place, what was received and what was
// expected.
func (r *Report) describeFailure(row *Row, causes []Cause) string {
	text := ""
	if row.Users > 0 {
		text = r.Affected(row) + ", "
	}
	f := row.example(causes[0])
	if f == nil {
		return text + redact.Printable(causeLine(causes[0]), maxExpected+maxActual)
	}
	if causes[0].Pointer != "" {
		text += "at " + causes[0].Pointer + " "
	}
	expected := f.Expected
	if row.Version != schemas.Parity {
		expected, _, _ = strings.Cut(expected, " (") // what is in brackets explains a form at length
	}
	actual, expected := redact.Printable(f.Actual, maxActual), redact.Printable(expected, maxExpected)
	if row.Version == schemas.Parity {
		text += actual + "; " + strings.TrimPrefix(expected, "what ") // v6 shows …; v5 shows …
	} else {
		text += "got " + actual + ", expected " + expected
	}
	if omitted := len(causes) - 1; omitted > 0 {
		text += "; and " + wording.Count(omitted, "other cause")
	}
	return text
}

// Affected returns for how many users a row failed, or the number of findings if none has a user.
func (r *Report) Affected(row *Row) string {
	switch {
	case row.Users == 0:
		return wording.Count(row.FindingCount, "finding")
	case r.Users == nil:
		return wording.Count(row.Users, "user")
	}
	return fmt.Sprintf("%d of %s", row.Users, wording.Count(r.Users.Count, "user"))
}

func causeLine(c Cause) string {
	return kindAt(c.Kind, c.Pointer) + ", " + wording.Times(c.Count) + ", for example " + c.Example
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

// Includes reports whether a finding is one of those that the cause sums up.
func (c Cause) Includes(f Finding) bool {
	return f.Kind == c.Kind && strictjson.General(f.Pointer) == c.Pointer
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

// maxExamples is how many findings of each cause are explained in a comparison of v5 and v6.
const maxExamples = 3

// Explain describes a row that failed or is inconclusive. It has the requirement, its section and every finding; for a
// comparison of v5 and v6, a few examples of each cause.
func (r *Row) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (§%s): %s\n", r.Version, r.ID, r.Section, r.Statement)
	if why := r.Why(); r.Verdict == ledger.Inconclusive && why != "" {
		fmt.Fprintf(&b, "  inconclusive: %s\n", why)
	}
	if r.Version == schemas.Parity {
		r.explainCauses(&b)
	} else {
		for i := range r.Findings {
			fmt.Fprintf(&b, "\n  finding %d of %d: %s\n", i+1, r.FindingCount, indented(r.Findings[i].explain()))
		}
		if omitted := r.FindingCount - len(r.Findings); omitted > 0 {
			fmt.Fprintf(&b, "\n  and %d more findings, counted but not kept\n", omitted)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", note)
	}
	if r.Waiver != nil {
		fmt.Fprintf(&b, "  %s\n", r.Waiver)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (r *Row) explainCauses(b *strings.Builder) {
	for i, c := range r.Causes {
		fmt.Fprintf(b, "\n  difference %d of %d: %s, %s\n", i+1, len(r.Causes), kindAt(c.Kind, c.Pointer),
			wording.Times(c.Count))
		shown := 0
		for j := range r.Findings {
			if f := &r.Findings[j]; shown < maxExamples && c.Includes(*f) {
				fmt.Fprintf(b, "  for example: %s\n", indented(f.explain()))
				shown++
			}
		}
		if shown == 0 && c.example != nil {
			fmt.Fprintf(b, "  for example: %s\n", indented(c.example.explain()))
		}
	}
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// Why explains why a row is inconclusive and what to do about it; "" if it is not.
func (r *Row) Why() string {
	if r.Reason == nil {
		return ""
	}
	return string(*r.Reason) + ": " + remedy(*r.Reason)
}

// remedy explains a reason for "inconclusive" and what to do about it.
func remedy(reason ledger.Reason) string {
	switch reason {
	case ledger.NoWitness:
		return "no record of the run showed a value; add a user who has one to the users file, or waive it"
	case ledger.NotServed:
		return "no request that it depends on was served; check token, application id and users, then the failures"
	case ledger.NotComparable:
		return "no two answers could be compared; repair what failed, and see what changes from call to call"
	case ledger.NotRun:
		return "left out by a filter, the end of the run, or missing evidence; run it to the end without a filter"
	default:
		return string(reason)
	}
}
