package selftest_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

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
			It(m.Name, func() {
				o := results.result(i)
				report := sound(o)
				Expect(o.code).To(BeElementOf(1, 3), "%s\n%s", m.Sentence, o.said())
				Expect(report.Complete).To(BeTrue())
				Expect(missed(m, report)).To(BeEmpty(), "not found: %s\n%s", m.Sentence, report.accused())
				Expect(unexplained(m, report)).To(BeEmpty(), "accused without a ground: %s\n%s", m.Sentence, report.accused())
			})
		}

		It("breaks each documented requirement in each version, and all were found", func() {
			killed := map[string]int{}
			unrelated := 0
			for i, m := range list {
				content, err := os.ReadFile(reportFile(results.result(i).reports()))
				Expect(err).NotTo(HaveOccurred())
				var report report
				Expect(json.Unmarshal(content, &report)).To(Succeed())
				for _, row := range report.Requirements {
					switch {
					case row.Verdict == "pass":
					case slices.Contains(m.Expect, row.ID):
						killed[row.String()]++
					default:
						unrelated++
					}
				}
			}
			AddReportEntry("mutants found, by row", table(killed)+
				fmt.Sprintf("%d mutants, on average %.2f other rows that did not pass\n", len(list), float64(unrelated)/float64(len(list))))
			for _, row := range documentedRows() {
				Expect(killed).To(HaveKey(row), "no mutant proves it")
			}
		})
	})
}

// settingsOf are the flags without which what a mutant does is a freedom.
func settingsOf(m mutants.Mutant) []string {
	if slices.ContainsFunc(m.Expect, func(id string) bool { return strings.HasSuffix(id, "/divergence") }) {
		return []string{"--divergence", "fail"}
	}
	return nil
}

// missed lists the rows that a mutant breaks and the report lets pass.
func missed(m mutants.Mutant, r *report) []string {
	var list []string
	for _, id := range m.Expect {
		for _, version := range versionsOf(id, m.Version) {
			i := slices.IndexFunc(r.Requirements, func(row row) bool { return row.ID == id && row.Version == version })
			if i < 0 || r.Requirements[i].Verdict == "pass" || r.Requirements[i].Reason != nil && *r.Requirements[i].Reason == "not-run" {
				list = append(list, version+" "+id)
			}
		}
	}
	return list
}

// unexplained lists the rows that did not pass although the mutant does not say so, those of the other version among them.
func unexplained(m mutants.Mutant, r *report) []string {
	var list []string
	for _, row := range r.Requirements {
		explained := slices.Contains(m.Expect, row.ID) || slices.Contains(m.Also, row.ID)
		if row.Verdict != "pass" && !(explained && slices.Contains(versionsOf(row.ID, m.Version), row.Version)) {
			list = append(list, row.String())
		}
	}
	return list
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
	Expect(err).NotTo(HaveOccurred())
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

func table(killed map[string]int) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range documentedRows() {
		fmt.Fprintf(t, "%s\t%d\n", row, killed[row])
	}
	_ = t.Flush() // a builder takes everything
	return b.String()
}
