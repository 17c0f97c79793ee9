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
	w, err := throttle.ParseWindow(text)
	Expect(err).NotTo(HaveOccurred())
	return w
}

// isWithin tells by the clock on the wall whether a moment is in a window, given in minutes of the day.
func isWithin(from, to int, at time.Time) bool {
	minute := at.Hour()*60 + at.Minute()
	if from < to {
		return minute >= from && minute < to
	}
	return minute >= from || minute < to
}

var _ = DescribeTable("A text that is no window of hours is refused", func(text string) {
	_, err := throttle.ParseWindow(text)
	Expect(err).To(MatchError(And(ContainSubstring("--window"), ContainSubstring(fmt.Sprintf("%q", text)),
		ContainSubstring("22:00-06:00"))))
},
	Entry("one time", "22:00"), Entry("a time and no other", "22:00-"), Entry("no time before", "-06:00"),
	Entry("a hyphen", "-"),
	Entry("24:00", "22:00-24:00"), Entry("24:00 first", "24:00-06:00"), Entry("25 hours", "22:00-25:00"),
	Entry("60 minutes", "22:60-06:00"),
	Entry("the same times", "06:00-06:00"), Entry("the same times at midnight", "00:00-00:00"),
	Entry("the same time in two forms", "6:00-06:00"),
	Entry("a space before", " 22:00-06:00"), Entry("a space behind", "22:00-06:00 "),
	Entry("spaces within", "22:00 - 06:00"), Entry("a space alone", " "),
	Entry("a line break", "22:00-06:00\n"), Entry("three times", "22:00-06:00-07:00"),
	Entry("two windows", "22:00-23:00,01:00-02:00"),
	Entry("seconds", "22:00:00-06:00:00"), Entry("a fraction", "22:00.5-06:00"), Entry("hours alone", "22-6"),
	Entry("no colon", "2200-0600"),
	Entry("a dot", "22.00-06.00"), Entry("morning and evening", "10:00PM-6:00AM"), Entry("a sign", "+2:00-06:00"),
	Entry("below zero", "-1:00-06:00"),
	Entry("a long hyphen", "22:00–06:00"), Entry("a slash", "22:00/06:00"),
	Entry("one digit of a minute", "22:0-06:00"),
	Entry("one digit of an hour", "8:00-17:00"), Entry("a zone", "22:00Z-06:00Z"),
	Entry("digits that are not ASCII", "２２:00-06:00"), Entry("an escape", "\x1b[2J"), Entry("no UTF-8", "\xff"),
	Entry("words", "at night"),
)

var _ = Describe("A window", func() {
	It("is the whole day if none is given", func() {
		w := parseWindow("")
		Expect(w).To(Equal(throttle.Window{}))
		for hour := range 24 {
			Expect(throttle.Opens(w, time.Date(2026, 3, 1, hour, 30, 0, 0, time.UTC))).To(BeZero())
		}
	})

	DescribeTable("opens", func(text, now, wait string) {
		at, err := time.Parse("15:04:05.999999999", now)
		Expect(err).NotTo(HaveOccurred())
		at = time.Date(2026, 2, 28, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(),
			time.UTC) // the day after is another month
		Expect(throttle.Opens(parseWindow(text), at).String()).To(Equal(wait))
	},
		testkit.Entries("opens"),
	)

	// Hours are those of the clock on the wall, on the days too on which it is set.
	for _, day := range []struct{ zone, day string }{
		{"Europe/Berlin", "2026-03-29"}, {"Europe/Berlin", "2026-10-25"}, // 02:00 → 03:00, 03:00 → 02:00
		{"America/New_York", "2026-03-08"}, {"America/New_York", "2026-11-01"},
		{"Australia/Lord_Howe", "2026-04-05"}, {"Australia/Lord_Howe", "2026-10-04"}, // half an hour
		{"America/Santiago", "2026-04-05"}, {"America/Santiago",
			"2026-09-06"}, // at midnight: 24:00 → 23:00, 00:00 → 01:00
		{"Asia/Kolkata", "2026-03-29"}, {"Pacific/Apia", "2011-12-30"}, // never; a day that was left out
	} {
		DescribeTable("of "+day.zone+" on "+day.day, func(text string, from, to int) {
			zone, err := time.LoadLocation(day.zone)
			Expect(err).NotTo(HaveOccurred())
			noon, err := time.ParseInLocation("2006-01-02 15:04", day.day+" 12:00", zone)
			Expect(err).NotTo(HaveOccurred())
			w := parseWindow(text)
			begin := noon.Add(-40 * time.Hour).Truncate(time.Minute)
			opening := begin
			for at := begin; at.Before(noon.Add(40 * time.Hour)); at = at.Add(time.Minute) {
				is := isWithin(from, to, at)
				Expect(throttle.Opens(w, at) == 0).To(Equal(is), "at %s", at)
				if is {
					opening = opening.Add(time.Minute)
				}
				// Whoever waits, and looks again each minute, is not late.
				if !is && isWithin(from, to, at.Add(time.Minute)) {
					next := at
					for throttle.Opens(w, next) > 0 {
						next = next.Add(min(throttle.Opens(w, next), time.Minute))
					}
					Expect(next).To(BeTemporally("<", at.Add(time.Minute+time.Second)))
				}
			}
			Expect(opening).To(BeTemporally(">", begin), "it was never open")
		},
			Entry("over midnight", "22:00-06:00", 22*60, 6*60), Entry("in the day", "08:00-17:00", 8*60, 17*60),
			Entry("at the hour of the change", "01:30-02:30", 90, 150),
			Entry("from the hour of the change", "02:30-04:00", 150, 240),
			Entry("from midnight", "00:00-05:00", 0, 300), Entry("to midnight", "20:00-00:00", 20*60, 0),
			Entry("but for an hour", "03:00-02:00", 180, 120),
		)
	}
})
