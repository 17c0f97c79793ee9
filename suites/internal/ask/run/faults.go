package run

import (
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// recordEnd records how a well-formed request ended. It returns an error at five faults in a row of one version (J19).
func (r *Run) recordEnd(number int, ex *exchange.Exchange) error {
	v := ex.Probe.Version
	if ex.Answered() {
		r.faults[v].Answered(number)
		return nil
	}
	row := r.faults[v].Faulted(number, ex)
	if row < engine.FaultsInARow {
		return nil
	}
	if err := r.unanswered(v); err != nil {
		return err
	}
	return fmt.Errorf("%s stopped answering: %d well-formed requests in a row brought no answer, the last one "+
		"%s: %w; see whether the service still runs, then run again", v, row, ex.Probe.ID, ex.Fault)
}

// unanswered returns an error if a version answered no request of the run.
func (r *Run) unanswered(v schemas.Version) error {
	if first := r.faults[v].Unanswered(); first != nil {
		return r.Unreachable(engine.Silent(r.faults, v), first)
	}
	return nil
}
