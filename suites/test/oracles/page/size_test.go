package page_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/page"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// overflowingReport has lists and texts that are as long as they can be, or longer.
func overflowingReport(rows, causes, entries int, text string) (*report.Report, shelf) {
	r, s := reportOf("everything"), shelf{}
	body := `{"` + strings.Repeat("x", 100) + `":"` + strings.Repeat("<", 500) + `"`
	body += strings.Repeat(`,"y":"`+strings.Repeat("&", 500)+`"`, 100) + `,"Flags":"x"}`
	for i := range rows {
		made := failingRow(fmt.Sprintf("2.1/Field%d", i), schemas.V5)
		made.Statement, made.FindingCount, made.Notes = text, 10_000, []string{text, text}
		for j := range causes {
			id := fmt.Sprintf("e%d", len(s)+1)
			f := findingAt(id, fmt.Sprintf("/f%d", j))
			f.Expected, f.Actual, f.Message, f.Repeat = text, text, text, text
			made.Findings = append(made.Findings, f)
			key := check.Key{Kind: f.Kind, Pointer: f.Pointer}
			made.Causes = append(made.Causes, report.Cause{Key: key, Count: 200, Example: text})
			s[id] = keptExchange(id, schemas.V5, body)
		}
		r.Requirements = append(r.Requirements, made)
	}
	for range entries {
		r.Notes, r.Stale, r.Missing = append(r.Notes, text), append(r.Stale, text), append(r.Missing, text)
		r.Settings = append(r.Settings, report.Setting{Name: text, Value: text, Source: text})
		r.Unsteady = append(r.Unsteady, report.Unsteady{Operation: schemas.GetUserAuth, Pointer: text})
		key := check.Key{Kind: text, Pointer: text}
		r.Gate.New = append(r.Gate.New, report.Entry{Requirement: text, Version: schemas.V5, Key: key})
		r.Observations = append(r.Observations,
			report.Observation{ID: text, Operation: schemas.GetUserAuth, Statement: text,
				Seen: report.Seen{schemas.V5: {text}, schemas.V6: {text}}})
		r.Excluded = append(r.Excluded, report.Excluded{ID: text, Statement: text, Reason: text})
	}
	return r, s
}

var _ = DescribeTable("The page of a run stays within its bound and says what it leaves out, whatever the report",
	func(rows, causes, entries int, text string, omitted ...string) {
		out := pageOf(overflowingReport(rows, causes, entries, text))
		Expect(len(out)).To(BeNumerically("<=", page.MaxSize))
		for _, words := range append(omitted, `class="row`) {
			Expect(out).To(ContainSubstring(words))
		}
	},
	Entry("one cause in each of many rows", 80, 1, 20, strings.Repeat("x", 500)),
	Entry("more causes than are shown, in each of 40", 40, 20, 20, strings.Repeat("<", 500)),
	Entry("more rows than the catalogue has", 200, 1, 150, strings.Repeat(`'"&<>`, 300),
		"more entries, in report.json", "… and 86 more checks, in report.json"),
	Entry("long curl commands", 40, 15, 20, strings.Repeat("x", 7900)),
)

var _ = It("A full page gives each row its first cause before examples and second causes, and says where others are",
	func() {
		doc := parsePage(pageOf(overflowingReport(80, 20, 20, strings.Repeat("<", 500))))
		for i := range 80 {
			row := doc.withValue("id", fmt.Sprintf("2.1/Field%d/v5", i))
			Expect(row.withClass("cause")).NotTo(BeEmpty())
			Expect(row.readText()).To(MatchRegexp(`… and \d+ more causes, in report\.json`))
		}
		Expect(markedTexts(doc.withValue("id", "2.1/Field9/v5"))).NotTo(BeEmpty(), "the first rows have their answer")
		Expect(doc.readText()).To(MatchRegexp(`… and \d more examples?, in report\.json and evidence\.har`))
	})

var _ = It("A page limits the bytes of bodies that it reads, and says where the others are", func() {
	s, rows := shelf{}, []report.Row{}
	body := []byte(`{"Flags":"` + strings.Repeat("x", 16<<20) + `"}`)
	for i := range 6 {
		id := fmt.Sprintf("e%d", i)
		rows = append(rows, failingRow(fmt.Sprintf("2.1/F%d", i), schemas.V5, findingAt(id, "/Flags")))
		s[id] = keptExchange(id, schemas.V5, "")
		s[id].Body = body
	}
	text := pageOf(madeReport(rows...), s)
	Expect(len(text)).To(BeNumerically("<", 200_000))
	Expect(text).To(ContainSubstring(
		"Left out, as the page has read as much as it may: exchange e5 is in evidence.har."))
})

var _ = It("A page keeps the name of a member once, however long it is and however many elements are below it", func() {
	body := `{"` + strings.Repeat("a", 600_000) + `":[` + strings.Repeat("1,", 20_000) + `1]}`
	r := madeReport(failingRow("2.1/Flags", schemas.V5, findingAt("e1", "/Flags")))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pageOf(r, shelf{"e1": keptExchange("e1", schemas.V5, body)})
	runtime.ReadMemStats(&after)
	Expect(after.TotalAlloc-before.TotalAlloc).To(BeNumerically("<", 1<<30), "it was 12 GB")
})

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

var _ = DescribeTable("The page of a sweep stays within its bound and says what it leaves out, whatever the summary",
	func(groups, users, entries int, text, lists, omitted string) {
		out := sweptPage(manyGroups(groups, users, entries, text))
		Expect(len(out)).To(BeNumerically("<=", page.MaxSize))
		Expect(out).To(And(ContainSubstring(`class="row entry group`), HaveSuffix("</html>\n"),
			ContainSubstring(lists), MatchRegexp(omitted)))
	},
	Entry("one group", 1, 10, 600, strings.Repeat(`<`, 3000), "more entries, in sweep.json", ""),
	Entry("many groups with long texts of signs that HTML writes with five characters", 200, 50, 150,
		strings.Repeat(`'"&<>`, 100), "more entries, in sweep.json", `… and \d+ more users?, in sweep\.json`),
)

var _ = It("A full page of a sweep leaves out users before groups, gives each group one, and says where others are",
	func() {
		groups := parsePage(sweptPage(manyGroups(200, 50, 0, strings.Repeat("x", 200)))).withClass("group")
		Expect(groups).To(HaveLen(200))
		for _, g := range groups {
			Expect(onlyElement(g.withTag("tbody")).withTag("tr")).NotTo(BeEmpty())
		}
		Expect(groups[199].readText()).To(MatchRegexp(`… and \d+ more users?, in sweep\.json`))
	})

var _ = It("The error of a page's writer is returned", func() {
	file := testkit.Must(os.Create(GinkgoT().TempDir() + "/page"))
	Expect(file.Close()).To(Succeed())
	Expect(page.WriteSweep(file, allEqual(1))).To(MatchError(os.ErrClosed))
})
