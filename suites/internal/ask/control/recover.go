package control

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// outage is a time in which the target refuses everybody.
type outage struct {
	last  *exchange.Exchange // that a control got
	asked int
}

// Outage returns the error of a target that still refuses everybody when the deadline ends the run; nil if it serves.
func (c *Controls) Outage() error {
	if c == nil || c.outage.Load() == nil {
		return nil
	}
	since := c.refusesEverybody(c.outage.Load()).Err
	return fmt.Errorf("%w; the deadline (setting deadline) ended the wait for it", since)
}

func (c *Controls) refusesEverybody(o *outage) *Refusal {
	served := c.states[keyOf(o.last)].servedAt()
	return refusal(o.last, c.RefusesEverybody(o.last, o.asked, served), c.Again)
}

// maxAuthRefused is how often a control is asked that is answered 401 or 403, as each may count towards a lockout.
const maxAuthRefused = 5

// recover asks the control, and in turn with it the user who was served last, until the target serves again, and notes
// the interruption. Who is served then is the control. While it waits, no other request is sent to the version. The
// error is a *Refusal if the target stays as it is, or if it was believed that users have nothing, and everybody got an
// empty list.
func (c *Controls) recover(ctx context.Context, control exchange.Probe, last *exchange.Exchange) (answer, error) {
	defer c.versions[control.Version].close()()
	asked, turnedAway, throttled, recovered := 1, 0, last.Throttled(), false
	first, hidesUsers := last, last.IsEmptyList() && c.MayHideUsers()
	if !throttled {
		c.shaken.Store(true)
	}
	c.beginInterruption()
	defer func() { c.endInterruption(recovered, throttled) }()
	control.ID = ""
	controls := [...]exchange.Probe{control, c.another(control)}
	for i, wait := range c.Waits {
		c.outage.Store(&outage{last, asked})
		if last.Status == http.StatusUnauthorized || last.Status == http.StatusForbidden {
			turnedAway++
		}
		if turnedAway == maxAuthRefused {
			break
		}
		if err := sleep(ctx, wait); err != nil {
			return answer{}, err
		}
		if c.Renew != nil {
			c.Renew()
		}
		control = controls[i%len(controls)]
		again, err := c.ask(ctx, control)
		if err != nil {
			return answer{}, err
		}
		asked++
		throttled = throttled && (!c.refuses(again.ex) || again.ex.Throttled())
		if last = again.ex; !c.refuses(last) && !throttled {
			if last, err = c.askAlone(ctx, control, last); err != nil {
				return answer{}, err
			}
		}
		if !c.refuses(last) {
			c.outage.Store(nil)
			c.states[keyOf(last)].probe.Store(&control)
			if hidesUsers {
				return answer{}, refusal(first, c.ServedNothing(first), c.Again)
			}
			recovered = !c.versions[control.Version].fails.Load()
			return again, nil
		}
	}
	return answer{}, c.refusesEverybody(&outage{last, asked})
}

// MayHideUsers reports whether an empty list was the last answer of an operation that serves. It may have been
// believed.
func (c *Controls) MayHideUsers() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, s := range c.states {
		if s.empty != nil && c.control(s, k.version) != nil {
			return true
		}
	}
	return false
}

// maxAskedAlone is how often a version is asked whether it refuses now and then, and alonePause the pause between two
// of the controls for that: forty in a second are less than what limits allow. outageRow is how many of these in a row
// are another outage, such as of a process that starts twice, unless others are refused, too.
const (
	maxAskedAlone = 3
	alonePause    = 25 * time.Millisecond
	outageRow     = 3
)

// askAlone asks the control of a target that serves again some times more, one after the other, while nothing else is
// asked. One that refuses some of them does so now and then, whoever asks and however little: that is no interruption.
// With 500, or no answer, it fails by itself, and the refusal of a user counts. Any other refusal may come from
// something in front: an error, as among probes that should be refused, if no user was refused before. It returns the
// last answer.
func (c *Controls) askAlone(ctx context.Context, control exchange.Probe, last *exchange.Exchange) (*exchange.Exchange,
	error) {
	own := c.versions[control.Version]
	if own.fails.Load() || own.askedAlone.Add(1) > maxAskedAlone {
		return last, nil
	}
	for _, v := range c.versions {
		defer v.close()()
	}
	c.alone.Lock()
	defer c.alone.Unlock()
	var refused []*exchange.Exchange
	rows, served := 0, true
	for range c.Alone {
		if err := sleep(ctx, alonePause); err != nil {
			return nil, err
		}
		a, err := c.ask(ctx, control)
		if err != nil {
			return nil, err
		}
		if last = a.ex; c.refuses(last) {
			if refused = append(refused, last); served {
				rows++
			}
		}
		served = !c.refuses(last)
	}
	n := len(refused)
	switch {
	case n == 0, !served, rows == 1 && n >= outageRow:
		return last, nil
	case c.probing.Load() && !c.stands.Load(), slices.ContainsFunc(refused, func(ex *exchange.Exchange) bool {
		return ex.Answered() && ex.Status != http.StatusInternalServerError
	}):
		return nil, refusal(refused[n-1], c.RefusesNowAndThen(refused[n-1], n, c.Alone), c.Again)
	}
	own.fails.Store(true)
	return last, nil
}

// DefaultAlone is the number of these controls in a run and a sweep: a target that fails once in twenty requests fails
// one of them in seven cases of eight.
const DefaultAlone = 40

// span is the time of an interruption, whichever operations and versions showed it.
type span struct {
	recovered time.Time
	open      int  // how many wait for its end
	refused   bool // somebody was refused, and not only throttled
}

// beginInterruption notes that the target refuses everybody.
func (c *Controls) beginInterruption() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.open == 0 {
		c.last.refused = false
	}
	c.last.open++
}

// endInterruption notes that the target serves again, if recovered is true. What it only throttled is counted by
// itself.
func (c *Controls) endInterruption(recovered, throttled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last.open--
	if !recovered {
		return
	}
	c.last.recovered = time.Now()
	c.last.refused = c.last.refused || !throttled
	if c.last.open == 0 && c.last.refused {
		c.interruptions.Add(1)
	}
}

// isInterrupted reports whether a refusal may be of the last interruption: its request was sent before that ended. When
// it began is not known, as others may have been refused before the one that showed it.
func (c *Controls) isInterrupted(ex *exchange.Exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ex.Started.Before(c.last.recovered)
}

// interruptedSince reports whether there was an interruption after a moment, or is one now.
func (c *Controls) interruptedSince(moment time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last.open > 0 || c.last.recovered.After(moment)
}
