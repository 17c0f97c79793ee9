package run

import (
	"fmt"
	"sync"

	"authenticator-conformance/suites/internal/exchange"
)

// faultsInARow of well-formed requests, in the order sent, end a run: the target is not there any more (J19).
const faultsInARow = 5

// streak watches how well-formed requests end, in the order in which they were sent.
type streak struct {
	mu    sync.Mutex
	ended []ending
	first *exchange.Exchange // of those that brought no answer, the one sent first
	turn  int                // its turn
	any   bool               // some request was answered
}

type ending byte

const (
	underWay ending = iota
	answered
	faulted
)

// begin gives the next request its turn.
func (s *streak) begin() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, underWay)
	return len(s.ended) - 1
}

// end notes how a request ended. The error is not nil when it makes five faults in a row.
func (s *streak) end(turn int, ex *exchange.Exchange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ex.Answered() {
		s.ended[turn], s.any = answered, true
		return nil
	}
	s.ended[turn] = faulted
	if s.first == nil || turn < s.turn {
		s.first, s.turn = ex, turn
	}
	row := 1
	for i := turn - 1; i >= 0 && s.ended[i] == faulted; i-- {
		row++
	}
	for i := turn + 1; i < len(s.ended) && s.ended[i] == faulted; i++ {
		row++
	}
	if row < faultsInARow {
		return nil
	}
	if !s.any {
		return s.unreachable()
	}
	return fmt.Errorf("the target stopped answering: %d well-formed requests in a row brought no answer, the last one %s: %s; "+
		"see whether the service still runs, then run again", row, ex.Probe.ID, ex.Fault.Detail)
}

// unanswered is the error of a run in which no request was answered at all.
func (s *streak) unanswered() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.any || s.first == nil {
		return nil
	}
	return s.unreachable()
}

func (s *streak) unreachable() error {
	return fmt.Errorf("the target can't be reached: no request was answered; %s to %s of %s, ended with: %s; "+
		"check the setting target.url (--target-url, AUTHN_TARGET_URL) and the network, proxy and TLS settings",
		s.first.Probe.ID, s.first.Probe.Operation, s.first.Probe.Version, s.first.Fault.Detail)
}
