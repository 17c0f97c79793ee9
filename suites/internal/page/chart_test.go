package page_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/tally"
)

// panel is a drawing of the chart by its name.
func panel(doc element, name string) element {
	GinkgoHelper()
	return only(under(doc, "time").all(func(e element) bool {
		return e.is("panel") && len(e.all(func(x element) bool { return x.value("id") == name+"-title" })) == 1
	}))
}

// bars are the parts of a panel's stacks.
func bars(p element) []element {
	return p.all(func(e element) bool {
		return e.Data == "rect" && e.value("fill") != "" && !element{e.Parent}.is("swatch")
	})
}

// number is a place or a length, in percent.
func number(text string) float64 {
	GinkgoHelper()
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	Expect(err).NotTo(HaveOccurred())
	return x
}

// legendOf lists what a panel's legend names.
func legendOf(p element) []string { return words(only(p.classed("legend")).tagged("li")) }

var _ = Describe("the chart of a sweep", func() {
	It("stacks the outcomes of each stretch, so that their height is that of the users per second", func() {
		doc := parsed(sweptPage(swept(100, 50, func(i int64) []tally.Look {
			if i%4 == 0 {
				return []tally.Look{looked(tally.NothingAlike, ""), looked(tally.NothingAlike, "")}
			}
			return []tally.Look{looked(tally.Equal, ""), looked(tally.Equal, "")}
		})))
		rate := panel(doc, "rate")
		Expect(legendOf(rate)).To(Equal([]string{"equal", "nothing-alike"}))
		drawn := bars(rate)
		Expect(drawn).To(HaveLen(4))
		Expect(words(only(rate.classed("area")).tagged("desc"))).To(Equal([]string{"2 stretches over 2 s: from 50 to 50 users per second. The numbers stand in the table below."}))
		// The axis goes to 60.
		Expect(words(rate.classed("scale")[0].tagged("text"))).To(Equal([]string{"0", "20", "40", "60"}))
		for i := range 2 {
			equal, nothing := drawn[2*i], drawn[2*i+1]
			Expect([]string{equal.value("fill"), nothing.value("fill")}).To(Equal([]string{"url(#of-equal)", "url(#of-nothing-alike)"}))
			Expect(number(equal.value("height"))).To(BeNumerically("~", 100*37.0/60, 1.7))
			Expect(number(equal.value("y")) + number(equal.value("height"))).To(BeNumerically("~", 100, 0.01))
			Expect(number(nothing.value("y")) + number(nothing.value("height"))).To(BeNumerically("~", number(equal.value("y")), 0.01))
			Expect(number(nothing.value("y"))).To(BeNumerically("~", 100*10.0/60, 0.01))
		}
		Expect(doc.all(func(e element) bool { return e.value("id") == "unlike-title" })).To(BeEmpty(), "all are alike")
	})

	It("shows few that are not alike on a scale of their own, each part high enough to be seen", func() {
		p := panel(parsed(sweptPage(mixedSweep())), "unlike")
		Expect(legendOf(p)).To(Equal([]string{"drift", "different", "both-violate", "not-comparable"}))
		for _, b := range bars(p) {
			Expect(number(b.value("height"))).To(BeNumerically(">=", 2))
			Expect(number(b.value("y"))).To(BeNumerically(">=", 0))
		}
		Expect(words(p.tagged("desc"))).To(Equal([]string{"269 users and operations in 83 of 84 stretches, at most 99 in one. The numbers stand in the table below."}))
	})

	It("gives each outcome a pattern of its own, and each line one, so that none needs its colour", func() {
		doc := parsed(sweptPage(mixedSweep()))
		drawn := map[string]bool{}
		for _, p := range doc.tagged("pattern") {
			shapes := ""
			for _, e := range p.all(func(element) bool { return true }) {
				shapes += e.Data + e.value("class") + e.value("d") + " "
			}
			Expect(drawn).NotTo(HaveKey(shapes))
			drawn[shapes] = true
		}
		Expect(drawn).To(HaveLen(len(tally.Outcomes())))
		style := only(doc.tagged("style")).text()
		for _, line := range []string{"most", "nearly"} {
			Expect(style).To(MatchRegexp(`\.` + line + ` \{[^}]*stroke-dasharray`))
		}
		Expect(legendOf(panel(doc, "latency"))).To(Equal([]string{"p50", "p95", "p99"}))
	})

	It("draws latencies level within a stretch, on an axis that holds them", func() {
		t := tally.New(1)
		for i, d := range []time.Duration{3 * time.Millisecond, 3 * time.Millisecond, 300 * time.Millisecond} {
			t.Add([]tally.Look{looked(tally.Equal, ""), looked(tally.Equal, "")}, []time.Duration{d}, time.Duration(i)*time.Second)
		}
		s := allEqual(3)
		s.Tally = t
		p := panel(parsed(sweptPage(s)), "latency")
		Expect(words(p.classed("scale")[0].tagged("text"))).To(Equal([]string{"1 ms", "10 ms", "100 ms", "1 s"}))
		lines := p.tagged("path")
		Expect(lines).To(HaveLen(3))
		// 4.1 and 370 ms are the bounds of the classes.
		Expect(lines[0].value("d")).To(MatchRegexp(`^M0 79\d\.\dH1V79\d\.\dH2V14\d\.\dH3$`))
		Expect(words(p.tagged("desc"))[0]).To(HavePrefix("Between 4.1 ms and 371 ms, over 3 s."))
	})

	It("breaks the lines where nothing was sent", func() {
		t := tally.New(1)
		for _, at := range []time.Duration{0, 5} {
			t.Add([]tally.Look{looked(tally.Equal, ""), looked(tally.Equal, "")}, []time.Duration{time.Millisecond}, at*time.Second)
		}
		s := allEqual(2)
		s.Tally = t
		doc := parsed(sweptPage(s))
		Expect(panel(doc, "latency").tagged("path")[0].value("d")).To(MatchRegexp(`^M0 \d+\.\dH1M5 \d+\.\dH6$`))
		Expect(bars(panel(doc, "rate"))).To(HaveLen(2))
		Expect(words(only(under(doc, "time").tagged("tbody")).tagged("tr"))[1]).To(Equal("0:00:01000–––"), "an empty stretch has its row")
	})

	DescribeTable("fits any number of stretches, and its table has them all", func(slots int, width int64) {
		s := allEqual(1)
		s.Tally.Times = tally.Times{Seconds: width}
		for i := range slots {
			slot := tally.Slot{Users: int64(i), Outcomes: map[tally.Outcome]int64{tally.Equal: 2 * int64(i)}}
			slot.Latency[i%40] = 1
			s.Tally.Times.Slots = append(s.Tally.Times.Slots, slot)
		}
		s.Seconds = float64(int64(slots) * width)
		doc := parsed(sweptPage(s))
		Expect(only(under(doc, "time").tagged("tbody")).tagged("tr")).To(HaveLen(slots))
		for _, p := range []string{"rate", "latency"} {
			labels := words(panel(doc, p).classed("across")[0].tagged("text"))
			Expect(len(labels)).To(And(BeNumerically(">=", 2), BeNumerically("<=", 6)), "%v", labels)
			Expect(panel(doc, p).classed("stretch")).To(HaveLen(slots))
			for _, e := range panel(doc, p).all(func(e element) bool { return e.Data == "rect" || e.Data == "text" || e.Data == "line" }) {
				for _, key := range []string{"x", "y", "width", "height", "x2", "y1"} {
					if text := e.value(key); regexp.MustCompile(`%$`).MatchString(text) {
						Expect(number(text)).To(And(BeNumerically(">=", 0), BeNumerically("<=", 100)))
					}
				}
			}
		}
	},
		Entry("one", 1, int64(1)), Entry("two", 2, int64(1)), Entry("three of a minute", 3, int64(64)), Entry("as many as a tally keeps", 120, int64(1)),
		Entry("those of a day", 84, int64(1024)), Entry("those of months", 120, int64(1<<17)), Entry("those of millennia", 120, int64(1<<40)), Entry("those of no clock", 2, int64(1<<62)),
	)

	It("counts what was done in the last stretch by the time it had", func() {
		s := allEqual(600) // 500 in the first second, 100 in a fifth of the next
		rows := words(only(under(parsed(sweptPage(s)), "time").tagged("tbody")).tagged("tr"))
		Expect(rows).To(HaveLen(2))
		Expect(rows[0]).To(HavePrefix("0:00:005005001,000"))
		Expect(rows[1]).To(HavePrefix("0:00:01100500200"))
	})

	It("is left out where nothing was looked at", func() {
		s := allEqual(1)
		s.Tally = tally.New(1)
		Expect(sweptPage(s)).NotTo(ContainSubstring("Over time"))
	})

	It("is the same of a summary that was read from its file", func() {
		text, err := json.Marshal(mixedSweep())
		Expect(err).NotTo(HaveOccurred())
		again := &tally.Summary{}
		Expect(json.Unmarshal(text, again)).To(Succeed())
		Expect(sweptPage(again)).To(Equal(sweptPage(mixedSweep())))
	})

	It("tells the numbers of each stretch when it is pointed at", func() {
		doc := parsed(sweptPage(allEqual(600)))
		Expect(words(panel(doc, "rate").classed("stretch"))).To(Equal([]string{
			"from 0:00:00: 500 users per second; equal 1,000", "from 0:00:01: 500 users per second; equal 200"}))
		Expect(words(panel(doc, "latency").classed("stretch"))[0]).To(MatchRegexp(fmt.Sprintf("^from 0:00:00: p50 %s, p95 %[1]s, p99 %[1]s$", `\d+(\.\d)? ms`)))
	})
})
