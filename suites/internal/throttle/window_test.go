package throttle_test

import (
	"fmt"
	"time"
	_ "time/tzdata" // the zones of the specs, also on a machine that knows none

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/internal/throttle"
)

func parseWindow(text string) throttle.Window {
	GinkgoHelper()
	return testkit.Must(throttle.ParseWindow(text))
}

// isWithin reports by the clock on the wall whether a moment is in a window, given in minutes of the day.
func isWithin(from, to int, at time.Time) bool {
	minute := at.Hour()*60 + at.Minute()
	if from < to {
		return minute >= from && minute < to
	}
	return minute >= from || minute < to
}

var _ = Describe("A window", func() {
	DescribeTable("is refused if its text is none:", func(text string) {
		_, err := throttle.ParseWindow(text)
		Expect(err).To(MatchError(And(ContainSubstring("--window"), ContainSubstring(fmt.Sprintf("%q", text)),
			ContainSubstring("22:00-06:00"))))
	},
		testkit.Entries("windows"),
	)

	It("is the whole day if none is given", func() {
		w := parseWindow("")
		Expect(w).To(Equal(throttle.Window{}))
		for hour := range 24 {
			Expect(throttle.Opens(w, time.Date(2026, 3, 1, hour, 30, 0, 0, time.UTC))).To(BeZero())
		}
	})

	DescribeTable("opens:", func(text, now, wait string) {
		at := testkit.Must(time.Parse("15:04:05.999999999", now))
		at = at.AddDate(2026, 1, 27) // the day after is another month
		Expect(throttle.Opens(parseWindow(text), at).String()).To(Equal(wait))
	},
		testkit.Entries("opens"),
	)

	// Hours are those of the clock on the wall, on the days too on which it is set.
	DescribeTable("opens and closes by the clock on the wall:", func(zone, day string) {
		location := testkit.Must(time.LoadLocation(zone))
		noon := testkit.Must(time.ParseInLocation("2006-01-02 15:04", day+" 12:00", location))
		for text, minutes := range map[string][2]int{
			"22:00-06:00": {22 * 60, 6 * 60}, "08:00-17:00": {8 * 60, 17 * 60}, "01:30-02:30": {90, 150},
			"02:30-04:00": {150, 240}, "00:00-05:00": {0, 300}, "20:00-00:00": {20 * 60, 0}, "03:00-02:00": {180, 120},
		} {
			w, opened := parseWindow(text), 0
			for at := noon.Add(-40 * time.Hour); at.Before(noon.Add(40 * time.Hour)); at = at.Add(time.Minute) {
				is := isWithin(minutes[0], minutes[1], at)
				if (throttle.Opens(w, at) == 0) != is {
					Fail(fmt.Sprintf("%s is not right at %s", text, at))
				}
				if is {
					opened++
				} else if isWithin(minutes[0], minutes[1], at.Add(time.Minute)) {
					next := at // whoever waits, and looks again each minute, is not late
					for throttle.Opens(w, next) > 0 {
						next = next.Add(min(throttle.Opens(w, next), time.Minute))
					}
					Expect(next).To(BeTemporally("<", at.Add(time.Minute+time.Second)))
				}
			}
			Expect(opened).To(BeNumerically(">", 0), text)
		}
	},
		Entry("02:00 is 03:00", "Europe/Berlin", "2026-03-29"), Entry("03:00 is 02:00", "Europe/Berlin", "2026-10-25"),
		Entry("half an hour back", "Australia/Lord_Howe", "2026-04-05"),
		Entry("half an hour on", "Australia/Lord_Howe", "2026-10-04"),
		Entry("24:00 is 23:00", "America/Santiago", "2026-04-05"),
		Entry("00:00 is 01:00", "America/Santiago", "2026-09-06"),
		Entry("on an ordinary day", "Asia/Kolkata", "2026-03-29"),
		Entry("after a day left out", "Pacific/Apia", "2011-12-30"),
	)
})
