package page_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

// manyGroups is a sweep with as many groups, each with as many users, with a text in every finding, and with lists of
// so many entries.
func manyGroups(groups, users, entries int, text string) *stats.Summary {
	s := sweepSummary(int64(groups*users), 1000, func(i int64) []stats.Result {
		f := foundFor(i, "9.3/getUserAuth/values", schemas.Parity, text,
			fmt.Sprintf("/Field%d%s", i%int64(groups), text))
		f.User.ID, f.User.UserID, f.Expected, f.Actual, f.Exchange = text, text, text, text, f.Exchange+text
		return []stats.Result{resultOf(stats.Different, text+fmt.Sprint(i), f), resultOf(stats.Equal, "")}
	})
	for range entries {
		s.Notes = append(s.Notes, text)
		s.Settings = append(s.Settings, report.Setting{Name: text, Value: text, Source: text})
	}
	return s
}

var _ = Describe("The size of a sweep's page", func() {
	DescribeTable("stays within its bound, whatever the summary", func(groups, users, entries int, text string) {
		out := sweptPage(manyGroups(groups, users, entries, text))
		Expect(len(out)).To(BeNumerically("<=", page.MaxSize))
		Expect(out).To(And(ContainSubstring(`class="row entry group`), HaveSuffix("</html>\n")))
	},
		Entry("the maximum number of groups, with the longest texts", 1000, 10, 5, strings.Repeat("x", 200)),
		Entry("long texts of signs that HTML writes with five characters", 300, 10, 400, strings.Repeat(`'"&<>`, 100)),
		Entry("one group", 1, 10, 600, strings.Repeat(`<`, 3000)),
	)

	It("leaves out users before groups, gives each group one, and says where the others are", func() {
		doc := parsePage(sweptPage(manyGroups(1000, 10, 0, strings.Repeat("x", 200))))
		groups := doc.classed("group")
		Expect(groups).To(HaveLen(1000))
		for _, g := range groups {
			Expect(onlyElement(g.tagged("tbody")).tagged("tr")).NotTo(BeEmpty())
		}
		Expect(groups[999].text()).To(MatchRegexp(`… and \d more users?, in sweep\.json`))
	})

	It("says what is left out of lists and of groups", func() {
		doc := parsePage(sweptPage(manyGroups(1000, 1, 400, strings.Repeat("<", 1000))))
		Expect(sectionUnder(doc, "sweep").text()).To(ContainSubstring("more entries, in sweep.json"))
		Expect(sectionUnder(doc, "findings").text()).To(MatchRegexp(`… and \d+ more groups, in sweep\.json`))
	})

	It("is small for a hundred million users of whom all are alike", func() {
		t := stats.New(1)
		for i := range 1000 {
			t.Add([]stats.Result{resultOf(stats.Equal, ""), resultOf(stats.Equal, "")}, durationsOf(int64(i)),
				time.Duration(i)*time.Hour)
		}
		s := allEqual(1)
		s.Tally = t
		s.Conclude()
		Expect(len(sweptPage(s))).To(BeNumerically("<", 250_000))
	})
})
