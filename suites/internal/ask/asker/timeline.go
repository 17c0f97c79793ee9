package asker

import (
	"net/http"
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// Timeline is what the controls of an operation and version were answered since a request of it was refused (J23). It
// is a value: it knows no clock, and sends nothing. The zero value is a refusal whose control was not asked yet.
type Timeline struct {
	Asked      int                // how many controls were asked
	Served     bool               // the last one was served
	TurnedAway int                // how many were answered 401 or 403: each may count towards a lockout
	Last       *exchange.Exchange // the last one that was refused; nil: none
}

// End is what a timeline shows.
type End int

// A timeline is open while another control is to be asked.
const (
	Open      End = iota
	Serves        // a control was served at the first or second try: the refusal is the answer to the one who got it
	Recovered     // the target refused everybody, and serves again: an interruption
	Gone          // it refuses everybody, as long as it was waited for
)

// tries is how many controls are asked at once. If all are refused, the target refuses everybody. maxTurnedAway is how
// many are asked that are answered 401 or 403.
const (
	tries         = 2
	maxTurnedAway = 5
)

// With returns the timeline after the answer to another control.
func (t Timeline) With(ex *exchange.Exchange, served bool) Timeline {
	t.Asked, t.Served = t.Asked+1, served
	if served {
		return t
	}
	if t.Last = ex; ex.Status == http.StatusUnauthorized || ex.Status == http.StatusForbidden {
		t.TurnedAway++
	}
	return t
}

// Next returns what the timeline shows or, if it is open, the wait before the next control, and whose it is: 0 for the
// user who was served last, 1 for the one before. waits are the pauses while the target refuses everybody.
func (t Timeline) Next(waits []time.Duration) (end End, wait time.Duration, whose int) {
	switch refused := t.Asked - tries; {
	case t.Served && t.Asked <= tries:
		return Serves, 0, 0
	case t.Served:
		return Recovered, 0, 0
	case refused < 0:
		return Open, 0, t.Asked
	case refused >= len(waits) || t.TurnedAway >= maxTurnedAway:
		return Gone, 0, 0
	default:
		return Open, waits[refused], refused % tries
	}
}

// Pace is how fast requests are sent: with how much time between two. It is a value.
type Pace struct {
	Space     time.Duration // 0: as fast as the target answers
	calm      int           // requests since it changed
	throttled int           // answers that throttled since it changed
}

// The space begins with the least when the target shows that it is asked too fast, and doubles up to the most. It is
// halved after so many requests without another sign of that.
const (
	leastSpace   = 50 * time.Millisecond
	mostSpace    = 2 * time.Second
	calmRequests = 100
	// So many answers that throttle double it, but to no more than mostThrottled: a target that throttles every third
	// request, however slowly it is asked, would take ten minutes for a run else.
	throttles     = 3
	mostThrottled = 200 * time.Millisecond
)

// Slower returns the pace after an interruption.
func (p Pace) Slower() Pace { return p.upTo(mostSpace) }

func (p Pace) upTo(most time.Duration) Pace {
	return Pace{Space: max(p.Space, min(max(leastSpace, 2*p.Space), most))}
}

// Throttled returns the pace after an answer to a well-formed request that throttled it.
func (p Pace) Throttled() Pace {
	if p.throttled++; p.throttled == throttles {
		return p.Repeating()
	}
	p.calm = 0
	return p
}

// Repeating returns the pace before a step is sent again, whose control may have come too soon after another request.
func (p Pace) Repeating() Pace { return p.upTo(mostThrottled) }

// Answered returns the pace after any other answer.
func (p Pace) Answered() Pace {
	if p.Space == 0 {
		return p
	}
	if p.calm++; p.calm < calmRequests {
		return p
	}
	if p.Space /= 2; p.Space < leastSpace {
		p.Space = 0
	}
	return Pace{Space: p.Space}
}
