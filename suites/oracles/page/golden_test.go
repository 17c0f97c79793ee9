package page_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// madeReports are made reports, each with what its page must show.
func madeReports() map[string]func() *report.Report {
	witness, served, left := ledger.NoWitness, ledger.NotServed, ledger.NotRun
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
	noted := rowOf("2.1/Flags", schemas.V5, ledger.Pass)
	noted.Notes = []string{"a member flags was seen"}
	return map[string]func() *report.Report{
		"everything":       reportOfEverything,
		"pass":             with(func(r *report.Report) { r.Certifies = true }, pass...),
		"pass-with-waiver": with(nil, rowOf("2.1/Id", schemas.V5, ledger.Pass), waived),
		"error": with(func(r *report.Report) {
			why := "the target\nstopped" + strings.Repeat("\nat a line", 120)
			r.Error, r.Verdict, r.Complete = &why, ledger.Fault, false
		}, pass...),
		"alike-in-versions": with(nil, wrong("2.1/Flags", schemas.V5, `"x"`), wrong("2.1/Flags", schemas.V6, `"x"`),
			other),
		"open": with(nil, open("2.1/Id", schemas.V5, witness), open("2.1/Id", schemas.V6, witness),
			open("2.1/Flags", schemas.V6, witness), open("4/x", schemas.V5, served)),
		"stale": with(func(r *report.Report) {
			r.Complete, r.Stale = false, []string{"a stale waiver"}
			r.Observations = []report.Observation{{ID: "open/8/latency", Section: "8", Operation: schemas.GetUserAuth,
				Statement: "How long.", Seen: report.Seen{schemas.V5: {Text: "200"}}}}
		}, noted,
			open("2.1/Flags", schemas.V6, left), rowOf("2.1/Id", schemas.V5, "undecided")),
		// Of one cause in five answers, those of three users are shown; an altered request is unfolded.
		"examples": with(func(r *report.Report) {
			no, parts := false, []string{"Id: 400, application/json; charset=utf-8", "UserId: 200"}
			r.Target[schemas.V6] = "https://other.example"
			r.Observations = []report.Observation{{ID: "open/7/missing-field", Section: "7", Statement: "How.",
				Operation: schemas.GetUserAuth, Agree: &no, Compared: true, Explained: true, Seen: report.Seen{
					schemas.V5: {Text: strings.Join(parts, "; "), Parts: parts}, schemas.V6: {Text: "Id: 400"}}}}
			r.Coverage = []report.Coverage{{ID: "4.3/cardinality", Version: schemas.V5,
				Seen: map[string]int{"one": 3, "none": 1}, Never: []string{"many"}}}
			r.Gate = &report.Gate{Grown: []report.Entry{{Requirement: "2.1/Id", Version: schemas.V5, Kind: "type",
				Pointer: "/Id", Was: 1, Users: 5}}}
		},
			failingRow("2.1/Id", schemas.V5, findingAt("e1", "/Id"), findingAt("e8", "/Id"), findingAt("e2", "/Id"),
				findingAt("e3", "/Id"), findingAt("e4", "/Id")),
			failingRow("5.1/token", schemas.V5, findingAt("e9", ""))),
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
	for name, made := range madeReports() {
		It("of the run "+name, func() { expect(name, func() string { return pageOf(made(), everyExchange()) }) })
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
		testkit.ExpectNoOtherGolden("testdata", slices.Concat(
			[]string{"places", "diffs", "answers", "times", "hostile-texts"},
			slices.Collect(maps.Keys(madeReports())), slices.Collect(maps.Keys(madeSweeps())))...)
	})
})

var _ = DescribeTable("A page has its form even if there is next to nothing to show",
	func(write func() string) { expectForm(parsePage(write())) },
	Entry("of a run that has not ended", func() string { return pageOf(report.Unfinished("sha256:00", ended), nil) }),
	Entry("of an empty report", func() string { return pageOf(&report.Report{}, nil) }),
	Entry("of a run without exchanges", func() string { return pageOf(reportOfEverything(), nil) }),
	Entry("of an empty summary", func() string { return sweptPage(&stats.Summary{}) }),
)

// sweepWithSlots is a sweep with so many slots of a width, in seconds, each with ten users more than the one before.
func sweepWithSlots(slots int, width int64) *stats.Summary {
	s := allEqual(1)
	s.Tally.Times = stats.Times{Seconds: width}
	for i := range slots {
		bucket := stats.Bucket{Users: int64(10 * i), Outcomes: map[stats.Outcome]int64{stats.Equal: 20 * int64(i)}}
		bucket.Latency[i%40] = int64(min(i, 1)) // in the first, no request was sent
		s.Tally.Times.Buckets = append(s.Tally.Times.Buckets, bucket)
	}
	s.Seconds = float64(int64(slots) * width)
	return s
}

var _ = It("What happened when, of a sweep, is a table of at most 24 periods that reads as its outline", func() {
	var text strings.Builder
	expect := func(name string, s *stats.Summary) {
		fmt.Fprintf(&text, "=== %s\n%s", name,
			outlineOf(parsePage(sweptPage(s)).withValue("aria-labelledby", "time")))
	}
	expect("500 in the first second, 100 in a fifth of the next", allEqual(600))
	expect("nothing alike at first", sweepSummary(100, 50, func(i int64) []stats.Result {
		if i < 50 && i%5 == 0 {
			return []stats.Result{resultOf(stats.NothingAlike, ""), resultOf(stats.NothingAlike, "")}
		}
		return []stats.Result{resultOf(stats.Equal, ""), resultOf(stats.Equal, "")}
	}))
	for _, slots := range []int{1, 2, 24, 25, 250} {
		expect(fmt.Sprint(slots, " slots of a second"), sweepWithSlots(slots, 1))
	}
	for _, width := range []int64{60, 7200, 1 << 40, 1 << 62} {
		expect(fmt.Sprint("two slots of ", width, " seconds"), sweepWithSlots(2, width))
	}
	testkit.ExpectGolden("testdata/times.txt", text.String())
})
