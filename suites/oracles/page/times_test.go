package page_test

import (
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/stats"
)

// timesOf are the rows of a sweep's table over time, cell by cell, and the parts that their bars fill.
func timesOf(s *stats.Summary) (rows [][]string, bars []string) {
	GinkgoHelper()
	for _, tr := range sectionUnder(parsePage(sweptPage(s)), "time").tagged("tr") {
		rows = append(rows, wordsOf(tr.all(func(e element) bool { return e.Data == "th" || e.Data == "td" })))
		for _, m := range tr.tagged("meter") {
			bars = append(bars, m.value("value")+" of "+m.value("max"))
		}
	}
	return rows, bars
}

// sweepWithSlots is a sweep with so many slots of a width, in seconds, each with ten users more than the one before.
func sweepWithSlots(slots int, width int64) *stats.Summary {
	s := allEqual(1)
	s.Tally.Times = stats.Times{Seconds: width}
	for i := range slots {
		bucket := stats.Bucket{Users: int64(10 * i), Outcomes: map[stats.Outcome]int64{stats.Equal: 20 * int64(i)}}
		bucket.Latency[i%40] = 1
		s.Tally.Times.Buckets = append(s.Tally.Times.Buckets, bucket)
	}
	s.Seconds = float64(int64(slots) * width)
	return s
}

var _ = Describe("What happened when, of a sweep", func() {
	It("is a row for each period: users, how fast, each outcome that came, and latencies", func() {
		rows, bars := timesOf(sweepSummary(100, 50, func(i int64) []stats.Result {
			if i < 50 && i%5 == 0 {
				return []stats.Result{resultOf(stats.NothingAlike, ""), resultOf(stats.NothingAlike, "")}
			}
			return []stats.Result{resultOf(stats.Equal, ""), resultOf(stats.Equal, "")}
		}))
		Expect(rows[0]).To(Equal([]string{"From", "Users", "Users per second", "✓ equal", "∅ nothing-alike", "p50",
			"p95", "p99"}))
		Expect(rows[1][:5]).To(Equal([]string{"0:00:00", "50", "50", "80", "20"}))
		Expect(rows[2][:5]).To(Equal([]string{"0:00:01", "50", "50", "100", "0"}))
		Expect(rows[2][5:]).To(HaveEach(MatchRegexp(`^\d+(\.\d)? ms$`)))
		Expect(bars).To(Equal([]string{"50 of 50", "50 of 50"}))
	})

	It("shows under which time the requests of a period stayed, and nothing if none was sent", func() {
		t := stats.New(1)
		for _, at := range []time.Duration{0, 2} {
			for i := range 100 {
				d := 3 * time.Millisecond
				if i >= 50 {
					d = 300 * time.Millisecond
				}
				t.Add([]stats.Result{resultOf(stats.Equal, ""), resultOf(stats.Equal, "")}, []time.Duration{d},
					at*time.Second)
			}
		}
		s := allEqual(3)
		s.Tally = t
		rows, _ := timesOf(s)
		Expect(rows[1][4:]).To(Equal([]string{"4.1 ms", "371 ms", "371 ms"}), "the bounds of the classes")
		Expect(rows[2][1:]).To(Equal([]string{"0", "0", "0", "–", "–", "–"}))
	})

	DescribeTable("has at most 24 periods, which have all users",
		func(slots int, width int64, periods int, second, fastest string) {
			rows, bars := timesOf(sweepWithSlots(slots, width))
			Expect(rows).To(HaveLen(1 + periods))
			sum := 0
			for _, row := range rows[1:] {
				var users int
				_, err := fmt.Sscan(row[1], &users)
				Expect(err).NotTo(HaveOccurred())
				sum += users
			}
			Expect(sum).To(Equal(5 * slots * (slots - 1)))
			if periods > 1 {
				Expect(rows[2][0]).To(Equal(second))
			}
			Expect(bars[periods-1]).To(Equal(fastest))
		},
		Entry("one", 1, int64(1), 1, "", "0 of 0"), Entry("two", 2, int64(1), 2, "0:00:01", "10 of 10"),
		Entry("three of a minute", 3, int64(60), 3, "0:01:00", "0.3333333333333333 of 0.3333333333333333"),
		Entry("24", 24, int64(1), 24, "0:00:01", "230 of 230"), Entry("25", 25, int64(1), 13, "0:00:02", "240 of 240"),
		Entry("those of a day", 12, int64(7200), 12, "2:00:00", "0.015277777777777777 of 0.015277777777777777"),
	)

	DescribeTable("fits any width of a bucket", func(slots int, width int64, periods int) {
		rows, _ := timesOf(sweepWithSlots(slots, width))
		Expect(rows).To(HaveLen(1 + periods))
	},
		Entry("the maximum number of buckets", 120, int64(1), 24), Entry("buckets of a thousand years", 120,
			int64(1<<40), 24),
		Entry("buckets longer than any clock can count", 2, int64(1<<62), 2))

	It("says how many buckets of a summary are left out", func() {
		Expect(sectionUnder(parsePage(sweptPage(sweepWithSlots(250, 1))), "time").text()).To(
			ContainSubstring("… and 10 more slots, in sweep.json"))
	})

	It("counts what was done in the last period by the time it had", func() {
		rows, _ := timesOf(allEqual(600)) // 500 in the first second, 100 in a fifth of the next
		Expect(rows[1][:3]).To(Equal([]string{"0:00:00", "500", "500"}))
		Expect(rows[2][:3]).To(Equal([]string{"0:00:01", "100", "500"}))
	})

	It("is left out if nobody was looked at", func() {
		s := allEqual(1)
		s.Tally = stats.New(1)
		Expect(sweptPage(s)).NotTo(ContainSubstring("Over time"))
	})

	It("is the same of a summary that was read from its file", func() {
		text, err := json.Marshal(mixedSweep())
		Expect(err).NotTo(HaveOccurred())
		again := &stats.Summary{}
		Expect(json.Unmarshal(text, again)).To(Succeed())
		Expect(sweptPage(again)).To(Equal(sweptPage(mixedSweep())))
	})
})
