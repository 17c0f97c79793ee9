package asker

import (
	"context"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Outage is a service whose controls were refused (J23 c).
type Outage struct {
	of       service
	timeline Timeline
}

// AnyRefused asks the control of each operation and version that served anybody, each at most twice. It returns one
// that was refused both times; nil if there is none.
func (a *Asker) AnyRefused(ctx context.Context) (*Outage, error) {
	for _, v := range schemas.InOrder(a.silent) {
		for _, op := range schemas.Operations() {
			o := &Outage{of: service{op, v}}
			if a.services[o.of].users[0].Version == "" {
				continue
			}
			for o.timeline.Asked < tries && !o.timeline.Served {
				p, _ := a.control(o.of, o.timeline.Asked)
				ex, err := a.askControl(ctx, p)
				if err != nil {
					return nil, err
				}
				o.timeline = o.timeline.With(ex, !refuses(a.Suite, ex))
			}
			if !o.timeline.Served {
				return o, nil
			}
			a.services[o.of].at = a.Clock.Now()
		}
	}
	return nil, nil
}

// Outlast waits until the target serves again. If it does not, the error is a *Refusal.
func (a *Asker) Outlast(ctx context.Context, o *Outage) error {
	_, err := a.settle(ctx, o.of, o.timeline, nil, nil)
	return err
}

// CatchUp waits for a replica that shows a change of the data later, before those calls that are the last of a lookup
// (J15).
func (a *Asker) CatchUp(ctx context.Context) error {
	return sleep(ctx, a.Clock, a.gate.scaled(replicaLags))
}

// replicaLags is how long CatchUp waits.
const replicaLags = 100 * time.Millisecond

// Interrupted returns an outage that is over: the target serves again.
func (a *Asker) Interrupted() *Outage {
	v := a.Settings.Asked()[0]
	return &Outage{of: service{schemas.GetUserAuth, v}, timeline: Timeline{Asked: tries + 1, Served: true}}
}

// Refuses reports whether the answer to a well-formed request refuses it by its look, or there is none (J23).
func (a *Asker) Refuses(ex *exchange.Exchange) bool { return refuses(a.Suite, ex) }

// KeepsRefusing returns the error of a target that refuses everybody again and again.
func (a *Asker) KeepsRefusing(o *Outage) error { return a.refusesEverybody(o.of, o.timeline) }
