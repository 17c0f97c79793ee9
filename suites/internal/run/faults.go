package run

import (
	"fmt"
	"slices"
	"strings"

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
		"%s: %w; see whether the service still runs, then run again", row, ex.Probe.ID, ex.Fault)
}

// unanswered returns an error if no request of the run was answered.
func (r *Run) unanswered() error {
	first := r.faults.Unanswered()
	if first == nil {
		return nil
	}
	hint := ""
	closed := []string{"EOF", "connection reset", "broken pipe", "malformed HTTP response"}
	if r.Settings.URLs[first.Probe.Version].Scheme == "http" && slices.ContainsFunc(closed,
		func(text string) bool { return strings.Contains(first.Fault.Detail, text) }) {
		hint = "; does the server there speak TLS? Then the URL begins with https://"
	}
	return fmt.Errorf("the target can't be reached: no request was answered; %s to %s ended with: %w%s; "+
		"check %s and the network, proxy and TLS settings",
		first.Probe.ID, r.DisplayBase(first.Probe.Version)+first.Probe.Path(), first.Fault, hint,
		r.Settings.Named("the setting target.url (--target-url, AUTHN_TARGET_URL)", "TargetURL"))
}
