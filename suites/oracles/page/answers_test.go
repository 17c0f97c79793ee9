package page_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
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

// reportOfAnswers has a row for each answer, or pair of answers, that is hard to show. Their outline is in testdata.
func reportOfAnswers() (*report.Report, shelf) {
	r, s := madeReport(), shelf{}
	add := func(statement string, v schemas.Version, f report.Finding) {
		row := failingRow(fmt.Sprintf("2.1/Answer%02d", len(r.Requirements)+1), v, f)
		row.Statement = statement
		r.Requirements = append(r.Requirements, row)
	}
	answer := func(statement, body, pointer string, changes ...func(*evidence.Entry)) {
		id := fmt.Sprintf("e%d", len(s)+1)
		s[id] = keptExchange(id, schemas.V5, body)
		for _, change := range changes {
			change(s[id])
		}
		add(statement, schemas.V5, report.Finding{Exchange: id, Pointer: pointer, Kind: "type"})
	}
	pair := func(statement, v5, v6, pointer string, changes ...func(*evidence.Entry)) {
		f := report.Finding{Kind: "value", Pointer: pointer,
			Against: fmt.Sprintf("e%d", len(s)+1), Exchange: fmt.Sprintf("e%d", len(s)+2)}
		s[f.Against] = keptExchange(f.Against, schemas.V5, v5)
		s[f.Exchange] = keptExchange(f.Exchange, schemas.V6, v6)
		for _, change := range changes {
			change(s[f.Exchange])
		}
		add(statement, schemas.Parity, f)
	}
	cut := func(k *evidence.Entry) { k.Cut = &exchange.Cut{Size: 2_000_000, Digest: "sha256:abc"} }
	withhold := func(rule string) func(*evidence.Entry) {
		return func(k *evidence.Entry) {
			k.Body, k.Withheld = nil, &exchange.Withheld{Size: 7, Digest: "sha256:abc", Rule: rule}
		}
	}
	fail := func(kind exchange.FaultKind, detail string) func(*evidence.Entry) {
		return func(k *evidence.Entry) {
			k.Status, k.Proto, k.Body, k.Fault = 0, "", nil, &exchange.Fault{Kind: kind, Detail: detail}
		}
	}

	answer("Order, spelling and doubled members stay.", `{"b":1.0E+2,"a":"\u00e9/\/","b":[ ],"c":{},"d":[true,null]}`,
		"/a")
	answer("Headers are sorted by name, each value of its own.", "{}", "", func(k *evidence.Entry) {
		k.Header = map[string][]string{"X-B": {"2", "1"}, "X-A": {"3"}, "Empty": {""}}
	})
	answer("Of many headers, the first are shown.", "{}", "", func(k *evidence.Entry) {
		k.Header = map[string][]string{"X": strings.Split(strings.Repeat("x", 50), "")}
	})
	answer("A large body is shown around the place.", manyRecords("1"), "/900/Flags")
	answer("The last of a large body is in view.", "["+strings.Repeat("1,", 99)+"2]", "/99")
	answer("Of a body of many values, the beginning is read.", "["+strings.Repeat("1,", 60_000)+"1]", "/59999")
	answer("A body that was cut.", `[{"Id":"a","Flags":"x"},{"Id":"b","Fla`, "/0/Flags", cut)
	answer("A body that was stored as a digest only.", "", "", cut)
	answer("A body that was withheld.", "", "", withhold(""))
	answer("A body that was withheld for a secret.", "", "", withhold("secret"))
	answer("A body that was dropped after it was judged.", "", "", func(k *evidence.Entry) { k.Dropped = true })
	answer("An empty body.", "", "")
	answer("A timeout.", "", "", fail(exchange.Timeout, "no answer within 10s"))
	answer("No status line.", "", "", func(k *evidence.Entry) { k.Status = 0 })
	answer("A page.", "<!DOCTYPE html>\r\n<p>", "/Flags")
	answer("JSON with something behind it.", "{} junk", "/Flags")
	answer("Bytes.", "\xff\xfe\x00a", "/Flags")
	answer("Bytes within JSON.", "{\"Flags\":\"\xff\"}", "/Flags")
	answer("JSON that is too deep.", strings.Repeat("[", 20_000), "/Flags")
	answer("Deep JSON, whose indent is limited.", strings.Repeat("[", 50)+strings.Repeat("]", 50), "/0")
	answer("Many lines of text.", strings.Repeat("a\n", 1000), "/Flags")
	answer("A long text.", `{"Flags":"`+strings.Repeat("x", 10_000)+`"}`, "/Flags")

	pair("Bodies that are alike, with another status.", `{"a":1}`, `{"a":1}`, "",
		func(k *evidence.Entry) { k.Status = 500 })
	pair("No bodies.", "", "", "")
	pair("v6 could not be reached.", `{"a":1}`, "", "", fail(exchange.Transport, "connection refused"))
	pair("What is equal is folded.", manyRecords("1"), strings.Replace(manyRecords("1"), `"Flags":900`, `"Flags":7`, 1),
		"/900/Flags")
	pair("If all differs, what is around the place is shown.", manyRecords("1"), manyRecords("2"), "/900/Type")
	pair("The answer of v5 can't be read.", `{"a":1}`, `{"a":1}`, "/a")
	delete(s, fmt.Sprintf("e%d", len(s)-1))
	r.Judge()
	return r, s
}

// manyRecords is a body of a thousand records of a type.
func manyRecords(recordType string) string {
	records := make([]string, 1000)
	for i := range records {
		records[i] = fmt.Sprintf(`{"Id":"r%d","Flags":%d,"Type":%s}`, i, i, recordType)
	}
	return "[" + strings.Join(records, ",") + "]"
}

var _ = It("A page refers to the evidence for an exchange that it can't show", func() {
	r := madeReport(failingRow("2.1/Flags", schemas.V5, findingAt("e7", "/Flags")))
	Expect(pageOf(r, nil)).To(ContainSubstring("exchange e7 is in evidence.har"))
	Expect(pageOf(r, shelf{})).To(ContainSubstring("Exchange e7 could not be read: there is no exchange e7"))
	Expect(pageOf(r, shelf{"e7": nil})).To(ContainSubstring("Exchange e7 was not kept"))
})
