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

// sender sends probes and distinguishes the fault of one user's answer from an outage of the target. After a fault it
// sends a probe again that was answered before. If that one is answered, the fault belongs to the user and nothing is
// repeated (J19). If not, the target is down, and the faulty probe is sent again once the target is back.
type sender struct {
	do         func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
	faultLimit int // faults in a row before a version that never answered is given up

	repeated atomic.Int64 // requests sent again after an outage

	mu       sync.Mutex
	answered map[schemas.Version]*[2]exchange.Probe // the last one, and the last one for another user or operation
	faults   map[schemas.Version]*engine.Faults
}

// newSender returns a sender. It allows a silent version one more fault for each request in flight than a run does:
// these may be the first requests of all users.
func newSender(versions []schemas.Version, concurrency int,
	do func(context.Context, exchange.Probe) (*exchange.Exchange, error)) *sender {
	s := &sender{
		do: do, faultLimit: engine.FaultsInARow + concurrency,
		answered: map[schemas.Version]*[2]exchange.Probe{}, faults: map[schemas.Version]*engine.Faults{},
	}
	for _, v := range versions {
		s.faults[v], s.answered[v] = &engine.Faults{}, &[2]exchange.Probe{}
	}
	return s
}

// send returns the final result of a probe, after repeating it if the target was down. An error ends the sweep.
func (s *sender) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	faults := s.faults[p.Version]
	number := faults.Begin()
	ex, err := s.do(ctx, p)
	if err != nil {
		return nil, err
	}
	if isUp(ex) {
		faults.Answered(number)
		s.recordEnd(&p)
		return ex, nil
	}
	row := faults.Faulted(number, ex)
	known, ok := s.answeredProbe(p)
	if !ok {
		return ex, s.unanswered(ex, row)
	}
	for unreachable := false; ; unreachable = true {
		again, err := s.do(ctx, known)
		switch {
		case err != nil:
			return nil, err
		case !isUp(again):
			continue // the throttle pauses in between, and gives up in the end
		case !unreachable:
			return ex, nil
		}
		s.repeated.Add(1)
		return s.do(ctx, p)
	}
}

// isUp reports whether the target is working, whatever its answer. A 503 without Retry-After counts as down.
func isUp(ex *exchange.Exchange) bool {
	return ex.Answered() && ex.Status != http.StatusServiceUnavailable
}

func (s *sender) recordEnd(p *exchange.Probe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.answered[p.Version]
	if !isSameRequest(&last[0], p) {
		last[1] = last[0]
	}
	last[0] = *p
}

// answeredProbe returns an answered probe for another user or operation. The same request would prove nothing: it may
// be answered once and not again.
func (s *sender) answeredProbe(p exchange.Probe) (exchange.Probe, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.answered[p.Version] {
		if known.ID != "" && !isSameRequest(&known, &p) {
			return known, true
		}
	}
	return exchange.Probe{}, false
}

func isSameRequest(a, b *exchange.Probe) bool { return a.User == b.User && a.Operation == b.Operation }

// unanswered returns the error for a version that has never answered, after too many faults in a row.
func (s *sender) unanswered(ex *exchange.Exchange, row int) error {
	v := ex.Probe.Version
	if row < s.faultLimit || s.faults[v].Unanswered() == nil {
		return nil
	}
	reason := fmt.Errorf("status %d", ex.Status)
	if ex.Fault != nil {
		reason = ex.Fault
	}
	return fmt.Errorf("%s answered no request at all (J19); the last one, %s, ended with: %w; check the URL and "+
		"whether the service is running", v, ex.Probe.ID, reason)
}
