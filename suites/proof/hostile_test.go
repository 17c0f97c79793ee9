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
	"authenticator-conformance/suites/internal/ledger"
)

func registerHostile(a *jobs) {
	list := hostile.All()
	services := make([]service, len(list))
	for i, t := range list {
		services[i] = service{name: t.Name, users: t.Users(), flags: t.Flags, heavy: t.Heavy, stuck: stuck(t),
			start: func(folder string) (*kit.Running, error) {
				return t.Start(folder, hostile.Options{Fewer: true})
			}}
		if !slices.Contains(t.Flags, "--concurrency") {
			services[i].flags = append(slices.Clone(t.Flags), "--concurrency", "1")
		}
	}
	result, verdicts := a.add(services), newGolden("hostile")

	Describe("A hostile target", Ordered, ContinueOnFailure, func() {
		for i, t := range list {
			It(t.Name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				verdicts.check(t.Name, hostileLines(t, j))

				Expect(exitCode[j.run.Verdict]).To(BeElementOf(t.Codes), "%s: %s", t.Sentence, j.run.Verdict)
				var failed []string
				for _, row := range j.run.Requirements {
					Expect(len(row.Findings)).To(BeNumerically("<=", 50), row.ID)
					Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)), row.ID)
					if row.Verdict == ledger.Fail {
						failed = append(failed, rowName(row.ID, row.Version))
					}
				}
				for _, id := range t.Fails {
					Expect(failed).To(ContainElements(rowName(id, schemas.V5), rowName(id, schemas.V6)), t.Sentence)
				}
				all := written(j.run) + written(j.sweep)
				Expect(all).NotTo(ContainSubstring(secretPart), "the token stands in a report")
				Expect(all).NotTo(ContainSubstring("defect of the suite"), t.Sentence)
			})
		}

		It("has verdicts in the file, and no other service has", func() { verdicts.finish() })
	})
}

// stuck reports whether a sweep, which has no deadline of its own, would wait for the target for ever.
func stuck(t hostile.Target) bool {
	return strings.HasPrefix(t.Name, "throttle-") || t.Name == "fickle-first-request-only"
}

// exitCode is that of each verdict (DESIGN section 3).
var exitCode = map[ledger.Verdict]int{ledger.Pass: 0, ledger.Fail: 1, ledger.Fault: 2, ledger.Inconclusive: 3}

// hostileLines are the lines of a target. If several exit codes fit it, it depends on time which of them comes.
func hostileLines(t hostile.Target, j *judged) []string {
	if len(t.Codes) == 1 {
		return j.lines()
	}
	var fit []ledger.Verdict
	for _, v := range []ledger.Verdict{ledger.Pass, ledger.Fail, ledger.Fault, ledger.Inconclusive} {
		if slices.Contains(t.Codes, exitCode[v]) {
			fit = append(fit, v)
		}
	}
	return timedLines(fit...)
}

// secretPart is the random part of the token. The rest of it is made of words, which stand in reports anyway.
var secretPart = fixtures.AccessToken[strings.LastIndex(fixtures.AccessToken, "-")+1:]

// written is a report as JSON.
func written(report any) string {
	text, err := json.Marshal(report)
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}
