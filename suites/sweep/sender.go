package sweep

import (
	"context"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// send sends a probe, unless the target is known to refuse everybody: then it waits. An error ends the sweep.
func (s *Sweep) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if err := s.controls.Wait(ctx, p.Version); err != nil {
		return nil, err
	}
	faults := s.faults[p.Version]
	number := faults.Begin()
	ex, err := s.do(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case ex.Answered():
		faults.Answered(number)
		s.controls.NoteFirst(ex)
		return ex, nil
	}
	return ex, s.unanswered(p.Version, faults.Faulted(number, ex))
}

// unanswered returns the error for a version that has never answered, after too many faults in a row (J19). A sweep
// allows one more fault for each request in flight than a run does: these may be the first requests of all users.
func (s *Sweep) unanswered(v schemas.Version, row int) error {
	if row < engine.FaultsInARow+s.Settings.Concurrency || s.faults[v].Unanswered() == nil {
		return nil
	}
	return s.Client.Unreachable(engine.Silent(s.faults, v), s.faults[v].Unanswered())
}

// newControls returns the controls of a sweep (J23).
func (s *Sweep) newControls() *control.Controls {
	guarded := s.reading.Guard
	return control.New(s.Settings.Versions, control.Options{
		Send:        s.do,
		Refused:     guarded(s.suite.MayBeRefused),
		Served:      guarded(s.suite.Serves),
		Renew:       s.Client.Renew,
		Waits:       s.Waits,
		Concurrency: s.Settings.Concurrency,
		Alone:       control.DefaultAlone,
		Errors:      s.Client,
		Again:       "continue with --resume",
	})
}
