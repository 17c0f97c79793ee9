package run

import (
	"fmt"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/exchange"
)

// recordEnd records how a well-formed request ended. It returns an error at five faults in a row (J19).
func (r *Run) recordEnd(number int, ex *exchange.Exchange) error {
	if ex.Answered() {
		r.faults.Answered(number)
		return nil
	}
	row := r.faults.Faulted(number, ex)
	if row < engine.FaultsInARow {
		return nil
	}
	if err := r.unanswered(); err != nil {
		return err
	}
	return fmt.Errorf("the target stopped answering: %d well-formed requests in a row brought no answer, the last one "+
		"%s: %s; see whether the service still runs, then run again", row, ex.Probe.ID, ex.Fault.Detail)
}

// unanswered returns an error if no request of the run was answered.
func (r *Run) unanswered() error {
	first := r.faults.Unanswered()
	if first == nil {
		return nil
	}
	return fmt.Errorf("the target can't be reached: no request was answered; %s to %s of %s, ended with: %s; "+
		"check the setting target.url (--target-url, AUTHN_TARGET_URL) and the network, proxy and TLS settings",
		first.Probe.ID, first.Probe.Operation, first.Probe.Version, first.Fault.Detail)
}
