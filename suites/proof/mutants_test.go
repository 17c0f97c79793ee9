package proof_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

func registerMutants(a *jobs) {
	list := mutants.All()
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })
	right := kit.Reference(kit.Users(), fixtures.AccessToken)
	services := make([]service, len(list))
	for i, m := range list {
		services[i] = service{name: m.Name, users: m.Users(), flags: flagsOf(m), start: m.Start}
	}
	result, verdicts := a.add(services), newGolden("mutants")

	Describe("A mutant", Ordered, ContinueOnFailure, func() {
		for i, m := range list {
			It(m.Name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				lines := j.lines()
				if underLoad(m) {
					lines = timedLines(ledger.Fail)
				}
				verdicts.check(m.Name, lines)

				if m.RefusesAll {
					Expect(j.run.Verdict).To(Equal(ledger.Fault), m.Sentence)
					return
				}
				Expect(j.run.Verdict).To(BeElementOf(ledger.Fail, ledger.Inconclusive), m.Sentence)
				Expect(j.run.Complete).To(BeTrue())
				k := killOf(m, j.run)
				Expect(k.missed).To(BeEmpty(), "not found: %s", m.Sentence)
				Expect(k.unrelated).To(BeEmpty(), "accused without a ground: %s", m.Sentence)

				Expect(j.sweep.Verdict).NotTo(Equal(ledger.Fault), "%v", j.sweep.Reason)
				for _, g := range j.sweep.Tally.Groups {
					Expect(slices.Concat(m.Expect, m.Also)).To(ContainElement(g.Requirement),
						"the sweep accuses it of what it does right")
				}
				if j.sweep.Verdict == ledger.Pass {
					Expect(unseen(m, right)).NotTo(BeEmpty(), "the sweep passes it, and it breaks %v: %s", m.Expect,
						m.Sentence)
				}
			})
		}

		It("breaks each documented requirement in each version, and is found there", func() {
			proven := map[string]bool{}
			for i, m := range list {
				for _, row := range killOf(m, result(i).run).found {
					proven[row] = true
				}
			}
			for _, q := range contract().Requirements {
				for _, version := range versionsOf(q.ID, "") {
					if q.Kind == schemas.Documented {
						Expect(proven).To(HaveKey(rowName(q.ID, version)), "no mutant proves it")
					}
				}
			}
		})

		It("has verdicts in the file, and no other service has", func() { verdicts.finish() })
	})
}

// flagsOf are the flags of a run against a mutant. One request at a time, so that those who count their calls count
// alike each time; but not for those who mix up callers that come side by side.
func flagsOf(m mutants.Mutant) []string {
	var flags []string
	if !underLoad(m) {
		flags = append(flags, "--concurrency", "1")
	}
	return append(flags, m.Flags()...)
}

// underLoad reports whether the mutant is wrong only for callers that come side by side.
func underLoad(m mutants.Mutant) bool { return strings.Contains(m.Name, "-under-load") }

// kill is a report compared with what a mutant says of itself. Rows are named by rowName.
type kill struct {
	found     []string // rows that it breaks and that did not pass
	missed    []string // rows that it breaks and that passed all the same
	unrelated []string // rows that did not pass and have nothing to do with its fault
}

func killOf(m mutants.Mutant, r *report.Report) kill {
	var k kill
	for _, row := range r.Requirements {
		name, concerned := rowName(row.ID, row.Version), slices.Contains(versionsOf(row.ID, m.Version), row.Version)
		switch {
		case row.Verdict == ledger.Pass, row.NotRun():
		case concerned && slices.Contains(m.Expect, row.ID):
			k.found = append(k.found, name)
		case concerned && slices.Contains(m.Also, row.ID):
		default:
			k.unrelated = append(k.unrelated, name)
		}
	}
	for _, id := range m.Expect {
		for _, version := range versionsOf(id, m.Version) {
			if name := rowName(id, version); !slices.Contains(k.found, name) {
				k.missed = append(k.missed, name)
			}
		}
	}
	return k
}

func rowName(id string, version schemas.Version) string { return string(version) + " " + id }

// versionsOf are the versions of the rows of a requirement, if one version is broken or, with "", both are.
func versionsOf(id string, broken schemas.Version) []schemas.Version {
	switch {
	case strings.HasPrefix(id, "9.3/"):
		return []schemas.Version{schemas.Parity}
	case broken != "":
		return []schemas.Version{broken}
	}
	return schemas.Versions()
}
