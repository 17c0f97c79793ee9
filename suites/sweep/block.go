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

// flow checks all users, block by block. While the end of a block is judged, the next one is asked already.
func (s *Sweep) flow(ctx context.Context) error {
	all := &feed{rows: make(chan *userCheck)}
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
	group, together := errgroup.WithContext(ctx)
	group.SetLimit(s.Settings.Concurrency)
	if b.attempt > maxAskedOnce {
		group.SetLimit(1)
	}
	limits := limits{begun: time.Now(), most: maxUsers, lists: b.lists, refused: map[schemas.Version]int{}}
	if slices.Contains(slices.Collect(maps.Values(b.witnessed)), false) {
		limits.most = firstBlock
	}
	ask := func(u *userCheck) {
		k, attempt := known{b.witnessed, limits.listsLeft()}, b.attempt
		group.Go(func() error {
			return bounded.Guarded(func() error {
				err := s.check(together, k, attempt, u)
				s.asked.Add(1)
				limits.note(u)
				return err
			})
		})
	}
	for _, u := range b.users {
		ask(u)
	}
	for from != nil && b.end == nil && together.Err() == nil && !limits.reached(len(b.users)) {
		timer := time.NewTimer(idle)
		select {
		case u, more := <-from.rows:
			if !more {
				b.end = from.end
				break
			}
			b.users = append(b.users, u)
			ask(u)
		case <-timer.C:
			limits.idle = len(b.users) > 0 // nobody follows for now: those who came count
		case <-together.Done():
		}
		timer.Stop()
		// A block ends early enough before the deadline that its controls can be asked.
		if end, bounded := ctx.Deadline(); bounded && time.Until(end) < min(5*time.Second, s.Settings.Deadline/10) {
			b.end = client.ErrDeadline
		}
	}
	return cmp.Or(group.Wait(), context.Cause(ctx))
}

// limits is how much of a block was asked.
type limits struct {
	begun time.Time
	most  int
	idle  bool

	mu      sync.Mutex
	bytes   int64
	lists   int                     // of identifiers that are still kept
	refused map[schemas.Version]int // answers in a row
}

func (l *limits) reached(users int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.refused {
		if n >= maxRefused {
			return true
		}
	}
	return users >= l.most || l.idle || l.bytes >= maxBytes || users >= minUsers && time.Since(l.begun) > maxTime
}

func (l *limits) listsLeft() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lists
}

// note notes a user who was asked.
func (l *limits) note(u *userCheck) {
	refusing := u.refusing()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes += u.size()
	for i := range u.results {
		r := u.result(i)
		if r.List != "" {
			l.lists--
		}
		for _, v := range r.Served {
			if refusing[v] == 0 {
				l.refused[v] = 0
			}
		}
	}
	for v, n := range refusing {
		l.refused[v] += n
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
