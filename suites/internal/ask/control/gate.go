package control

import (
	"context"
	"sync"
)

// gate holds requests back while it is closed. Several may close it; it is open again when all of them opened it.
// The zero value is open.
type gate struct {
	mu      sync.Mutex
	closers int
	opened  chan struct{} // closed when the gate opens; nil while it is open
}

// close closes the gate, and returns the function that opens it again.
func (g *gate) close() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closers++; g.closers == 1 {
		g.opened = make(chan struct{})
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.closers--; g.closers == 0 {
			close(g.opened)
			g.opened = nil
		}
	}
}

func (g *gate) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return nil
		}
		select {
		case <-opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closers > 0
}
