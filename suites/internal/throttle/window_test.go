package throttle_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
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
	}, testkit.Entries("windows"))

	DescribeTable("opens:", func(text, now, wait string) {
		at := testkit.Must(time.Parse("15:04:05.999999999", now))
		at = at.AddDate(2026, 1, 27) // the day after is another month
		Expect(throttle.Opens(parseWindow(text), at).String()).To(Equal(wait))
	}, testkit.Entries("opens"))

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
	}, testkit.Entries("zones"))
})

// FuzzParseWindow: what is taken has the form of two times of day, and is open and closed in each day.
func FuzzParseWindow(f *testing.F) {
	for _, seed := range []string{"", "22:00-06:00", "8:00-17:30", "00:00-23:59", "23:59-00:00", "24:00-06:00",
		"06:00-06:00", "1:00-2:00-3:00", " 22:00-06:00", "22:00-06:00\n", "-", "é:00-0:00", "\x00"} {
		f.Add(seed)
	}
	pattern := regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$`)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := throttle.ParseWindow(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x00\x1b\n\r") {
				t.Fatalf("the error %q shows what it was given as it is", err)
			}
			return
		}
		if text != "" && !pattern.MatchString(text) {
			t.Fatalf("%q was taken", text)
		}
		open := 0
		for minute := range 24 * 60 {
			at := time.Date(2026, 1, 15, 0, minute, 0, 0, time.UTC)
			left := throttle.Opens(w, at)
			if left < 0 || left > 24*time.Hour {
				t.Fatalf("%q: at %s it opens in %s", text, at, left)
			}
			if throttle.Opens(w, at.Add(left)) != 0 || left > 0 && throttle.Opens(w, at.Add(left-1)) == 0 {
				t.Fatalf("%q: at %s it does not open in %s", text, at, left)
			}
			if left == 0 {
				open++
			}
		}
		if open == 0 || (open == 24*60) != (text == "") {
			t.Fatalf("%q is open for %d minutes of a day", text, open)
		}
	})
}
