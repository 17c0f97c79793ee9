package sweep

import (
	"context"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// CheckUser checks an operation for a user, with answers in place of a target's. witnessed is true if an earlier answer
// disclosed data. It also returns whether the user is to be asked once more at the end.
func (s *Sweep) CheckUser(user users.Row, op schemas.Operation, witnessed bool,
	answer func(exchange.Probe) *exchange.Exchange) (result stats.Result, again bool, err error) {
	i := slices.Index(schemas.Operations(), op)
	s.do = func(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
		if p.Control { // the target serves others
			return &exchange.Exchange{Probe: p, Status: 200, Body: []byte(`{"Flags":1}`)}, nil
		}
		ex := answer(p)
		ex.Probe = p
		return ex, nil
	}
	s.Waits = nil // the user is asked at once, also where nobody was served yet
	s.controls = s.newControls()
	for _, v := range s.Settings.Versions {
		s.faults[v] = &engine.Faults{}
	}
	s.witnessed[i].Store(witnessed)
	u := &userCheck{user: user}
	c := comparison{Sweep: s, userCheck: u, op: op, operation: i}
	u.results[i], err = c.check(context.Background())
	return u.results[i], u.isPutOff(i), err
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
	return (&collector{sweep: w, files: []file{findings}}).write([]byte("{}"))
}

// MaxWaiting is the limit of bodies that wait to be stored.
var MaxWaiting = &maxWaiting
