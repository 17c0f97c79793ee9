package throttle

import (
	"context"
	"sync"
)

// The least and the most requests that one user needs. It is four; if both operations differ and answers are unstable,
// three and four more for each operation.
const (
	minOfUser = 4
	maxOfUser = 18
)

// budget is the number of requests that may still be sent. A part is reserved for each user whose check has started, so
// that it can be finished. Otherwise a small budget would be spent on many users without a result for any.
type budget struct {
	mu       sync.Mutex
	free     int64
	users    int
	returned chan struct{} // closed when a user returns part of the budget
}

func newBudget(requests int64) *budget { return &budget{free: requests, returned: make(chan struct{})} }

// grant is the part of the budget that is reserved for one user. The budget's mutex guards it.
type grant struct{ left int64 }

type grantKey struct{}

// begin is Throttle.Begin. It returns ErrBudget if the rest is too small for any user.
func (b *budget) begin(ctx context.Context) (with context.Context, end func(), err error) {
	for {
		b.mu.Lock()
		part, waits := min(b.free, maxOfUser), b.returned
		switch {
		case b.users > 0 && part < maxOfUser:
			b.mu.Unlock() // the other users may return some of their parts
			select {
			case <-waits:
				continue
			case <-ctx.Done():
				return nil, nil, context.Cause(ctx)
			}
		case part < minOfUser:
			b.mu.Unlock()
			return nil, nil, ErrBudget
		}
		b.free -= part
		b.users++
		b.mu.Unlock()
		g := &grant{left: part}
		return context.WithValue(ctx, grantKey{}, g), func() { b.end(g) }, nil
	}
}

// end returns the unused part of a user to the budget.
func (b *budget) end(g *grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += g.left
	b.users--
	close(b.returned)
	b.returned = make(chan struct{})
}

// spend takes one request from the part in the context, and reports whether there was one. If throttled requests have
// used that part up, it takes one from the unreserved rest.
func (b *budget) spend(ctx context.Context) bool {
	g, ok := ctx.Value(grantKey{}).(*grant)
	if !ok {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if g.left > 0 {
		g.left--
		return true
	}
	if b.free == 0 {
		return false
	}
	b.free--
	return true
}
