package throttle_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"authenticator-conformance/suites/internal/throttle"
)

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
		if open == 0 || open == 24*60 && text != "" {
			t.Fatalf("%q is open for %d minutes of a day", text, open)
		}
	})
}
