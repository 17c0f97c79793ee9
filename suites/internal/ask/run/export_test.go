package run

import "context"

// JudgeLarge takes the turn of judging large answers, as those of one user do.
func (r *Run) JudgeLarge(ctx context.Context) (release func(), err error) {
	return func() { r.turns.Release(1) }, r.turns.Acquire(ctx, 1)
}
