package target

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// lane is what requests that are sent one after the other have in common: a context with a deadline that is set anew
// for each, and the trace of their connection. To make these for every request is a tenth of what a sweep spends on it.
type lane struct {
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	done   chan answer // of the request under way

	// Of the request under way. net/http may still see an answer begin while it gives up waiting for it.
	reused, begun atomic.Bool
}

func newLane(parent context.Context, timeout time.Duration) *lane {
	l := &lane{parent: parent, done: make(chan answer, 1)}
	l.ctx, l.cancel = context.WithCancelCause(parent)
	l.ctx = httptrace.WithClientTrace(l.ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			l.reused.Store(info.Reused)
			if info.Reused {
				rest(info.Conn)
			}
		},
		GotFirstResponseByte: func() { l.begun.Store(true) },
	})
	l.timer = time.AfterFunc(timeout, func() { l.cancel(context.DeadlineExceeded) })
	return l
}

// lanes keeps those that no request is on.
type lanes struct {
	mu   sync.Mutex
	free []*lane
}

// enter gives a lane of a context on which a request has so much time from now on.
func (l *lanes) enter(ctx context.Context, timeout time.Duration) *lane {
	l.mu.Lock()
	for len(l.free) > 0 {
		last := len(l.free) - 1
		lane := l.free[last]
		l.free = l.free[:last]
		if lane.parent == ctx {
			l.mu.Unlock()
			lane.reused.Store(false)
			lane.begun.Store(false)
			lane.timer.Reset(timeout)
			return lane
		}
		lane.cancel(nil) // of a context that is gone
	}
	l.mu.Unlock()
	return newLane(ctx, timeout)
}

// leave takes a lane whose request has ended, and tells whether its time had run out. Only a lane on which all went
// well is used again: of another one something may still be under way.
func (l *lanes) leave(lane *lane, well bool) (late bool) {
	late = !lane.timer.Stop()
	if late || !well {
		lane.cancel(nil)
		return late
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, lane)
	return false
}

func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lane := range l.free {
		lane.cancel(nil)
	}
	l.free = nil
}
