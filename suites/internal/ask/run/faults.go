package run

import (
	"fmt"
	"slices"
	"strings"

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
	first := r.faults[v].Unanswered()
	if first == nil {
		return nil
	}
	hint := ""
	closed := []string{"EOF", "connection reset", "broken pipe", "malformed HTTP response"}
	if r.Settings.Targets[first.Probe.Version].URL.Scheme == "http" && slices.ContainsFunc(closed,
		func(text string) bool { return strings.Contains(first.Fault.Detail, text) }) {
		hint = "; does the server there speak TLS? Then the URL begins with https://"
	}
	who := "the target"
	for other, faults := range r.faults {
		if other != v && faults.AnyAnswered() {
			who = string(v)
		}
	}
	return fmt.Errorf("%s can't be reached: no request was answered; %s to %s ended with: %w%s; "+
		"check %s and the network, proxy and TLS settings",
		who, first.Probe.ID, r.DisplayBase(first.Probe.Version)+first.Probe.Path(), first.Fault, hint,
		r.Settings.Named("the setting target.url (--target-url, AUTHN_TARGET_URL)", "TargetURL"))
}
