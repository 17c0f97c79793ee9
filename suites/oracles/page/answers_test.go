package page_test

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("The place of a finding in a body is highlighted", func(text, pointer string, want ...string) {
	r := madeReport(failingRow("2.1/Flags", schemas.V5, findingAt("e1", pointer)))
	doc := parsePage(pageOf(r, shelf{"e1": keptExchange("e1", schemas.V5, text)}))
	Expect(markedTexts(doc)).To(Equal(append([]string{}, want...)))
},
	testkit.Entries("places"),
)

var _ = DescribeTable("v5 beside v6 shows what differs, with signs, and highlights the place on both sides",
	func(v5, v6, kind, pointer string, rows, marks []string) {
		f := report.Finding{Exchange: "e2", Against: "e1", Kind: kind, Pointer: pointer}
		doc := parsePage(pageOf(madeReport(failingRow("9.3/getUserAuth/values", schemas.Parity, f)),
			shelf{"e1": keptExchange("e1", schemas.V5, v5), "e2": keptExchange("e2", schemas.V6, v6)}))
		changed := []string{}
		for _, tr := range doc.withClass("changed") {
			sides := tr.withTag("td")
			line := sides[0].readText() + " | " + sides[1].readText()
			changed = append(changed, strings.ReplaceAll(line, "marked: ", ""))
		}
		Expect(changed).To(Equal(rows))
		Expect(markedTexts(doc)).To(Equal(marks))
	},
	testkit.Entries("diffs"),
)

// reportOfAnswers has a row for each answer, or pair of answers, of bodies.yaml. Their outline is in testdata.
func reportOfAnswers() (*report.Report, shelf) {
	GinkgoHelper()
	r, s := madeReport(), shelf{}
	keep := func(v schemas.Version, body string) string {
		var text strings.Builder
		t := template.New("body").Funcs(template.FuncMap{"repeat": strings.Repeat, "records": manyRecords})
		Expect(testkit.Must(t.Parse(body)).Execute(&text, nil)).To(Succeed())
		id := fmt.Sprintf("e%d", len(s)+1)
		s[id] = keptExchange(id, v, text.String())
		return id
	}
	for i, c := range testkit.Cases[struct {
		Shows, V5, At string
		V6            *string
		Has           map[string]any
	}]("testdata/bodies.yaml") {
		v, f := schemas.V5, report.Finding{Exchange: keep(schemas.V5, c.V5), Pointer: c.At, Kind: "type"}
		if c.V6 != nil {
			v, f.Kind, f.Against, f.Exchange = schemas.Parity, "value", f.Exchange, keep(schemas.V6, *c.V6)
		}
		setMembers(s[f.Exchange], c.Has)
		row := failingRow(fmt.Sprintf("2.1/Answer%02d", i+1), v, f)
		row.Statement = c.Shows
		r.Requirements = append(r.Requirements, row)
	}
	delete(s, fmt.Sprintf("e%d", len(s)-1)) // of v5, in the last
	r.Judge()
	return r, s
}

// manyRecords is a body of a thousand records of a type. Those of some numbers have other Flags.
func manyRecords(recordType string, changed ...int) string {
	records := make([]string, 1000)
	for i := range records {
		flags := i
		if slices.Contains(changed, i) {
			flags = 7
		}
		records[i] = fmt.Sprintf(`{"Id":"r%d","Flags":%d,"Type":%s}`, i, flags, recordType)
	}
	return "[" + strings.Join(records, ",") + "]"
}

var _ = It("A page refers to the evidence for an exchange that it can't show", func() {
	r := madeReport(failingRow("2.1/Flags", schemas.V5, findingAt("e7", "/Flags")))
	Expect(pageOf(r, nil)).To(ContainSubstring("exchange e7 is in evidence.har"))
	Expect(pageOf(r, shelf{})).To(ContainSubstring("Exchange e7 could not be read: there is no exchange e7"))
	Expect(pageOf(r, shelf{"e7": nil})).To(ContainSubstring("Exchange e7 was not kept"))
})
