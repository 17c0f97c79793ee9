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

// sideBySide is the diff of two answers, for a finding of a kind at a place.
func sideBySide(v5, v6 *evidence.Entry, kind, pointer string) element {
	GinkgoHelper()
	f := report.Finding{Exchange: "e2", Against: "e1", Kind: kind, Pointer: pointer}
	r := madeReport(failingRow("9.3/getUserAuth/values", schemas.Parity, f))
	return rowAt(parsePage(pageOf(r, shelf{"e1": v5, "e2": v6})), "9.3/getUserAuth/values/v5=v6")
}

// diffOf is the diff of two bodies.
func diffOf(v5, v6, kind, pointer string) element {
	GinkgoHelper()
	return sideBySide(keptExchange("e1", schemas.V5, v5), keptExchange("e2", schemas.V6, v6), kind, pointer)
}

// changedLines are the rows of a diff that differ, both sides in one line.
func changedLines(entry element) []string {
	list := []string{}
	for _, tr := range entry.classed("changed") {
		sides := []string{}
		for _, td := range tr.tagged("td") {
			sides = append(sides, strings.ReplaceAll(td.text(), "marked: ", ""))
		}
		list = append(list, strings.Join(sides, " | "))
	}
	return list
}

var _ = Describe("v5 beside v6", func() {
	DescribeTable("shows what differs, with signs, and highlights the place on both sides",
		func(v5, v6, kind, pointer string, rows, marks []string) {
			entry := diffOf(v5, v6, kind, pointer)
			Expect(changedLines(entry)).To(Equal(rows))
			Expect(markedTexts(entry)).To(Equal(marks))
		},
		testkit.Entries("diffs"),
	)

	It("says of bodies that are alike that they are, and marks the status that is not", func() {
		v6 := keptExchange("e2", schemas.V6, `{"a":1}`)
		v6.Status = 500
		entry := sideBySide(keptExchange("e1", schemas.V5, `{"a":1}`), v6, "served against refused", "")
		Expect(entry.text()).To(ContainSubstring("the bodies are alike: 3 lines"))
		Expect(wordsOf(entry.tagged("th"))).To(Equal(
			[]string{"v5, e1, well-formed, round 1− HTTP/1.1 200 OK",
				"v6, e2, well-formed, round 1+ HTTP/1.1 500 Internal Server Error"}))
		Expect(diffOf("", "", "value", "").text()).To(
			And(ContainSubstring("neither answer has a body"),
				ContainSubstring("v5, e1, well-formed, round 1: The body is empty.")))
	})

	It("says of an answer that did not come why", func() {
		v6 := keptExchange("e2", schemas.V6, "")
		v6.Status, v6.Fault = 0, &exchange.Fault{Kind: exchange.Transport, Detail: "connection refused"}
		Expect(sideBySide(keptExchange("e1", schemas.V5, `{"a":1}`), v6, "served against refused", "").text()).To(
			ContainSubstring("v6, e2, well-formed, round 1: No whole answer (transport): connection refused"))
	})

	It("shows the one answer where the other is not kept", func() {
		f := report.Finding{Exchange: "e2", Against: "e1", Kind: "value", Pointer: "/a"}
		entry := parsePage(pageOf(madeReport(failingRow("9.3/x", schemas.Parity, f)),
			shelf{"e2": keptExchange("e2", schemas.V6, `{"a":1}`)}))
		Expect(markedTexts(entry)).To(Equal([]string{`"a": 1`}))
		Expect(entry.text()).To(ContainSubstring("Exchange e1 could not be read"))
	})

	It("folds what is equal, and of large bodies shows what is around the place", func() {
		long := func(f string) string {
			records := make([]string, 2000)
			for i := range records {
				records[i] = fmt.Sprintf(`{"Id":"r%d","Flags":%d,"Type":%s}`, i, i, f)
			}
			return "[" + strings.Join(records, ",") + "]"
		}
		one := diffOf(long("1"), strings.Replace(long("1"), `"Flags":1500`, `"Flags":7`, 1), "value", "/1500/Flags")
		Expect(changedLines(one)).To(Equal([]string{`−     "Flags": 1500, | +     "Flags": 7,`}))
		Expect(wordsOf(one.classed("gap"))).To(
			Equal([]string{"2,794 equal lines not shown", "7,201 equal lines not shown"}))
		all := diffOf(long("1"), long("2"), "value", "/1500/Type")
		Expect(markedTexts(all)).To(Equal([]string{`"Type": 1`, `"Type": 2`}))
		Expect(len(all.tagged("tr"))).To(BeNumerically("<", 120))
		Expect(wordsOf(all.classed("gap"))).To(ContainElements("more above, not shown", "more below, not shown"))
	})
})
