package selftest_test

import (
	"net/http/httptest"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
)

// mutantSpecs has every mutant judged: it must not pass, what it breaks must be named in its version, and what else did
// not pass must follow from it.
func mutantSpecs(r *rig) {
	list := mutants.All()
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })
	reference := referenceOf(knownUsers())
	var jobs []func() *outcome
	for _, m := range list {
		jobs = append(jobs, func() *outcome {
			server := httptest.NewServer(m.Serve(reference))
			defer server.Close()
			return r.call(r.certify(server.URL, settingsOf(m)...))
		})
	}
	results := runAhead(r, jobs...)

	Describe("A mutant", Label(proof), func() {
		for i, m := range list {
			It(m.Name, Label(mutantService), func() {
				o := results.result(i)
				report := sound(o)
				k := killOf(m, report)
				AddReportEntry(killEntry, k, ReportEntryVisibilityNever)
				Expect(o.code).To(BeElementOf(1, 3), "%s\n%s", m.Sentence, o.said())
				Expect(report.Complete).To(BeTrue())
				Expect(k.missed).To(BeEmpty(), "not found: %s\n%s", m.Sentence, report.accused())
				Expect(k.unrelated).To(BeEmpty(), "accused without a ground: %s\n%s", m.Sentence, report.accused())
			})
		}

		It("breaks each documented requirement in each version, and all were found", func() {
			proven := map[string]bool{}
			for i, m := range list {
				report, err := readReport(results.result(i).reports())
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
}

// killEntry names what the spec of a mutant reports of it.
const killEntry = "what a mutant came to"

// kill is what the judging of a mutant came to, each row by its version and id.
type kill struct {
	mutant       string
	verdict      string   // of the run
	rows         []string // that it breaks and that did not pass
	missed       []string // that it breaks and that passed all the same
	consequences []string // other rows that did not pass, and follow from its fault
	unrelated    []string // other rows that did not pass, without a ground
}

// killed tells whether the run was carried out and the mutant did not pass.
func (k kill) killed() bool { return k.verdict == "fail" || k.verdict == "inconclusive" }

// killOf holds a report against what a mutant says of itself.
func killOf(m mutants.Mutant, r *report) kill {
	k := kill{mutant: m.Name, verdict: r.Verdict}
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

// settingsOf are the flags without which what a mutant does is a freedom.
func settingsOf(m mutants.Mutant) []string {
	if slices.ContainsFunc(m.Expect, func(id string) bool { return strings.HasSuffix(id, "/divergence") }) {
		return []string{"--divergence", "fail"}
	}
	return nil
}

// versionsOf are the versions of the rows of an id, where one version is broken or, with "", both are.
func versionsOf(id string, broken schemas.Version) []string {
	switch {
	case strings.HasPrefix(id, "9.3/"):
		return []string{string(schemas.Parity)}
	case broken != "":
		return []string{string(broken)}
	}
	return []string{string(schemas.V5), string(schemas.V6)}
}

// documentedRows lists every row that a run can have.
func documentedRows() []string {
	contract, err := schemas.Load()
	if err != nil {
		panic(err) // the contract is a part of the program
	}
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
