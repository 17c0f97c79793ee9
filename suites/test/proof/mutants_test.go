package proof_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
)

func registerMutants(a *jobs) {
	list := mutants.All()
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })
	reference := kit.Reference(kit.Users(), fixtures.AccessToken)
	services := make([]service, len(list))
	for i, m := range list {
		services[i] = service{name: m.Name, users: m.Users(), flags: flagsOf(m), start: m.Start}
	}
	draw(services, 2, faultOf)
	result, verdicts := a.add(services), newGolden("mutants", services)
	proven, faults := map[string]bool{}, map[string]string{}

	Describe("A mutant is found where its fixture declares it,", Label(proofLabel), Ordered, ContinueOnFailure, func() {
		for i := range chosenOf(services) {
			m := list[i]
			It(m.Name+": "+m.Sentence, Label(mutantLabel), func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				line := j.outcome().line(m.Sentence, m.Expect...)
				if underLoad(m) || countsRequests(m.Name) {
					line = timedLine(m.Sentence, ledger.Fail)
				}
				verdicts.expectLine(m.Name, line)
				faults[m.Name] = firstLines(j.run)

				k := killOf(m, j.run)
				for _, row := range k.found {
					proven[row] = true
				}
				AddReportEntry(killEntry, k, ReportEntryVisibilityNever)
				Expect(k.killed).To(BeTrue(), "%s: the verdict is %s", m.Sentence, j.run.Verdict)
				if m.RefusesAll {
					Expect(j.sweep.Verdict).To(Equal(ledger.Fault), "%v", j.sweep.Reason)
					return
				}
				if m.StopsServing || m.StartsRefusing && j.run.Verdict == ledger.Fault {
					expectSwept(m, j, reference)
					return
				}
				Expect(j.run.Narrowed()).To(BeFalse())
				Expect(k.missed).To(BeEmpty(), "not found: %s", m.Sentence)
				Expect(k.unrelated).To(BeEmpty(), "accused without a reason: %s", m.Sentence)

				expectSwept(m, j, reference)
			})
		}

		It("and verdicts.txt has no other service", func() { verdicts.expectNoOther() })

		if chosen.String() == "" {
			It("and the first two lines of a fault of form say what is wrong", func() { expectFirstLines(faults) })
		}

		if !allChosen() {
			return
		}

		It("and each documented requirement has one in each version", func() {
			for _, row := range documentedRows() {
				Expect(proven).To(HaveKey(row), "no mutant proves it")
			}
		})
	})
}

// expectSwept expects that a sweep reports only what the mutant breaks, and passes it only for a known reason.
func expectSwept(m mutants.Mutant, j *judged, reference http.Handler) {
	GinkgoHelper()
	if (m.StopsServing || m.StartsRefusing) && j.sweep.Verdict == ledger.Fault {
		return
	}
	Expect(j.sweep.Verdict).NotTo(Equal(ledger.Fault), "%v", j.sweep.Reason)
	for _, g := range j.sweep.Tally.Groups {
		Expect(slices.Concat(m.Expect, m.Also)).To(ContainElement(g.Requirement),
			"the sweep reports what the mutant does correctly")
	}
	if j.sweep.Verdict == ledger.Pass {
		Expect(whySweepMisses(m, reference)).NotTo(BeEmpty(),
			"the sweep passes a mutant that breaks %v: %s", m.Expect, m.Sentence)
	}
}

// flagsOf returns the flags of a run and a sweep against a mutant. A sweep sends one request at a time, so that mutants
// that count their calls answer the same each time. Mutants that are wrong only under load need concurrent requests.
func flagsOf(m mutants.Mutant) []string {
	if underLoad(m) {
		return m.Flags()
	}
	return append(slices.Clone(oneAtATime), m.Flags()...)
}

// placeOf matches the parts of a mutant's name that say where its fault is: the operation and the version.
var placeOf = regexp.MustCompile("^(get-user-auth|find-by-user-ids)-|-v[56]$")

// faultOf is the group of the mutants that make the same fault at several places. Those of which the first lines are
// compared are judged for each change.
func faultOf(s service) string {
	if slices.Contains(strings.Fields(faultsOfForm), s.name) {
		return ""
	}
	return placeOf.ReplaceAllString(s.name, "")
}

// underLoad reports whether the mutant is wrong only for concurrent requests.
func underLoad(m mutants.Mutant) bool { return strings.Contains(m.Name, "-under-load") }

// kill is a report compared with the expectations of a mutant. Rows are named by rowName.
type kill struct {
	mutant    string
	killed    bool     // the run did not pass; it is an error for a mutant that refuses everything
	found     []string // rows that it breaks and that did not pass
	missed    []string // rows that it breaks and that passed nevertheless
	unrelated []string // other rows that did not pass, without a reason
}

func killOf(m mutants.Mutant, r *report.Report) kill {
	k := kill{mutant: m.Name, killed: r.Verdict == ledger.Fail || r.Verdict == ledger.Inconclusive}
	if m.RefusesAll || m.StopsServing {
		k.killed = r.Verdict == ledger.Fault
	}
	k.killed = k.killed || m.StartsRefusing && r.Verdict == ledger.Fault
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

// versionsOf returns the versions of a requirement's rows that may fail if one version is broken; "" means both are.
func versionsOf(id string, broken schemas.Version) []schemas.Version {
	switch {
	case strings.HasPrefix(id, "9.3/"):
		return []schemas.Version{schemas.Parity}
	case broken != "":
		return []schemas.Version{broken}
	}
	return schemas.Versions()
}
