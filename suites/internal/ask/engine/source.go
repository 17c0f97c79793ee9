package engine

import (
	"context"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// Source returns the exchange for a probe: a target answers it, and a record has the answer of an earlier time. An
// error that wraps exchange.ErrNotRecorded means that the record lacks it. Any other ends the run or the sweep.
type Source interface {
	Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error)
}
