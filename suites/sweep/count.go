package sweep

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/report/stats"
)

// askAgain waits until the target serves again, and asks a block again, until it counts.
func (s *Sweep) askAgain(ctx context.Context, b *block, outage *asker.Outage) (err error) {
	for outage != nil {
		s.waiting.Store(true)
		s.reportProgress(s.collector)
		err := s.asker.Outlast(ctx, outage)
		s.waiting.Store(false)
		if err == nil && b.attempt >= maxAttempts {
			err = s.asker.KeepsRefusing(outage)
		}
		if err != nil {
			return err
		}
		again := b.again()
		s.asked.Store(0)
		if err := s.askBlock(ctx, again, nil); err != nil {
			return err
		}
		b.users, b.attempt = again.users, again.attempt
		if outage, err = s.count(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// count asks at the end of a block what is to be asked again and, if the controls are served, counts it. The outage is
// nil if it counts.
func (s *Sweep) count(ctx context.Context, b *block) (*asker.Outage, error) {
	if len(b.users) == 0 {
		return nil, nil
	}
	if err := s.noteAnswers(b); err != nil {
		return nil, err
	}
	open := slices.DeleteFunc(slices.Clone(b.users), func(u *userCheck) bool { return !u.isOpen() })
	if len(open) > 0 {
		if outage, err := s.asker.AnyRefused(ctx); outage != nil || err != nil {
			return outage, err
		}
	}
	if err := s.finish(ctx, open); err != nil {
		return nil, err
	}
	if b.attempt == 1 && wasInterrupted(b.users) {
		return s.asker.Interrupted(), nil
	}
	if outage, err := s.asker.AnyRefused(ctx); outage != nil || err != nil {
		return outage, err
	}
	if b.attempt <= maxAskedOnce {
		if served, err := s.servesWhoHasNothing(ctx, b.users); err != nil {
			return nil, err
		} else if served {
			return s.asker.Interrupted(), nil
		}
	}
	for _, u := range b.users {
		if err := s.collector.add(u); err != nil {
			return nil, err
		}
	}
	last := b.users[len(b.users)-1]
	s.collector.Read = s.source.readUpTo(last.user.Index+1, last.sum)
	s.asked.Add(-int64(len(b.users)))
	s.reportProgress(s.collector)
	return nil, s.collector.save()
}

// wasInterrupted reports whether an operation of a version refused everybody for a while within a block: several users,
// without another one who was served between, and none of them again, while others were never refused. Such a block is
// asked again, but once.
func wasInterrupted(users []*userCheck) bool {
	first, last, spared, several := map[service]call{}, map[service]call{}, map[service]bool{}, 0
	for _, u := range users {
		if u.stays {
			return false
		}
		refused, counts := u.refusedBy(), false
		for _, c := range u.calls {
			if !refused[c.service] {
				spared[c.service] = spared[c.service] || u.wasServedBy(c.service)
				continue
			}
			if !c.refused || c.early {
				continue
			}
			counts = true
			if f, known := first[c.service]; !known || c.ended().Before(f.ended()) {
				first[c.service] = c
			}
			if c.started.After(last[c.service].started) {
				last[c.service] = c
			}
		}
		if counts {
			several++
		}
	}
	for by := range first {
		if !spared[by] {
			return false // it refuses everybody at the first call, which is no interruption
		}
	}
	return several > 1 && !slices.ContainsFunc(users, func(u *userCheck) bool {
		return slices.ContainsFunc(u.calls, func(c call) bool {
			f, refuses := first[c.service]
			return refuses && !c.refused && u.wasServedBy(c.service) &&
				c.started.After(f.ended()) && c.ended().Before(last[c.service].started)
		})
	})
}

// leastInRow is how many users in a row have nothing before one of them is asked again: fewer are ordinary.
const leastInRow = 3

// servesWhoHasNothing asks, for each operation, the middle one of the most users in a row who have nothing once more,
// and reports whether that user is served now: then nothing was all that everybody got for a while.
func (s *Sweep) servesWhoHasNothing(ctx context.Context, users []*userCheck) (bool, error) {
	for i, op := range schemas.Operations() {
		row := mostWithNothing(users, i)
		if len(row) < leastInRow {
			continue
		}
		u := row[len(row)/2]
		for _, v := range s.Settings.Asked() {
			p := probeOf(u.user, op, v)
			p.ID, p.Again = exchangeID(u.user.Index, len(u.calls)+1, u.attempt), true
			ex, err := s.asker.Observe(ctx, p)
			if err != nil {
				return false, err
			}
			u.calls = append(u.calls, call{service: service{i, v}, started: ex.Started, took: ex.Duration})
			if s.suite.Serves(ex) {
				return true, nil
			}
		}
	}
	return false, nil
}

// mostWithNothing returns the most users in a row for whom both versions have nothing. Those who are marked enrolled:
// false need not have anything.
func mostWithNothing(users []*userCheck, operation int) (most []*userCheck) {
	var row []*userCheck
	for _, u := range users {
		switch {
		case u.user.EnrolledGiven && !u.user.Enrolled:
			continue
		case u.result(operation).Outcome != stats.NothingAlike:
			row = nil
			continue
		}
		if row = append(row, u); len(row) > len(most) {
			most = row
		}
	}
	return most
}

// noteAnswers notes the last two users of a block whom each operation and version served: their requests are its
// controls. The error is that of a version that answers nobody (J19).
func (s *Sweep) noteAnswers(b *block) error {
	for _, v := range s.Settings.Asked() {
		answered := func(c call) bool { return c.version == v && c.answered }
		if slices.ContainsFunc(b.users, func(u *userCheck) bool { return slices.ContainsFunc(u.calls, answered) }) {
			s.asker.NoteAnswered(v)
		} else if err := s.asker.Unreachable(v); err != nil {
			return err
		}
		for i, op := range schemas.Operations() {
			var last []*userCheck
			for _, equal := range []bool{true, false} { // who was served alike is a better control
				for _, u := range slices.Backward(b.users) {
					if len(last) == 2 {
						break
					}
					if r := u.result(i); slices.Contains(r.Served, v) && (r.Outcome == stats.Equal) == equal {
						last = append(last, u)
					}
				}
			}
			for _, u := range slices.Backward(last) {
				s.asker.Served(probeOf(u.user, op, v), time.Now())
			}
		}
	}
	return nil
}

// finish asks what is open at the end of a block, some users at a time.
func (s *Sweep) finish(ctx context.Context, open []*userCheck) error {
	if len(open) == 0 {
		return nil
	}
	if s.record == nil {
		if err := s.asker.CatchUp(ctx); err != nil {
			return err
		}
	}
	group, together := errgroup.WithContext(ctx)
	group.SetLimit(s.Settings.Concurrency)
	for _, u := range open {
		group.Go(func() error {
			return bounded.Guarded(func() error { return s.finishUser(together, u) })
		})
	}
	return group.Wait()
}
