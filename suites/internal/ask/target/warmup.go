package target

import (
	"context"
	"sync/atomic"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// warmUp lets one request at a time go to an operation of a version until it has answered one. A service that starts
// slowly, or compiles an operation when it is first called, gives that first answer after the time-out: the request is
// sent again for as long as warmUpTimes time-outs, and no request before the first answer is a finding (J19).
type warmUp struct {
	over  atomic.Bool
	turn  chan struct{} // holds the turn of the request that may be sent
	begun time.Time     // when the first request was sent; only who has the turn uses it
}

const warmUpTimes = 3

func newWarmUps() map[schemas.Operation]*warmUp {
	all := map[schemas.Operation]*warmUp{}
	for _, op := range schemas.Operations() {
		all[op] = &warmUp{turn: make(chan struct{}, 1)}
		all[op].turn <- struct{}{}
	}
	return all
}

// warmUp sends a probe to an operation of a version that has not answered yet.
func (c *Client) warmUp(ctx context.Context, w *warmUp, p exchange.Probe) (*exchange.Exchange, error) {
	select {
	case <-w.turn:
		defer func() { w.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if w.over.Load() {
		return c.send(ctx, p)
	}
	if w.begun.IsZero() {
		w.begun = time.Now()
	}
	for {
		ex, err := c.send(ctx, p)
		late := err == nil && ex.Fault != nil && ex.Fault.Kind == exchange.Timeout
		if again := late && time.Since(w.begun) < warmUpTimes*c.settings.Timeout-c.settings.Timeout/2; again {
			c.resent.Add(1)
			continue
		}
		w.over.Store(err == nil && (ex.Answered() || late))
		return ex, err
	}
}
