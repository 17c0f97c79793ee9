package page_test

import (
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("The page of a sweep", func() {
	Describe("of a sweep that has not ended", func() {
		command := func(s *stats.Summary) string {
			GinkgoHelper()
			return onlyElement(sectionUnder(parsePage(sweptPage(s)), "resume").tagged("pre")).text()
		}

		It("shows the command that resumes it: with shard, seed and flags, quoted for a shell", func() {
			Expect(command(stoppedSweep())).To(
				Equal("conformance sweep --resume --seed 1 --shard 3/16 --users 'all users.csv'"))
			s := stoppedSweep()
			s.Identity.Shard, s.Identity.Sample, s.Identity.Seed = stats.Shard{Index: 1, Of: 1}, 5000, 7
			s.Settings[0].Value = `$(reboot)'"`
			Expect(command(s)).To(Equal(`conformance sweep --resume --sample 5000 --seed 7 --users '$(reboot)'"'"'"'`))
		})

		It("leaves out flags that can't be shown as they were", func() {
			s := stoppedSweep()
			s.Settings[0].Value = "a\u202eb"
			Expect(command(s)).To(Equal("conformance sweep --resume"))
		})

		It("shows no command if there is nothing to resume", func() {
			for _, s := range []*stats.Summary{allEqual(10), stats.Empty(report.Suite{}, ended, "no users file")} {
				Expect(sweptPage(s)).NotTo(ContainSubstring("How to go on"))
			}
		})
	})

	It("never rounds one user in a million to 0 %, or all but one to 100 %", func() {
		s := allEqual(10)
		s.Tally.Users = 1_000_000
		s.Tally.Outcomes[schemas.GetUserAuth][stats.Equal].Count,
			s.Tally.Outcomes[schemas.GetUserAuth][stats.Different].Count = 999_999, 1
		text := strings.Join(wordsOf(sectionUnder(parsePage(sweptPage(s)), "outcomes").tagged("tr")), "\n")
		Expect(text).To(And(ContainSubstring("999,99999.9999 %"), ContainSubstring("10.0001 %")))
	})

	It("shows each group at its own anchor, the first of them open", func() {
		groups := sectionUnder(parsePage(sweptPage(mixedSweep())), "findings").classed("group")
		Expect(groups).To(HaveLen(3))
		for i, g := range groups {
			Expect(g.Data).To(Equal("details"))
			Expect(onlyElement(g.classed("link")).value("href")).To(Equal("#" + g.value("id")))
			Expect(g.value("data-operation") + g.value("data-version") + g.value("data-kind")).NotTo(BeEmpty())
			_, open := attributeOf(g, "open")
			Expect(open).To(Equal(i == 0))
		}
	})

	It("returns the error of its writer", func() {
		Expect(page.WriteSweep(brokenPipe{}, allEqual(1))).To(MatchError("broken pipe"))
	})
})

// brokenPipe takes nothing.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// attributeOf is the value of an attribute, if it is there.
func attributeOf(e element, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
