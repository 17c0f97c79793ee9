package throttle

import (
	"fmt"
	"strings"
	"time"
)

// Window is the hours of a day, in local time, in which requests may be sent. The zero Window is the whole day. It may
// span midnight.
type Window struct {
	from, to int // minutes of the day
	set      bool
}

// ParseWindow parses hours such as 22:00-06:00; "" is the whole day.
func ParseWindow(text string) (Window, error) {
	if text == "" {
		return Window{}, nil
	}
	from, to, found := strings.Cut(text, "-")
	w := Window{set: true}
	var err error
	if w.from, err = clock(from); err == nil && found {
		w.to, err = clock(to)
	}
	if err != nil || !found || w.from == w.to {
		return Window{}, fmt.Errorf("--window: expected two different times of day such as 22:00-06:00, got %q", text)
	}
	return w, nil
}

func clock(text string) (int, error) {
	const layout = "15:04"
	at, err := time.Parse(layout, text)
	if err == nil && at.Format(layout) != text {
		err = fmt.Errorf("%q is not written as %s", text, layout)
	}
	return minutes(at), err
}

func minutes(at time.Time) int { return 60*at.Hour() + at.Minute() }

// opens returns the time until requests may be sent, or 0 if they may now. The hour may not exist on the day of a clock
// change, so callers check again after waiting.
func (w Window) opens() time.Duration {
	if !w.set {
		return 0 // without a look at the clock, as there is one for each request
	}
	return w.opensAfter(time.Now())
}

func (w Window) opensAfter(now time.Time) time.Duration {
	at, overMidnight := minutes(now), w.from > w.to
	if !w.set || !overMidnight && at >= w.from && at < w.to || overMidnight && (at >= w.from || at < w.to) {
		return 0
	}
	next := time.Date(now.Year(), now.Month(), now.Day(), 0, w.from, 0, 0, now.Location())
	if !next.After(now) {
		next = time.Date(now.Year(), now.Month(), now.Day()+1, 0, w.from, 0, 0, now.Location())
	}
	return max(next.Sub(now), time.Second)
}
