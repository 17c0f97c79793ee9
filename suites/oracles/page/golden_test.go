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
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

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
	names := []string{"places", "diffs", "bodies", "reports", "browser", "answers", "times", "hostile-texts"}
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
