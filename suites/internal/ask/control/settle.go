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
	nothing bool // it may say that the user has nothing (J1, J22)
	row     *row
	err     error
	done    chan struct{}
}

// row is refusals by arrival, of any operation and version, without another answer of these between.
type row struct {
	counts  map[key]int
	first   exchange.User
	several bool               // users are refused
	last    *exchange.Exchange // the one that ended last
	isBurst bool
}

// burst is how many refusals in a row, of two users or more, are asked again even if the control is served.
const burst = 5

// Settle returns the answer that counts for a well-formed request. That is the given one, unless it refuses a user of
// an operation and version that served others, and the target refused everybody at that time. Then the request is sent
// again as soon as the target serves (J23). nothing is true if the answer may say that the user has nothing (J1, J22).
//
// Refusals that come at the same time are settled together, by one control that is asked after all of them.
func (c *Controls) Settle(ctx context.Context, ex *exchange.Exchange, nothing bool) (*exchange.Exchange, error) {
	switch {
	case !c.refuses(ex):
		c.endRows(ex)
		return ex, nil
	case nothing && ex.IsEmptyList() && !c.isOfBurst(ex):
		return ex, nil
	}
	s := c.states[keyOf(ex)]
	if first := s.first.Load(); first == nil || ex.Started.Before(*first) {
		c.noteEarly(ex.Probe)
	}
	if c.control(s, ex.Probe.Version) == nil {
		return ex, nil
	}
	m := &member{ex: ex, nothing: nothing, row: c.addToRow(ex, nothing), done: make(chan struct{})}
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

// NoteUser notes the answers to requests that need no more than that: both served their user.
func (c *Controls) NoteUser(answers ...*exchange.Exchange) {
	for _, ex := range answers {
		c.states[keyOf(ex)].noteServed(ex)
	}
	c.endRows(answers...)
}

// endRows notes answers that refuse nobody. They say nothing of another operation or version.
func (c *Controls) endRows(answers ...*exchange.Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ex := range answers {
		k := keyOf(ex)
		c.states[k].empty = nil
		if c.row == nil {
			continue
		}
		if delete(c.row.counts, k); len(c.row.counts) == 0 {
			c.row = nil
		}
	}
}

// addToRow adds a refusal to the row that has not ended. What may say that the user has nothing counts in none.
func (c *Controls) addToRow(ex *exchange.Exchange, nothing bool) *row {
	if nothing {
		return &row{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return add(&c.row, ex)
}

// isOfBurst reports whether so many empty lists came in a row that the control is asked. Others are not asked about: a
// user may have nothing (J22).
func (c *Controls) isOfBurst(ex *exchange.Exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return add(&c.states[keyOf(ex)].empty, ex).isBurst
}

// endEmpty ends a row of empty lists: a control was served after them.
func (c *Controls) endEmpty(s *state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.empty = nil
}

// add adds a refusal to a row, or begins one.
func add(r **row, ex *exchange.Exchange) *row {
	if *r == nil {
		*r = &row{counts: map[key]int{}, first: ex.Probe.User, last: ex}
	}
	row := *r
	row.counts[keyOf(ex)]++
	row.several = row.several || ex.Probe.User != row.first
	if ex.Ended().After(row.last.Ended()) {
		row.last = ex
	}
	count := 0
	for _, n := range row.counts {
		count += n
	}
	row.isBurst = row.isBurst || count >= burst && row.several
	return row
}

// Finish asks the control of an operation and version once more if its last answers were empty lists, and none has
// served since. An error is a *Refusal if the target has stopped serving.
func (c *Controls) Finish(ctx context.Context) error {
	for k, s := range c.states {
		control := c.control(s, k.version)
		if s.empty == nil || control == nil || s.servedAt().After(s.empty.last.Ended()) {
			continue
		}
		now, err := c.ask(ctx, *control) // one: it is no load that may have emptied the lists
		if err == nil && c.refuses(now.ex) {
			_, err = c.recover(ctx, *control, now.ex)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
	burst := !interrupted && c.isBurst(s, group)
	if !interrupted && !burst {
		c.stands.Store(true)
		return nil
	}
	for _, v := range c.versions { // a limit in front may count the requests of all
		defer v.close()()
	}
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
// fell into a time in which the target refused everybody, perhaps one that ended before the control was asked.
func (c *Controls) wasInterrupted(ctx context.Context, s *state, group []*member) (bool, error) {
	if slices.ContainsFunc(group, func(m *member) bool { return c.isInterrupted(m.ex) }) {
		return true, nil
	}
	control := *c.control(s, group[0].ex.Probe.Version)
	own := c.versions[control.Version]
	if own.fails.Load() {
		return false, nil
	}
	refused, err := c.askTogether(ctx, control)
	if err != nil || refused == nil {
		c.endEmpty(s)
		return slices.ContainsFunc(group, func(m *member) bool { return c.interruptedSince(m.ex.Started) }), err
	}
	_, err = c.recover(ctx, control, refused)
	return !own.fails.Load(), err
}

// askTogether asks controls, as many at a time as requests may be in flight, until it knows that the target bears them:
// a limit in front shows itself. Once a version did, it asks one. It returns an answer that refuses, or nil.
func (c *Controls) askTogether(ctx context.Context, control exchange.Probe) (*exchange.Exchange, error) {
	v := c.versions[control.Version]
	together := c.Concurrency
	load := max(5, 2*together)
	if v.bears.Load() {
		load, together = 1, 1
	}
	c.alone.Lock()
	defer c.alone.Unlock()
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

// isBurst reports whether a refusal of the group is of a burst, the first one, which ends now. A target that does so
// again, without refusing a control, refuses these users.
func (c *Controls) isBurst(s *state, group []*member) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range group {
		if m.row.isBurst && (s.forgiven == nil || s.forgiven == m.row) {
			s.forgiven = m.row
			if c.row == m.row {
				c.row = nil
			}
			return true
		}
	}
	return false
}

// confirmations is how often a request is refused, each time with its control served after it, until that counts, and
// rounds how often it is sent in all.
const (
	confirmations = 2
	rounds        = 6
)

// askAgain sends a refused request again. A refusal counts if it comes again, and the control after it is served.
func (c *Controls) askAgain(ctx context.Context, s *state, m *member) error {
	for confirmed, round := 0, 0; confirmed < confirmations && round < rounds; round++ {
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
		if err != nil {
			return err
		}
		if !c.refuses(after.ex) {
			confirmed++
			continue
		}
		if _, err := c.recover(ctx, control, after.ex); err != nil {
			return err
		}
	}
	return nil
}
