package sweep

import (
	"context"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/stats"
)

// ahead is how many users may be done before the first of them that is not, for each request in flight: one slow user
// does not hold up the others, and what is held is bounded.
const ahead = 64

// turn is a user's way through a sweep.
type turn struct {
	user population.Row
	read stats.Population // up to and with this user
	with context.Context  // bears the user's part of the budget
	end  func()           // gives back what is left of that
	seen *seen
}

// flow is users → workers → keeper. The users are looked at side by side, and what came of them is kept in the
// population's order, so that all before a place have been looked at, and none after it.
func (w *Sweep) flow(ctx context.Context, source *source, keep *keeper) error {
	return engine.Ordered[turn, *seen]{
		Workers: w.Settings.Concurrency,
		Ahead:   ahead * w.Settings.Concurrency,
		Next: func(ctx context.Context) (turn, error) {
			user, err := source.next()
			if err != nil {
				return turn{}, err
			}
			// In the population's order, for in that order the results are kept: a budget that is enough for few is for the
			// first.
			with, end, err := w.pace.Begin(ctx)
			return turn{user: user, read: source.read(), with: with, end: end}, err
		},
		Do: func(_ context.Context, t turn) (*seen, error) {
			defer t.end()
			return w.eye.user(t.with, t.user)
		},
		Collect: func(_ context.Context, t turn, s *seen) error {
			t.seen = s
			if err := keep.add(&t); err != nil {
				return err
			}
			w.tell(keep)
			return nil
		},
		End: source.close, // not before the last user was read: a standard input may be waited for when the sweep ends
	}.Run(ctx)
}
