package sweep

import (
	"context"

	"authenticator-conformance/suites/internal/ask/engine"
)

// backlog limits, for each request in flight, how many users may be done before the oldest one that is not. One slow
// user does not hold up the others, and memory is bounded.
const backlog = 64

// flow connects users → workers → collector. Users are checked concurrently, but results are recorded in the
// population's order. So a checkpoint always covers all users before a position and none after it.
func (s *Sweep) flow(ctx context.Context, next func() (*userCheck, error)) error {
	return engine.Ordered[*userCheck, struct{}]{
		Workers: s.Settings.Concurrency,
		Backlog: backlog * s.Settings.Concurrency,
		Next: func(ctx context.Context) (*userCheck, error) {
			u, err := next()
			if err == nil {
				err = s.askFirst(ctx)
			}
			if err != nil {
				return nil, err
			}
			u.first = s.asked[u.user.Index]
			delete(s.asked, u.user.Index)
			if s.record != nil {
				u.recorded, err = s.record.Find(u.user.User) // here, as users come in the population's order
			}
			return u, err
		},
		Do: func(ctx context.Context, u *userCheck) (struct{}, error) { return struct{}{}, s.check(ctx, u) },
		Collector: func(_ context.Context, u *userCheck, _ struct{}) error {
			err := s.collector.add(u)
			if err == nil {
				s.reportProgress(s.collector)
			}
			return err
		},
	}.Run(ctx)
}
