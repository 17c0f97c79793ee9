package throttle

import (
	"context"
	"sync"
)

// A user takes so many requests at least, and at most: four, and where both operations differ and something is
// restless, three and four more for each.
const (
	leastOfUser = 4
	mostOfUser  = 18
)

// budget is how many requests may still be sent. A part of it is kept for each user who is being looked at, so that
// whoever is begun can be finished: else a small budget would be spent on many users, and nobody's result.
type budget struct {
	mu    sync.Mutex
	free  int64
	users int
	freed chan struct{} // closed when some of it has come back
}

func newBudget(requests int64) *budget { return &budget{free: requests, freed: make(chan struct{})} }

// grant is the part of one user.
type grant struct {
	mu   sync.Mutex
	left int64
}

type grantKey struct{}

// begin keeps a part for a user. ErrBudget says that what is left is enough for nobody.
func (b *budget) begin(ctx context.Context) (context.Context, *grant, error) {
	for {
		b.mu.Lock()
		part, waits := min(b.free, mostOfUser), b.freed
		switch {
		case b.users > 0 && part < mostOfUser:
			b.mu.Unlock() // the others may need less than was kept for them
			select {
			case <-waits:
				continue
			case <-ctx.Done():
				return nil, nil, context.Cause(ctx)
			}
		case part < leastOfUser:
			b.mu.Unlock()
			return nil, nil, ErrBudget
		}
		b.free -= part
		b.users++
		b.mu.Unlock()
		g := &grant{left: part}
		return context.WithValue(ctx, grantKey{}, g), g, nil
	}
}

// end gives back what a user did not need.
func (b *budget) end(g *grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += g.left
	b.users--
	close(b.freed)
	b.freed = make(chan struct{})
}

// spend takes a request out of the part that the context bears, or, where that is used up by requests that were
// throttled, out of what is left for nobody.
func (b *budget) spend(ctx context.Context) bool {
	g, ok := ctx.Value(grantKey{}).(*grant)
	if !ok {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left > 0 {
		g.left--
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free == 0 {
		return false
	}
	b.free--
	return true
}
