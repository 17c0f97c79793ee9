package page_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// madeSweeps are made summaries.
func madeSweeps() map[string]func() *stats.Summary {
	return map[string]func() *stats.Summary{
		"sweep-mixed":   func() *stats.Summary { return mixedSweep(20_000) },
		"sweep-pass":    func() *stats.Summary { return allEqual(300) },
		"sweep-stopped": stoppedSweep,
		"sweep-not-begun": func() *stats.Summary {
			return stats.Empty(report.Suite{Name: report.Name}, ended, "no users\nfile")
		},
		"sweep-merged": func() *stats.Summary {
			s := allEqual(1000)
			s.Command = stats.MergeCommand
			s.Shards, s.Findings = []stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}}, ""
			return s
		},
		"sweep-sample-ungrouped": func() *stats.Summary {
			s := mixedSweep(3000)
			s.Identity.Sample, s.Identity.Seed, s.Read.Users, s.Tally.Ungrouped = 3000, 7, 1_000_000, 1234
			s.Conclude()
			return s
		},
		"sweep-whole-answer": func() *stats.Summary {
			return sweepSummary(4, 1, func(i int64) []stats.Result {
				return []stats.Result{resultOf(stats.Different, "",
					foundFor(i, "9.3/getUserAuth/shape", schemas.Parity, "served", "")), resultOf(stats.Equal, "")}
			})
		},
		// One user in a million is not 0 %, and all others are not 100 %. The command is quoted for a shell.
		"sweep-one-in-a-million": func() *stats.Summary {
			s := stoppedSweep()
			s.Tally.Users, s.Identity.Shard, s.Identity.Sample = 1_000_000, stats.Shard{Index: 1, Of: 1}, 5000
			s.Settings[0].Value = `$(reboot)'"`
			outcomes := s.Tally.Outcomes[schemas.GetUserAuth]
			outcomes[stats.Equal].Count, outcomes[stats.Different].Count = 999_999, 1
			return s
		},
		// Groups whose names are alike in an id, and a flag that can't be shown as it was.
		"sweep-twins": func() *stats.Summary {
			s := sweepSummary(8, 1, func(i int64) []stats.Result {
				return []stats.Result{resultOf(stats.Different, "",
					foundFor(i, "9.3/getUserAuth/values", schemas.Parity, "value",
						[]string{"/a b", "/a_b", "/a%b", "/a?b"}[i%4])), resultOf(stats.Equal, "")}
			})
			s.Complete, s.Settings[0].Value = false, "a\u202eb"
			return s
		},
	}
}

// To write the outlines: make golden.
var _ = Describe("A page reads as its outline in testdata, has the form of a page, and is the same again", func() {
	expect := func(name string, write func() string) {
		GinkgoHelper()
		text := write()
		testkit.ExpectGolden(filepath.Join("testdata", name+".txt"), outlineOf(parsePage(text)))
		expectForm(parsePage(text))
		Expect(write()).To(Equal(text), "the same bytes, however often it is written")
	}
	names := []string{"places", "diffs", "bodies", "report", "reports", "sweep", "browser", "answers", "hostile-texts"}
	for _, c := range reportCases {
		names = append(names, c.Name)
		It("of the run "+c.Name, func() {
			expect(c.Name, func() string { return pageOf(reportOf(c.Name), everyExchange()) })
		})
	}
	for name, made := range madeSweeps() {
		It("of the "+name+", also if its summary was read from a file", func() {
			expect(name, func() string { return sweptPage(made()) })
			again := &stats.Summary{}
			Expect(json.Unmarshal(testkit.Must(json.Marshal(made())), again)).To(Succeed())
			Expect(sweptPage(again)).To(Equal(sweptPage(made())))
		})
	}
	It("of answers and differences that are hard to show", func() {
		expect("answers", func() string { return pageOf(reportOfAnswers()) })
	})
	It("and there is no other outline", func() {
		testkit.ExpectNoOtherGolden("testdata", slices.AppendSeq(names, maps.Keys(madeSweeps()))...)
	})
})

var _ = DescribeTable("A page has its form even if there is next to nothing to show",
	func(write func() string) { expectForm(parsePage(write())) },
	Entry("of a run that has not ended", func() string { return pageOf(report.Unfinished("sha256:00", ended), nil) }),
	Entry("of an empty report", func() string { return pageOf(&report.Report{}, nil) }),
	Entry("of a run without exchanges", func() string { return pageOf(reportOf("everything"), nil) }),
	Entry("of an empty summary", func() string { return sweptPage(&stats.Summary{Tally: stats.New(0)}) }),
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
		t := template.New("body").Funcs(template.FuncMap{"repeat": strings.Repeat,
			"replace": strings.ReplaceAll, "records": manyRecords})
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
		testkit.SetMembers((*fields)(s[f.Exchange]), c.Has)
		row := failingRow(fmt.Sprintf("2.1/Answer%02d", i+1), v, f)
		row.Statement = c.Shows
		r.Requirements = append(r.Requirements, row)
	}
	delete(s, fmt.Sprintf("e%d", len(s)-1)) // of v5, in the last
	r.Judge()
	return r, s
}

// fields are those of an entry, by their names in Go instead of those in an archive.
type fields evidence.Entry

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
})
