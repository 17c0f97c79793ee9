package sweep

import (
	"context"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// answering is a target whose answers come from a function. It serves others.
type answering struct {
	*client.Client
	answer func(exchange.Probe) *exchange.Exchange
}

// Send returns the answer of the function, or that to a control.
func (a answering) Send(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if p.Control {
		return &exchange.Exchange{Probe: p, Status: 200, Body: []byte(`{"Flags":1}`)}, nil
	}
	ex := a.answer(p)
	ex.Probe = p
	return ex, nil
}

// CheckUser checks an operation for a user, with answers in place of a target's. witnessed is true if an earlier answer
// disclosed data. It also returns whether some version refused the user, and was asked again at the end.
func (s *Sweep) CheckUser(user users.Row, op schemas.Operation, witnessed bool,
	answer func(exchange.Probe) *exchange.Exchange) (result stats.Result, again bool, err error) {
	ctx, c := context.Background(), s.comparisonOf(user, op, witnessed, answer)
	found, err := c.check(ctx)
	if again = len(c.refused) > 0; err == nil && found == nil {
		found, err = c.finish(ctx)
	}
	if err != nil {
		return result, again, err
	}
	return *found, again, nil
}

// RefusedCalls checks an operation for a user as CheckUser does, and returns the numbers of the calls that count as
// refused when it is told whether a block was interrupted.
func (s *Sweep) RefusedCalls(user users.Row, op schemas.Operation, answer func(exchange.Probe) *exchange.Exchange) (
	list []int, err error) {
	c := s.comparisonOf(user, op, true, answer)
	result, err := c.check(context.Background())
	if err == nil && result == nil {
		_, err = c.finish(context.Background())
	}
	for i, call := range c.calls {
		if call.refused && !call.early {
			list = append(list, i+1)
		}
	}
	return list, err
}

// comparisonOf returns the comparison of an operation for a user, with answers in place of a target's.
func (s *Sweep) comparisonOf(user users.Row, op schemas.Operation, witnessed bool,
	answer func(exchange.Probe) *exchange.Exchange) *comparison {
	waits := *s.Settings
	waits.Timeout = 0 // no service is waited for that starts
	s.asker = asker.New(asker.Options{Client: answering{s.Client, answer}, Suite: s.suite, Settings: &waits,
		FirstWait: time.Nanosecond})
	return &comparison{Sweep: s, userCheck: &userCheck{user: user, attempt: 1}, op: op,
		operation: slices.Index(schemas.Operations(), op),
		known:     known{witnessed: map[schemas.Operation]bool{op: witnessed}}}
}

// CheckpointWithout writes a checkpoint into a folder although the findings there can't be brought to the disk any
// more.
func CheckpointWithout(folder string) error {
	findings, err := record.Open(folder, nil, record.Header{}, nil)
	if err != nil {
		return nil
	}
	findings.Close()
	w := &Sweep{Settings: &settings.Settings{ReportDir: folder}}
	return (&collector{sweep: w, findings: findings}).save()
}
