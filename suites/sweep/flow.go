package sweep

import (
	"context"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/stats"
)

// backlog is how many users may be done before the first of them that is not, for each request in flight: one slow user
// does not hold up the others, and what is held is bounded.
const backlog = 64

// job is a user's way through a sweep.
type job struct {
	user   population.Row
	read   stats.Population // up to and with this user
	with   context.Context  // bears the user's part of the budget
	end    func()           // gives back what is left of that
	result *result
}

// flow is users → workers → keeper. The users are looked at side by side, and what came of them is kept in the
// population's order, so that all before a place have been looked at, and none after it.
func (w *Sweep) flow(ctx context.Context, source *source, keep *collector) error {
	return engine.Ordered[job, *result]{
		Workers: w.Settings.Concurrency,
		Ahead:   backlog * w.Settings.Concurrency,
		Next: func(ctx context.Context) (job, error) {
			user, err := source.next()
			if err != nil {
				return job{}, err
			}
			// In the population's order, for in that order the results are kept: a budget that is enough for few is for the
			// first.
			with, end, err := w.throttle.Begin(ctx)
			return job{user: user, read: source.read(), with: with, end: end}, err
		},
		Do: func(_ context.Context, t job) (*result, error) {
			defer t.end()
			return w.check.user(t.with, t.user)
		},
		Collect: func(_ context.Context, t job, s *result) error {
			t.result = s
			if err := keep.add(&t); err != nil {
				return err
			}
			w.tell(keep)
			return nil
		},
		End: source.close, // not before the last user was read: a standard input may be waited for when the sweep ends
	}.Run(ctx)
}
