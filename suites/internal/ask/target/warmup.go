package target

import (
	"context"
	"sync/atomic"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// operation is what is known of an operation of a version. Until it has answered one request, it gets one at a time. A
// service that starts slowly, or compiles an operation when it is first called, gives that first answer after the
// time-out, and a gateway in front of it answers 5xx until then. So the request is sent again: for as long as
// warmUpTimes time-outs and, in each version, after as many answers 5xx. No request before that is a finding (J19).
type operation struct {
	warm  atomic.Bool   // it answered, or is not waited for any more
	turn  chan struct{} // holds the turn of the request that may be sent before
	begun time.Time     // when the first request was sent; only who has the turn uses it

	served  atomic.Bool // it answered 2xx
	refuses atomic.Bool // it throttled a request before for as often as that was waited for
}

const warmUpTimes = 3

func newOperations() map[schemas.Operation]*operation {
	all := map[schemas.Operation]*operation{}
	for _, name := range schemas.Operations() {
		all[name] = &operation{turn: make(chan struct{}, 1)}
		all[name].turn <- struct{}{}
	}
	return all
}

// warmUp sends a probe to an operation of a version that has not answered yet.
func (c *Client) warmUp(ctx context.Context, o *operation, p exchange.Probe) (*exchange.Exchange, error) {
	select {
	case <-o.turn:
		defer func() { o.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if o.warm.Load() {
		return c.send(ctx, p)
	}
	if o.begun.IsZero() {
		o.begun = time.Now()
	}
	unready := &c.versions[p.Version].unready
	for {
		ex, err := c.send(ctx, p)
		late := err == nil && ex.Fault != nil && ex.Fault.Kind == exchange.Timeout
		switch {
		case late && time.Since(o.begun) < warmUpTimes*c.settings.Timeout-c.settings.Timeout/2:
		case err == nil && p.WellFormed() && ex.Status/100 == 5 && !ex.Throttled() && unready.Load() < warmUpTimes:
			c.pause.until(time.Now().Add(c.FirstWait << (unready.Add(1) - 1)))
			if err := c.waitUntilSendable(ctx); err != nil {
				return nil, err
			}
		default:
			if err == nil && ex.Answered() && c.First != nil {
				c.First(ex)
			}
			o.warm.Store(err == nil && (ex.Answered() || late))
			return ex, err
		}
		c.resent.Add(1)
	}
}
