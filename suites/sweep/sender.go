package sweep

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/exchange"
)

// sender sends probes and tells a fault of one user's answer from an outage of the target: after a fault it sends a
// probe again that was answered before. Where that one is answered, the fault is the user's own, and nothing is
// repeated (J19). Where it is not, the target is down: the probe is sent again once it is back, for what happened
// meanwhile was no answer to it.
type sender struct {
	do   func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
	most int // faults in a row of a version that has answered nothing, after which it is given up

	repeated atomic.Int64 // requests that were sent again after an outage

	mu       sync.Mutex
	answered map[schemas.Version][2]exchange.Probe // the last one, and the last one of another user or operation
	faults   map[schemas.Version]*engine.Faults
}

// newSender gives a version that has answered nothing one fault more for each request in flight than a run does: the
// first requests of all users may be those that it does not answer.
func newSender(concurrency int, do func(context.Context, exchange.Probe) (*exchange.Exchange, error)) *sender {
	s := &sender{
		do: do, most: engine.FaultsInARow + concurrency,
		answered: map[schemas.Version][2]exchange.Probe{}, faults: map[schemas.Version]*engine.Faults{},
	}
	for _, v := range schemas.Versions() {
		s.faults[v] = &engine.Faults{}
	}
	return s
}

// send sends a probe until it is known what came of it. An error ends the sweep.
func (s *sender) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	faults := s.faults[p.Version]
	number := faults.Begin()
	ex, err := s.do(ctx, p)
	if err != nil {
		return nil, err
	}
	if up(ex) {
		faults.Answered(number)
		s.remember(p)
		return ex, nil
	}
	row := faults.Faulted(number, ex)
	known, ok := s.other(p)
	if !ok {
		return ex, s.unanswered(ex, row)
	}
	for down := false; ; down = true {
		again, err := s.do(ctx, known)
		switch {
		case err != nil:
			return nil, err
		case !up(again):
			continue // the pace lets the target rest meanwhile, and gives it up at last
		case !down:
			return ex, nil
		}
		s.repeated.Add(1)
		return s.do(ctx, p)
	}
}

// up tells whether the target did its work, whatever its answer. 503 without a word of when to come again is what a
// target says that is down.
func up(ex *exchange.Exchange) bool {
	return ex.Answered() && ex.Status != http.StatusServiceUnavailable
}

func (s *sender) remember(p exchange.Probe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.answered[p.Version]
	if !alike(last[0], p) {
		last[1] = last[0]
	}
	last[0] = p
	s.answered[p.Version] = last
}

// other gives a probe that was answered, of another user or operation: one and the same may well be answered once, and
// not again.
func (s *sender) other(p exchange.Probe) (exchange.Probe, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.answered[p.Version] {
		if known.ID != "" && !alike(known, p) {
			return known, true
		}
	}
	return exchange.Probe{}, false
}

func alike(a, b exchange.Probe) bool { return a.User == b.User && a.Operation == b.Operation }

// unanswered is the error of a fault that is one too many of a version that has answered nothing.
func (s *sender) unanswered(ex *exchange.Exchange, row int) error {
	v := ex.Probe.Version
	if row < s.most || s.faults[v].Unanswered() == nil {
		return nil
	}
	why := fmt.Sprintf("status %d", ex.Status)
	if ex.Fault != nil {
		why = ex.Fault.Detail
	}
	return fmt.Errorf("%s answered no request at all (J19); the last one, %s, ended with: %s; is the URL right, and does the service run?", v, ex.Probe.ID, why)
}
