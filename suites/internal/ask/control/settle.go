package control

import (
	"context"
	"errors"
	"slices"
	"sync"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// member is a refusal that waits for the answer to a control.
type member struct {
	ex      *exchange.Exchange
	nothing bool // it may say that the user has nothing (J22)
	err     error
	done    chan struct{}
}

// row is how many refusals of different users, without an answer between, are a burst: they are asked again even if the
// control is served.
const row = 5

// Settle returns the answer that counts for a well-formed request. That is the given one, unless it refuses a user of
// an operation and version that served others, and the target refused everybody at that time. Then the request is sent
// again as soon as the target serves (J23). nothing is true if the answer may say that the user has nothing (J22).
//
// Refusals that come at the same time are settled together, by one control that is asked after all of them.
func (c *Controls) Settle(ctx context.Context, ex *exchange.Exchange, nothing bool) (*exchange.Exchange, error) {
	s := c.states[key{ex.Probe.Operation, ex.Probe.Version}]
	if !c.refuses(ex) || c.control(s, ex.Probe.Version) == nil {
		return ex, nil
	}
	m := &member{ex: ex, nothing: nothing, done: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, m)
	leads := !s.leading
	s.leading = true
	s.mu.Unlock()
	if leads {
		c.settleAll(ctx, s)
	}
	select {
	case <-m.done:
		return m.ex, m.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// settleAll settles refusals until none waits.
func (c *Controls) settleAll(ctx context.Context, s *state) {
	for {
		s.mu.Lock()
		group := s.waiting
		s.waiting, s.leading = nil, len(group) > 0
		s.mu.Unlock()
		if len(group) == 0 {
			return
		}
		err := c.settle(ctx, s, group)
		for _, m := range group {
			m.err = err
			close(m.done)
		}
	}
}

// settle settles a group of refusals.
func (c *Controls) settle(ctx context.Context, s *state, group []*member) error {
	interrupted, err := c.wasInterrupted(ctx, s, group)
	if err != nil {
		return err
	}
	burst := !interrupted && s.isBurst(group)
	if !interrupted && !burst {
		return nil
	}
	defer c.versions[group[0].ex.Probe.Version].close()()
	served := false
	for _, m := range group {
		if burst && m.nothing {
			continue
		}
		before := m.ex
		if err := c.askAgain(ctx, s, m); err != nil {
			return err
		}
		served = served || m.ex != before && !c.refuses(m.ex)
	}
	if burst && served {
		c.interruptions.Add(1)
	}
	return nil
}

// wasInterrupted asks the control and, if that is refused, waits until it is served. It reports whether the refusals
// fell into a time in which the target refused everybody.
func (c *Controls) wasInterrupted(ctx context.Context, s *state, group []*member) (bool, error) {
	if slices.ContainsFunc(group, func(m *member) bool { return c.isInterrupted(m.ex) }) {
		return true, nil
	}
	control := *c.control(s, group[0].ex.Probe.Version)
	refused, err := c.askTogether(ctx, control, len(group))
	if err != nil || refused == nil {
		return false, err
	}
	first := slices.MinFunc(group, func(a, b *member) int { return a.ex.Started.Compare(b.ex.Started) })
	_, err = c.recover(ctx, control, refused, first.ex.Started)
	return true, err
}

// askTogether asks controls, as many at a time as refusals wait for them, until it knows that the target bears the
// requests in flight: a limit in front shows itself. Once a version did, it asks one. It returns an answer that
// refuses, or nil.
func (c *Controls) askTogether(ctx context.Context, control exchange.Probe, together int) (*exchange.Exchange, error) {
	v := c.versions[control.Version]
	load := c.Load
	if v.bears.Load() {
		load, together = 1, 1
	}
	for left := load; left > 0; left -= together {
		answers, errs := make([]*exchange.Exchange, together), make([]error, together)
		var asking sync.WaitGroup
		for i := range answers {
			asking.Go(func() {
				one, err := c.ask(ctx, control)
				answers[i], errs[i] = one.ex, err
			})
		}
		asking.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(answers, c.refuses); i >= 0 {
			return answers[i], nil
		}
	}
	v.bears.Store(true)
	return nil, nil
}

// isBurst reports whether the group is a row of refusals of several users, for the first time. A target that does so
// again, without refusing a control, refuses these users.
func (s *state) isBurst(group []*member) bool {
	users, count := map[exchange.User]bool{}, 0
	for _, m := range group {
		if !m.nothing {
			users[m.ex.Probe.User] = true
			count++
		}
	}
	if count < row || len(users) < 2 || s.forgiven {
		return false
	}
	s.forgiven = true
	return true
}

// askAgain sends a refused request again. A refusal counts if the control after it is served.
func (c *Controls) askAgain(ctx context.Context, s *state, m *member) error {
	for {
		ex, err := c.Send(ctx, m.ex.Probe)
		if err != nil {
			return err
		}
		m.ex = ex
		if !c.refuses(ex) {
			return nil
		}
		control := *c.control(s, ex.Probe.Version)
		after, err := c.ask(ctx, control)
		if err != nil || !c.refuses(after.ex) {
			return err
		}
		if _, err := c.recover(ctx, control, after.ex, ex.Started); err != nil {
			return err
		}
	}
}
