package proof_test

import (
	"encoding/json"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/testkit"
)

func registerHostile(a *jobs) {
	list := hostile.All()
	services := make([]service, len(list))
	for i, t := range list {
		services[i] = service{name: t.Name, users: t.Users(), heavy: t.Heavy,
			flags: append(slices.Clone(t.Flags), oneAtATime...),
			stuck: strings.HasPrefix(t.Name, "throttle-") || t.Name == "fickle-first-request-only",
			start: func(folder string) (*kit.Running, error) {
				return t.Start(folder, hostile.Options{FewerParts: true})
			}}
	}
	draw(services, 4, func(s service) string {
		if s.heavy {
			return s.name
		}
		return ""
	})
	result, verdicts := a.add(services), newGolden("hostile", services)

	Describe("A hostile target ends a run as its fixture says,", Label(proofLabel), Ordered, ContinueOnFailure, func() {
		for i := range chosenOf(services) {
			t := list[i]
			It(t.Name+": "+t.Sentence, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				verdicts.expectLine(t.Name, hostileLine(t, j))

				Expect(exitCode[j.run.Verdict]).To(BeElementOf(t.ExitCodes), "%s: %s", t.Sentence, j.run.Verdict)
				var failed []string
				for _, row := range j.run.Requirements {
					Expect(len(row.Findings)).To(BeNumerically("<=", 50), row.ID)
					Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)), row.ID)
					if row.Verdict == ledger.Fail {
						failed = append(failed, rowName(row.ID, row.Version))
					}
				}
				for _, id := range t.FailedRequirements {
					Expect(failed).To(ContainElements(rowName(id, schemas.V5), rowName(id, schemas.V6)), t.Sentence)
				}
				all := marshalReport(j.run) + marshalReport(j.sweep)
				Expect(all).NotTo(ContainSubstring(secretPart), "a report contains the token")
				Expect(all).NotTo(ContainSubstring("defect of the suite"), t.Sentence)
			})
		}

		It("and verdicts.txt has no other service", func() { verdicts.expectNoOther() })
	})
}

// exitCode is the exit code of each verdict (DESIGN section 3).
var exitCode = map[ledger.Verdict]int{ledger.Pass: 0, ledger.Fail: 1, ledger.Fault: 2, ledger.Inconclusive: 3}

// countsRequests reports whether a service answers by how many requests came before: which of the requests that are
// sent side by side it meets so is decided by time. Only those are named whose lines were seen to vary.
func countsRequests(name string) bool {
	return name == "returns-in-object" || name == "fickle-flips" || name == "fickle-flips-status" ||
		strings.Contains(name, "every-other-call") || name == "find-by-user-ids-one-list-for-40-calls-from-21"
}

// hostileLine returns the golden line of a target. If several exit codes are allowed, or the words vary, it has only
// the possible verdicts, because timing decides.
func hostileLine(t hostile.Target, j *judged) string {
	if len(t.ExitCodes) == 1 && !t.VariesWords && !countsRequests(t.Name) {
		return j.outcome().line(t.Sentence, t.FailedRequirements...)
	}
	var possible []ledger.Verdict
	for _, v := range []ledger.Verdict{ledger.Pass, ledger.Fail, ledger.Fault, ledger.Inconclusive} {
		if slices.Contains(t.ExitCodes, exitCode[v]) {
			possible = append(possible, v)
		}
	}
	return timedLine(t.Sentence, possible...)
}

// secretPart is the random part of the token. Reports may contain the rest, because it consists of words.
var secretPart = fixtures.AccessToken[strings.LastIndex(fixtures.AccessToken, "-")+1:]

// marshalReport encodes a report as JSON.
func marshalReport(report any) string {
	text := testkit.Must(json.Marshal(report))
	return string(text)
}
