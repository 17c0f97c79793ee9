package sweep

import (
	"context"
	"net/http"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/stats"
)

// Checker checks users of whom each version answers the same at every call.
type Checker struct {
	check  checker
	bodies map[schemas.Version][]byte
}

// NewChecker returns a Checker without rules, waivers or secrets.
func NewChecker(suite *spec.Suite) *Checker {
	e := &Checker{}
	e.check.suite, e.check.sweep = suite.WellFormedOnly(), &Sweep{out: sanitize.Of()}
	e.check.pair = suite.Contract.Pairs[0]
	e.check.send = func(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
		return &exchange.Exchange{Probe: p, Status: http.StatusOK, Header: http.Header{}, Body: e.bodies[p.Version]},
			nil
	}
	return e
}

// Look checks one user and operation. witnessed is true if an earlier answer disclosed data.
func (c *Checker) Look(u population.Row, op schemas.Operation, v5, v6 []byte, witnessed bool) (stats.Result, error) {
	c.bodies = map[schemas.Version][]byte{schemas.V5: v5, schemas.V6: v6}
	for i := range c.check.witnessed {
		c.check.witnessed[i].Store(witnessed)
	}
	p := comparison{checker: &c.check, userCheck: &userCheck{user: u}, op: op,
		operation: slices.Index(schemas.Operations(), op)}
	return p.check(context.Background())
}

// CheckpointWithout writes a checkpoint into a folder although the findings there can't be brought to the disk any
// more.
func CheckpointWithout(folder string) error {
	findings, err := checkpoint.Begin(folder, nil, checkpoint.Header{})
	if err != nil {
		return nil
	}
	findings.Close()
	w := &Sweep{Settings: &settings.Settings{ReportDir: folder}}
	return (&checkpointer{collector: &collector{sweep: w, findings: findings}}).write([]byte("{}"))
}

// NewSender tells faults from outages over something that brings answers.
func NewSender(concurrency int, do func(p exchange.Probe) (*exchange.Exchange, error)) func(context.Context,
	exchange.Probe) (*exchange.Exchange, error) {
	return newSender(schemas.Versions(), concurrency, func(_ context.Context, p exchange.Probe) (*exchange.Exchange,
		error) {
		return do(p)
	}).send
}
