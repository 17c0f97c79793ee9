// Package result has what a run ends with, and what is left of a past run so that it can be judged again. Reports and
// evidence are made from these values, never from a run that can still send something.
package result

import (
	"context"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/settings"
)

// Result is what a run ends with. Its texts have not passed the way out.
type Result struct {
	*requests.Requests
	ID                string
	Started, Finished time.Time
	Settings          *settings.Settings
	Suite             *spec.Suite
	Ledger            *ledger.Ledger
	Evidence          string // digest of the evidence that was judged again, sha256:…; "" if a target was asked
	Counts            exchange.Counts
	Observed          map[schemas.Version]exchange.Observed // what each version showed of itself
	StaleWaivers      []string                              // these fail the run
	Notes             []string
	UsedIgnores       []string // the ignored places at which the versions differ
	Err               error    // why the run was not carried out to its end; nil if it was
}

// Past is a run that was carried out before, read from its evidence.
type Past struct {
	ID      string
	Started time.Time
	// Finished is when it ended. Rules that depend on the date are applied as of then.
	Finished time.Time
	Target   map[schemas.Version]string // base URLs, in the form that is shown
	Evidence Evidence
	Counts   exchange.Counts
	Observed map[schemas.Version]exchange.Observed
	Unknown  map[schemas.Version]string // the random tokens that were sent
	Digest   string                     // digest of its evidence, sha256:…
	Err      error                      // why it did not complete
}

// Source returns the exchange for a probe from a record of an earlier time. An error that wraps exchange.ErrNotRecorded
// means that the record lacks it. Any other ends the run.
type Source interface {
	Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
}

// Evidence is that of a target.
type Evidence interface {
	Source
	// Around returns the answers to the controls before and after a probe that should be refused; nil for one that is
	// not there.
	Around(exchange.Probe) (before, after *exchange.Exchange)
}
