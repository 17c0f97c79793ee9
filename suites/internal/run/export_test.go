package run

import "context"

// JudgeLarge takes the turn of judging a large body, as the judging of another one does.
func (r *Run) JudgeLarge(ctx context.Context) (release func(), err error) {
	return r.memory.acquire(ctx)
}
