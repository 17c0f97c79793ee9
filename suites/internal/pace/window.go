package pace

import (
	"fmt"
	"strings"
	"time"
)

// Window is the hours of a day in which the target may be asked, in local time; the zero Window is the whole day. It may
// go over midnight.
type Window struct {
	from, to time.Duration // since midnight
	set      bool
}

// ParseWindow reads hours such as 22:00-06:00.
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
		return Window{}, fmt.Errorf("--window: expected two different times of day such as 22:00-06:00, found %q", text)
	}
	return w, nil
}

func clock(text string) (time.Duration, error) {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return 0, err
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, nil
}

// opens says how long it takes from now until the target may be asked; 0 where it may be now.
func (w Window) opens(now time.Time) time.Duration {
	if !w.set {
		return 0
	}
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	since := now.Sub(midnight)
	open := since >= w.from && since < w.to
	if w.from > w.to {
		open = since >= w.from || since < w.to
	}
	switch {
	case open:
		return 0
	case since < w.from:
		return w.from - since
	default:
		return 24*time.Hour - since + w.from
	}
}

// open tells whether the target may be asked now.
func (w Window) open(now time.Time) bool { return w.opens(now) == 0 }
