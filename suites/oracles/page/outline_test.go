package page_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"golang.org/x/net/html"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// An outline is a page as a text: a line for each part that stands for itself, what is folded below its summary (▸, and
// ▾ if it is open), links with where they lead, what is marked between « and », and what only those who hear it get
// between { and }.
type outline struct {
	text strings.Builder
	line strings.Builder
}

func outlineOf(e element) string {
	o := &outline{}
	o.children(e.Node, "")
	o.end("")
	return o.text.String()
}

// end ends a line.
func (o *outline) end(indent string) {
	if text := strings.Join(strings.Fields(o.line.String()), " "); text != "" {
		o.text.WriteString(indent + text + "\n")
	}
	o.line.Reset()
}

func (o *outline) children(n *html.Node, indent string) {
	for c := range n.ChildNodes() {
		o.node(c, indent)
	}
}

// within writes what is in a node between two texts.
func (o *outline) within(n *html.Node, before, after, indent string) {
	o.line.WriteString(before)
	o.children(n, indent)
	o.line.WriteString(after)
}

func (o *outline) node(n *html.Node, indent string) {
	e := element{n}
	switch {
	case n.Type == html.TextNode:
		o.line.WriteString(n.Data)
	case n.Type != html.ElementNode || n.Data == "style" || n.Data == "script" || n.Data == "title":
	case n.Data == "pre":
		o.end(indent)
		for line := range strings.Lines(strings.TrimSuffix(e.text(), "\n")) {
			o.text.WriteString(indent + "| " + strings.TrimSuffix(line, "\n") + "\n")
		}
	case n.Data == "a":
		o.within(n, "[", "]("+e.value("href")+")", indent)
	case n.Data == "mark":
		o.within(n, "«", "»", indent)
	case e.is("unseen"):
		o.within(n, "{", "}", indent)
	case n.Data == "meter":
		fmt.Fprintf(&o.line, " (%s of %s)", e.value("value"), e.value("max"))
	case n.Data == "option":
		o.within(n, " ", ",", indent)
	case n.Data == "td" || n.Data == "th":
		o.within(n, "", " | ", indent)
	case n.Data == "dt":
		o.end(indent)
		o.within(n, "", ": ", indent)
	case n.Data == "dd":
		o.children(n, indent)
		o.end(indent)
	case n.Data == "summary":
		o.end(indent)
		sign := "▸ "
		if _, open := attributeOf(element{n.Parent}, "open"); open {
			sign = "▾ "
		}
		o.within(n, sign, "", indent)
		o.end(strings.TrimPrefix(indent, "  "))
	case n.Data == "details":
		o.end(indent)
		o.children(n, indent+"  ")
		o.end(indent + "  ")
	case len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] != 'r':
		o.end(indent)
		o.within(n, strings.Repeat("#", int(n.Data[1]-'0'))+" ", "", indent)
		o.end(indent)
	case n.Data == "li":
		o.end(indent)
		o.within(n, "- ", "", indent)
		o.end(indent)
	case n.Data == "p" || n.Data == "div" || n.Data == "section" || n.Data == "tr" || n.Data == "caption" ||
		n.Data == "nav" ||
		n.Data == "main" || n.Data == "footer" || n.Data == "br" || n.Data == "form" || n.Data == "select":
		o.end(indent)
		o.children(n, indent)
		o.end(indent)
	default:
		o.children(n, indent)
	}
}

// madeReports are made reports, each with what its page must show.
func madeReports() map[string]func() *report.Report {
	witness, served := ledger.NoWitness, ledger.NotServed
	with := func(change func(*report.Report), rows ...report.Row) func() *report.Report {
		return func() *report.Report {
			r := madeReport(rows...)
			if change != nil {
				change(r)
			}
			r.Judge()
			return r
		}
	}
	open := func(id string, v schemas.Version, reason ledger.Reason) report.Row {
		r := rowOf(id, v, ledger.Inconclusive)
		r.Witnesses, r.Reason = 0, &reason
		return r
	}
	pass := []report.Row{rowOf("2.1/Id", schemas.V5, ledger.Pass), rowOf("2.1/Id", schemas.V6, ledger.Pass)}
	waived := failingRow("2.1/Id", schemas.V6, findingAt("e1", "/Id"))
	waived.Waiver = &report.Waiver{Reason: "r", Until: "2027-01-31"}
	wrong := func(id string, v schemas.Version, actual string) report.Row {
		f := findingAt("e7", "/Flags")
		f.Actual = actual
		r := failingRow(id, v, f)
		r.Users = 12
		return r
	}
	other := wrong("2.1/ModeType", schemas.V6, `"y"`)
	other.Causes = append(other.Causes, report.Cause{Kind: "form", Pointer: "/*/Flags", Count: 7,
		Example: "the fifty-first"})
	return map[string]func() *report.Report{
		"everything":       reportOfEverything,
		"pass":             with(func(r *report.Report) { r.Certifies = true }, pass...),
		"pass-with-waiver": with(nil, rowOf("2.1/Id", schemas.V5, ledger.Pass), waived),
		"error": with(func(r *report.Report) {
			why := "the target\nstopped"
			r.Error, r.Verdict, r.Complete = &why, ledger.Fault, false
		}, pass...),
		"alike-in-versions": with(nil, wrong("2.1/Flags", schemas.V5, `"x"`), wrong("2.1/Flags", schemas.V6, `"x"`),
			other),
		"open": with(nil, open("2.1/Id", schemas.V5, witness), open("2.1/Id", schemas.V6, witness),
			open("2.1/Flags", schemas.V6, witness), open("4/x", schemas.V5, served)),
	}
}

// madeSweeps are made summaries.
func madeSweeps() map[string]func() *stats.Summary {
	return map[string]func() *stats.Summary{
		"sweep-mixed":   mixedSweep,
		"sweep-pass":    func() *stats.Summary { return allEqual(300) },
		"sweep-stopped": stoppedSweep,
		"sweep-not-begun": func() *stats.Summary {
			return stats.Empty(report.Suite{Name: report.Name}, ended, "no users\nfile")
		},
		"sweep-merged": func() *stats.Summary {
			s := allEqual(1000)
			s.Shards, s.Findings = []stats.Shard{{Index: 1, Of: 2}, {Index: 2, Of: 2}}, ""
			return s
		},
		"sweep-sample-ungrouped": func() *stats.Summary {
			s := mixedSweepOf(3000)
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
	}
}

// To write the outlines: make golden.
var _ = Describe("A page reads as its outline in testdata", func() {
	expect := func(name, page string) {
		GinkgoHelper()
		testkit.ExpectGolden(filepath.Join("testdata", name+".txt"), outlineOf(parsePage(page)))
	}
	for name, made := range madeReports() {
		It("of the run "+name, func() { expect(name, pageOf(made(), everyExchange())) })
	}
	for name, made := range madeSweeps() {
		It("of the "+name, func() { expect(name, sweptPage(made())) })
	}
	It("and of nothing else", func() {
		testkit.ExpectNoOtherGolden("testdata", slices.Concat([]string{"places", "diffs"},
			slices.Collect(maps.Keys(madeReports())), slices.Collect(maps.Keys(madeSweeps())))...)
	})
})
