package sweep

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/client"
)

// block is the users between two rounds of controls: they count together, or are asked again (J23 c).
type block struct {
	users   []*userCheck
	end     error // why no user follows: io.EOF after the last one, the deadline, or an error of the users file
	attempt int   // from 1
	known
}

// known is what the users who were counted show, while a block is asked.
type known struct {
	witnessed map[schemas.Operation]bool // both versions disclosed data to somebody: a quick check is enough
	lists     int                        // of identifiers that are still kept (J24)
}

// The bounds of a block. The first one is small, as all its answers go through the full judge.
const (
	maxUsers     = 10_000
	firstBlock   = 20
	maxTime      = 10 * time.Second
	minUsers     = 10
	maxBytes     = 32 << 20
	maxRefused   = 20 // answers of one version in a row that refuse by anything but "nothing"
	idle         = time.Second
	maxAskedOnce = 2 // attempts after which a block is asked one request at a time
	maxAttempts  = 5
)

// feed has the users who follow, in the population's order.
type feed struct {
	rows chan *userCheck
	end  error // why none follows: set before rows is closed
}

// next returns the next user; nil after the last one, or if none came for a second: then ended is false.
func (f *feed) next(ctx context.Context) (u *userCheck, ended bool) {
	select {
	case u, more := <-f.rows: // as nearly always: no timer is needed
		return u, !more
	default:
	}
	timer := time.NewTimer(idle)
	defer timer.Stop()
	select {
	case u, more := <-f.rows:
		return u, !more
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, false
}

// flow checks all users, block by block. While the end of a block is judged, the next one is asked already.
func (s *Sweep) flow(ctx context.Context) error {
	all := &feed{rows: make(chan *userCheck, 64)}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		all.end = bounded.Guarded(func() error { return s.readRows(reading, all.rows) })
		close(all.rows)
	}()
	before := &block{}
	for {
		next, from := &block{known: s.collector.known()}, all
		if before.end != nil {
			from = nil
		}
		asking, drop := context.WithCancel(ctx)
		asked := make(chan error, 1)
		go func() { asked <- bounded.Guarded(func() error { return s.askBlock(asking, next, from) }) }()
		outage, err := s.count(ctx, before)
		dropped := outage != nil || err != nil
		if dropped {
			drop()
		}
		err = errors.Join(err, s.await(asked, dropped))
		drop()
		if err == nil && outage != nil {
			err = s.askAgain(ctx, before, outage)
			next = next.again() // what was asked meanwhile counts for nothing
			if err == nil {
				err = s.askBlock(ctx, next, from)
			}
		}
		switch {
		case err != nil:
			return err
		case errors.Is(before.end, io.EOF):
			return nil
		case before.end != nil:
			return before.end
		}
		before = next
	}
}

// readRows reads the users, and what a record has of them. Before the first one goes on, the first users are asked.
func (s *Sweep) readRows(ctx context.Context, rows chan<- *userCheck) error {
	for {
		u, err := s.source.nextCheck()
		if err == nil && s.given == nil {
			err = s.askFirst(ctx)
		}
		if err == nil && s.record != nil {
			u.recorded, err = s.record.Find(u.user.User) // here, as users come in the population's order
		}
		if err != nil {
			return err
		}
		select {
		case rows <- u:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// again returns the block with its users, to be asked anew.
func (b *block) again() *block {
	next := &block{end: b.end, attempt: b.attempt, known: b.known}
	for _, u := range b.users {
		next.users = append(next.users, u.anew())
	}
	return next
}

// askBlock asks the users that the block has and, unless its end is known or from is nil, those who follow, until it is
// full.
func (s *Sweep) askBlock(ctx context.Context, b *block, from *feed) error {
	b.attempt++
	a := &asking{block: b, from: from, begun: time.Now(), most: maxUsers, lists: b.lists,
		refused: map[schemas.Version]int{}}
	if slices.Contains(slices.Collect(maps.Values(b.witnessed)), false) {
		a.most = firstBlock
	}
	if end, bounded := ctx.Deadline(); bounded { // early enough that the controls of the block can be asked
		a.late = end.Add(-min(5*time.Second, s.Settings.Deadline/10))
	}
	workers := s.Settings.Concurrency
	if b.attempt > maxAskedOnce {
		workers = 1
	}
	group, together := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return bounded.Guarded(func() error { return s.askUsers(together, a) }) })
	}
	return cmp.Or(group.Wait(), context.Cause(ctx))
}

// askUsers asks one user of a block after the other.
func (s *Sweep) askUsers(ctx context.Context, a *asking) error {
	for u, k := a.next(ctx, nil); u != nil; u, k = a.next(ctx, u) {
		if err := s.check(ctx, k, a.attempt, u); err != nil {
			return err
		}
		s.asked.Add(1)
	}
	return nil
}

// asking is a block while several workers ask its users.
type asking struct {
	from  *feed // nil: nobody follows
	begun time.Time
	late  time.Time // when nobody follows any more; zero: never
	most  int

	mu      sync.Mutex
	*block                          // its users and its end
	taken   int                     // users who were taken
	idle    bool                    // nobody follows for now: those who came count
	bytes   int64                   // that wait for the end of the block
	lists   int                     // of identifiers that are still kept
	refused map[schemas.Version]int // answers in a row
}

// next notes a user who was asked, unless it is nil, and takes the next one; nil if the block is full.
func (a *asking) next(ctx context.Context, asked *userCheck) (*userCheck, known) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if asked != nil {
		a.note(asked)
	}
	for a.taken == len(a.users) {
		if ctx.Err() != nil || a.isFull() {
			return nil, known{}
		}
		switch u, ended := a.from.next(ctx); {
		case ended:
			a.end = a.from.end
		case u == nil:
			a.idle = len(a.users) > 0
		default:
			a.users = append(a.users, u)
		}
	}
	a.taken++
	return a.users[a.taken-1], known{a.witnessed, a.lists}
}

// isFull reports whether no other user follows.
func (a *asking) isFull() bool {
	if a.from == nil || a.end != nil || a.idle || len(a.users) >= a.most || a.bytes >= maxBytes {
		return true
	}
	now := time.Now()
	if !a.late.IsZero() && now.After(a.late) {
		a.end = client.ErrDeadline
		return true
	}
	for _, n := range a.refused {
		if n >= maxRefused {
			return true
		}
	}
	return len(a.users) >= minUsers && now.Sub(a.begun) > maxTime
}

// note notes a user who was asked.
func (a *asking) note(u *userCheck) {
	refusing := u.refusing()
	a.bytes += u.size()
	for _, r := range u.results {
		if r == nil {
			continue
		}
		if r.List != "" {
			a.lists--
		}
		for _, v := range r.Served {
			if refusing[v] == 0 {
				delete(a.refused, v)
			}
		}
	}
	for v, n := range refusing {
		a.refused[v] += n
	}
}

// await waits for a block that is being asked, and reports the progress meanwhile. One that was dropped has no error.
func (s *Sweep) await(asked <-chan error, dropped bool) error {
	ticker := time.NewTicker(time.Second / 10)
	defer ticker.Stop()
	for {
		select {
		case err := <-asked:
			if dropped {
				return nil
			}
			return err
		case <-ticker.C:
			s.reportProgress(s.collector)
		}
	}
}
