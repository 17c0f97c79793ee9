package sweep

import (
	"context"
	"errors"
	"io"
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

// margin is how long before the deadline a block ends, so that its controls can be asked.
func (s *Sweep) margin() time.Duration { return min(5*time.Second, s.Settings.Deadline/10) }

// flow checks all users, block by block. While the end of a block is judged, the next one is asked already.
func (s *Sweep) flow(ctx context.Context) error {
	rows := make(chan *userCheck)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- bounded.Guarded(func() error { return s.readRows(reading, rows) })
		close(rows)
	}()
	var before *block
	for {
		next := &block{known: s.collector.known()}
		asking, drop := context.WithCancel(ctx)
		asked := make(chan error, 1)
		if before == nil || before.end == nil {
			go func() { asked <- bounded.Guarded(func() error { return s.askBlock(asking, next, rows, ended) }) }()
		} else {
			asked <- nil
		}
		outage, err := s.count(ctx, before)
		if outage != nil || err != nil {
			drop()
		}
		err = errors.Join(err, s.await(asked, outage != nil || err != nil))
		drop()
		if err == nil && outage != nil {
			err = s.askAgain(ctx, before, outage)
			next = next.again() // what was asked meanwhile counts for nothing
			if err == nil && before.end == nil {
				err = s.askBlock(ctx, next, rows, ended)
			}
		}
		switch {
		case err != nil:
			return err
		case before != nil && errors.Is(before.end, io.EOF):
			return nil
		case before != nil && before.end != nil:
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

// askBlock asks the users that the block has and, unless its end is known, those who follow, until it is full.
func (s *Sweep) askBlock(ctx context.Context, b *block, rows <-chan *userCheck, ended <-chan error) error {
	b.attempt++
	group, together := errgroup.WithContext(ctx)
	done := make(chan *userCheck, s.Settings.Concurrency+1) // as many end at most until it is drained
	group.SetLimit(s.Settings.Concurrency)
	if b.attempt > maxAskedOnce {
		group.SetLimit(1)
	}
	limits := limits{begun: time.Now(), most: maxUsers, refused: map[schemas.Version]int{}}
	if len(b.witnessed) < len(schemas.Operations()) {
		limits.most = firstBlock
	}
	if end, bounded := ctx.Deadline(); bounded {
		limits.deadline = end.Add(-s.margin())
	}
	ask := func(u *userCheck) {
		limits.drain(done)
		k, attempt := b.known, b.attempt
		k.lists -= limits.lists
		group.Go(func() error {
			return bounded.Guarded(func() error {
				err := s.check(together, k, attempt, u)
				s.asked.Add(1)
				done <- u
				return err
			})
		})
	}
	for _, u := range b.users {
		ask(u)
	}
	for b.end == nil && together.Err() == nil && !limits.reached(b) {
		timer := time.NewTimer(idle)
		select {
		case u, more := <-rows:
			if !more {
				b.end = <-ended
				break
			}
			b.users = append(b.users, u)
			ask(u)
		case u := <-done:
			limits.note(u)
		case <-timer.C:
			if len(b.users) > 0 {
				limits.idle = true // nobody follows for now: those who came count
			}
		case <-together.Done():
		}
		timer.Stop()
		if !limits.deadline.IsZero() && time.Now().After(limits.deadline) {
			b.end = client.ErrDeadline
		}
	}
	var err error
	go func() {
		err = group.Wait()
		close(done)
	}()
	for range done {
		continue
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// limits is how much of a block was asked.
type limits struct {
	begun    time.Time
	deadline time.Time // zero: none
	most     int
	idle     bool
	bytes    int64
	lists    int                     // of identifiers
	refused  map[schemas.Version]int // answers in a row
}

func (l *limits) reached(b *block) bool {
	for _, n := range l.refused {
		if n >= maxRefused {
			return true
		}
	}
	return len(b.users) >= l.most || l.idle || l.bytes >= maxBytes ||
		len(b.users) >= minUsers && time.Since(l.begun) > maxTime
}

// drain notes the users who were asked meanwhile.
func (l *limits) drain(done <-chan *userCheck) {
	for {
		select {
		case u := <-done:
			l.note(u)
		default:
			return
		}
	}
}

// note notes a user who was asked.
func (l *limits) note(u *userCheck) {
	l.bytes += u.size()
	for _, r := range u.results {
		if r != nil && r.List != "" {
			l.lists++
		}
	}
	for v, n := range u.refusing() {
		if l.refused[v] += n; n == 0 {
			l.refused[v] = 0
		}
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
