package proof_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

func registerConforming(a *jobs) {
	list := conforming.All()
	slices.SortFunc(list, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	services := make([]service, len(list))
	for i, s := range list {
		services[i] = service{name: s.Name, users: s.Users(), flags: s.Flags, start: s.Start}
		if !slices.Contains(s.Flags, "--concurrency") {
			services[i].flags = append(slices.Clone(s.Flags), "--concurrency", "1")
		}
	}
	result, verdicts := a.add(services), newGolden("conforming")

	Describe("A conforming service passes,", Label(proofLabel), Ordered, ContinueOnFailure, func() {
		for i, s := range list {
			It(s.Name+": "+s.Sentence, Label(conformingLabel), func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				verdicts.expectLines(s.Name, j.lines())

				Expect(j.run.Verdict).To(Equal(ledger.Pass), s.Sentence)
				Expect(j.run.Complete).To(BeTrue())
				Expect(j.sent).To(BeNumerically("<=", j.run.Counts.Requests), "the report does not count all requests")
				if !strings.HasPrefix(s.Name, "connection-") {
					// With these, a request may be lost on a connection that the service has closed meanwhile.
					Expect(j.sent).To(BeEquivalentTo(j.run.Counts.Requests),
						"the report counts requests that never arrived")
				}
				Expect(j.sweep.Complete).To(BeTrue())
				Expect(j.sweep.Verdict).To(BeElementOf(ledger.Pass, ledger.Inconclusive), s.Sentence)
			})
		}

		It("and verdicts.txt has no other service", func() { verdicts.expectNoOther() })
	})
}

var _ = Describe("A report says what was seen", func() {
	coverageOf := func(r *report.Report, id, version string) report.Coverage {
		for _, c := range r.Coverage {
			if c.ID == id && string(c.Version) == version {
				return c
			}
		}
		return report.Coverage{}
	}

	It("by how many users, as the records of the reference have it", func(ctx SpecContext) {
		r, dir := testkit.RunAndReport(ctx, settingsFor(serveEdition(testkit.Contract(), deviation{}),
			testkit.Contract().Versions...),
			testkit.Suite())
		records := testkit.Must(fixtures.Records())
		for _, member := range testkit.Contract().Record.Members() {
			has := map[string]int{}
			for _, record := range records {
				var members map[string]any
				Expect(json.Unmarshal(record.Authenticator, &members)).To(Succeed())
				switch value, present := members[member]; {
				case !present:
					has["absent"]++
				case value == nil:
					has["null"]++
				default:
					has["value"]++
				}
			}
			for _, version := range []string{"v5", "v6"} {
				c := coverageOf(r, "2.1/"+member, version)
				for _, alternative := range []string{"value", "null", "absent"} {
					Expect(c.Seen[alternative]).To(Equal(has[alternative]), "%s %s %s", member, version, alternative)
				}
			}
		}
		Expect(coverageOf(r, "4/findByUserIds/served", "v6").Seen).To(HaveKeyWithValue("list of none", 2))
		Expect(coverageOf(r, "4.2/AccessToken/required",
			"v5").Seen).To(HaveKeyWithValue("refused: empty token AccessToken", 1))
		Expect(coverageOf(r, "5.1/getUserAuth/token", "v5").Never).To(BeEmpty())
		page := testkit.Must(os.ReadFile(filepath.Join(dir, report.PageFile)))
		Expect(string(page)).To(MatchRegexp(`This says what was seen: \d+ of \d+ alternatives`))
	})

	It("and that a request was not refused, where it was served", func(ctx SpecContext) {
		r, _ := testkit.RunAndReport(ctx, settingsFor(serveEdition(testkit.Contract(), deviation{lenient: "v6"}),
			testkit.Contract().Versions...), testkit.Suite())
		Expect(coverageOf(r, "4.2/ApplicationId/required", "v6").Seen).To(BeEmpty())
		Expect(coverageOf(r, "4.2/ApplicationId/required", "v5").Never).To(BeEmpty())
	})
})
