package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
)

// manyUsers are users that the reference makes records up for.
func manyUsers(n int) []fixtures.User {
	users := make([]fixtures.User, n)
	for i := range users {
		users[i] = fixtures.User{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: fmt.Sprintf("user-%d", i),
			Enrolled: true}
	}
	return users
}

// misspeltService is a service whose v5 answers with strings replaced by others.
func misspeltService(right http.Handler, pairs ...string) http.Handler {
	replacer := strings.NewReplacer(pairs...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/v5/") {
			right.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		right.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = replacer.WriteString(w, answer.Body.String()) // a client that went away has no use for the error
	})
}

// fiveWrong makes five members of every record of v5 wrong: of 100 users, each asked twice, 1,000 findings.
func fiveWrong(users []fixtures.User) http.Handler {
	return misspeltService(referenceFor(users), `"Flags":`, `"Flags":0.5,"x1":`, `"ModeType":`, `"ModeType":"","x2":`,
		`"IsLocked":`,
		`"IsLocked":0,"x3":`, `"IsDisabled":`, `"IsDisabled":"no","x4":`, `"AuthenticationCountLimit":`,
		`"AuthenticationCountLimit":[],"x5":`)
}

var _ = Describe("The size", func() {
	It("stays small with 100 users and 1,000 findings: a cause is one entry", func() {
		users := manyUsers(100)
		c := runAgainst(fiveWrong(users), users)
		text := c.page()
		Expect(len(text)).To(BeNumerically("<", 400_000))
		found := 0
		for _, row := range c.report.Requirements {
			found += row.FindingCount
		}
		Expect(found).To(BeNumerically(">", 1_000))
		entry := rowAt(parsePage(text), "2.1/Flags/v5")
		Expect(wordsOf(entry.classed("cause"))).To(Equal([]string{"not of its type: number at /Flags 300 times"}))
		Expect(entry.classed("example")).To(HaveLen(3))
	})

	// overflowing is a report of which every list and text is as long as it can be, or longer.
	overflowing := func(rows, causes, entries int, text string) (*report.Report, shelf) {
		r, s := reportOfEverything(), shelf{}
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
				made.Causes = append(made.Causes,
					report.Cause{Kind: f.Kind, Pointer: f.Pointer, Count: 200, Example: text})
				s[id] = keptExchange(id, schemas.V5, body)
			}
			r.Requirements = append(r.Requirements, made)
		}
		for range entries {
			r.Notes, r.Stale, r.Missing = append(r.Notes, text), append(r.Stale, text), append(r.Missing, text)
			r.Settings = append(r.Settings, report.Setting{Name: text, Value: text, Source: text})
			r.Volatile = append(r.Volatile, report.Volatile{Operation: schemas.GetUserAuth, Pointer: text})
			r.Gate.New = append(r.Gate.New, report.Entry{Requirement: text, Version: schemas.V5, Kind: text,
				Pointer: text})
			r.Observations = append(r.Observations,
				report.Observation{ID: text, Operation: schemas.GetUserAuth, Statement: text,
					Seen: report.Seen{schemas.V5: {Text: text}, schemas.V6: {Text: text}}})
			r.Excluded = append(r.Excluded, report.Excluded{ID: text, Statement: text, Reason: text})
		}
		return r, s
	}

	DescribeTable("stays within its bound, whatever the report", func(rows, causes, entries int, text string) {
		r, s := overflowing(rows, causes, entries, text)
		out := pageOf(r, s)
		Expect(len(out)).To(BeNumerically("<=", page.MaxSize))
		Expect(out).To(ContainSubstring(`class="row`))
	},
		Entry("one cause in each of many rows", 80, 1, 20, strings.Repeat("x", 500)),
		Entry("as many causes as a row keeps, in each of 40", 40, 200, 20, strings.Repeat("<", 500)),
		Entry("more rows than the catalogue has", 1500, 1, 600, strings.Repeat(`'"&<>`, 300)),
		Entry("long curl commands", 40, 30, 20, strings.Repeat("x", 7900)),
	)

	It("gives each row its first cause before examples and second causes, and says where the others are", func() {
		r, s := overflowing(80, 100, 20, strings.Repeat("<", 500))
		doc := parsePage(pageOf(r, s))
		for i := range 80 {
			entry := rowAt(doc, fmt.Sprintf("2.1/Field%d/v5", i))
			Expect(entry.classed("cause")).NotTo(BeEmpty())
			Expect(entry.text()).To(And(MatchRegexp(`… and \d+ more causes, in report\.json`)))
		}
		Expect(markedTexts(rowAt(doc, "2.1/Field9/v5"))).NotTo(BeEmpty(), "the first rows have their answer")
		Expect(doc.text()).To(MatchRegexp(`… and \d more examples?, in report\.json and evidence\.har`))
	})

	It("limits the bytes of bodies that it reads, and says where the others are", func() {
		s, rows := shelf{}, []report.Row{}
		body := `{"Flags":"` + strings.Repeat("x", 16<<20) + `"}`
		for i := range 6 {
			id := fmt.Sprintf("e%d", i)
			rows, s[id] = append(rows, failingRow(fmt.Sprintf("2.1/F%d", i), schemas.V5, findingAt(id, "/Flags"))),
				keptExchange(id, schemas.V5, body)
		}
		text := pageOf(madeReport(rows...), s)
		Expect(len(text)).To(BeNumerically("<", 200_000))
		Expect(wordsOf(parsePage(text).classed("lost"))).To(
			ContainElement("Left out, as the page has read as much as it may: exchange e5 is in evidence.har."))
	})

	It("says what is left out of lists", func() {
		r, _ := overflowing(2000, 1, 2000, "x")
		Expect(pageOf(r, nil)).To(And(ContainSubstring("more entries, in report.json"),
			ContainSubstring("… and 1,886 more checks, in report.json")))
	})
})
