package selftest_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// No mutant passes. The requirements that it breaks are named in its version; other rows fail only as a consequence.
var _ = Describe("A mutant", Label(proofLabel), func() {
	list := mutants.All()
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })
	results := make([]func() *result, len(list))
	for i, m := range list {
		results[i] = startEarly(&mutantJobs, func() *result {
			r, _ := mutantService(m).judge(command{args: []string{"run"}})
			return r
		})
		It(m.Name, Label(mutantLabel), func() {
			r := results[i]()
			report := checkRun(r)
			k := killOf(m, report)
			AddReportEntry(killEntry, k, ReportEntryVisibilityNever)
			if m.RefusesAll || m.LooksRefused {
				Expect(r.exitCode).To(Equal(2), "%s\n%s", m.Sentence, r)
				return
			}
			Expect(r.exitCode).To(BeElementOf(1, 3), "%s\n%s", m.Sentence, r)
			Expect(report.Complete).To(BeTrue())
			Expect(k.missed).To(BeEmpty(), "not found: %s\n%s", m.Sentence, report)
			Expect(k.unrelated).To(BeEmpty(), "accused without a reason: %s\n%s", m.Sentence, report)
		})
	}

	It("is found for each documented requirement in each version", func() {
		proven := map[string]bool{}
		for i, m := range list {
			report, err := readReport(results[i]().reports())
			Expect(err).NotTo(HaveOccurred(), m.Name)
			for _, row := range killOf(m, report).rows {
				proven[row] = true
			}
		}
		for _, row := range documentedRows() {
			Expect(proven).To(HaveKey(row), "no mutant proves it")
		}
	})
})

// killEntry is the name of the report entry with the kill of a mutant.
const killEntry = "kill of a mutant"

// kill is how a run judged a mutant. Rows are named by version and id.
type kill struct {
	mutant       string
	refusesAll   bool     // a run against it is an error
	verdict      string   // of the run
	rows         []string // that it breaks and that did not pass
	missed       []string // that it breaks and that passed nevertheless
	consequences []string // other rows that did not pass, as a consequence of its fault
	unrelated    []string // other rows that did not pass, without a reason
}

// killed reports whether the run was carried out and the mutant did not pass. For a mutant that refuses everything it
// reports whether the verdict is error.
func (k kill) killed() bool {
	return k.refusesAll && k.verdict == "error" || !k.refusesAll && (k.verdict == "fail" || k.verdict == "inconclusive")
}

// killOf compares a report with the expectations of a mutant.
func killOf(m mutants.Mutant, r *report) kill {
	k := kill{mutant: m.Name, refusesAll: m.RefusesAll || m.LooksRefused, verdict: r.Verdict}
	for _, row := range r.Requirements {
		concerned := slices.Contains(versionsOf(row.ID, m.Version), row.Version)
		switch {
		case row.Verdict == "pass", row.Reason != nil && *row.Reason == "not-run":
		case concerned && slices.Contains(m.Expect, row.ID):
			k.rows = append(k.rows, row.String())
		case concerned && slices.Contains(m.Also, row.ID):
			k.consequences = append(k.consequences, row.String())
		default:
			k.unrelated = append(k.unrelated, row.String())
		}
	}
	for _, id := range m.Expect {
		for _, version := range versionsOf(id, m.Version) {
			if name := (row{ID: id, Version: version}).String(); !slices.Contains(k.rows, name) {
				k.missed = append(k.missed, name)
			}
		}
	}
	return k
}

// versionsOf lists the versions of the rows of a requirement, if one version is broken or, with "", both are.
func versionsOf(id string, broken schemas.Version) []string {
	switch {
	case strings.HasPrefix(id, "9.3/"):
		return []string{string(schemas.Parity)}
	case broken != "":
		return []string{string(broken)}
	}
	return []string{string(schemas.V5), string(schemas.V6)}
}

// documentedRows lists the rows of all documented requirements.
func documentedRows() []string {
	contract := testkit.Contract()
	var list []string
	for _, q := range contract.Requirements {
		if q.Kind == schemas.Documented {
			for _, version := range versionsOf(q.ID, "") {
				list = append(list, version+" "+q.ID)
			}
		}
	}
	return list
}
