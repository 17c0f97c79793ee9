package sweep

import (
	"context"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/population"
)

// backlog limits, for each request in flight, how many users may be done before the oldest one that is not. One slow
// user does not hold up the others, and memory is bounded.
const backlog = 64

// job is one user on the way through a sweep.
type job struct {
	user   population.Row
	read   position        // up to and including this user
	late   bool            // the user is asked once more, at the end
	with   context.Context // carries the user's part of the budget of requests
	end    func()          // returns what is left of that part
	result *result
}

// flow connects users → workers → collector. Users are checked concurrently, but results are recorded in the
// population's order. So a checkpoint always covers all users before a position and none after it.
func (s *Sweep) flow(ctx context.Context, source *source, collector *collector) error {
	return engine.Ordered[job, *result]{
		Workers: s.Settings.Concurrency,
		Backlog: backlog * s.Settings.Concurrency,
		Next: func(ctx context.Context) (job, error) {
			user, err := source.next()
			if err != nil {
				return job{}, err
			}
			// In the population's order, like the results: if the budget is too small for all, the first users get it.
			with, end, err := s.throttle.Begin(ctx)
			return job{user: user, read: source.position(), late: source.late, with: with, end: end}, err
		},
		Do: func(_ context.Context, t job) (*result, error) {
			defer t.end()
			return s.check.user(t.with, t.user)
		},
		Collector: func(_ context.Context, t job, r *result) error {
			t.result = r
			if err := collector.add(&t); err != nil {
				return err
			}
			s.reportProgress(collector)
			return nil
		},
		End: source.close, // only after the last user was read: the reader may still be waiting for standard input
	}.Run(ctx)
}
