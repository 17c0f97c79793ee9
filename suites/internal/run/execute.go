package run

import (
	"context"
	"errors"
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
)

// execute sends everything in the order that J13 and J15 give: well-formed requests, altered ones, what must be asked
// again, bad tokens.
func (r *Run) execute(ctx context.Context) error {
	r.plan(len(r.Plan()))
	chains := r.reads()
	for i := range chains {
		r.next = number(chains[i].probes, r.next)
	}
	book := newBook(r)
	if err := r.sendChains(ctx, chains, book); err != nil {
		return err
	}
	if err := r.findFit(ctx, book); err != nil {
		return err
	}
	if r.live {
		if err := r.streak.unanswered(); err != nil {
			return err
		}
	}
	altered := r.altered(book.fit, false)
	tokens := r.altered(book.fit, true)
	r.next = number(tokens, number(altered, r.next))
	r.plan(r.done + len(altered) + len(tokens) - r.planned)
	if err := r.sendAltered(ctx, altered); err != nil {
		return err
	}
	if err := r.askAgain(ctx, book); err != nil {
		return err
	}
	return r.sendAltered(ctx, tokens)
}

// sendChains sends chains side by side, within the concurrency; their judgements reach the book in the plan's order.
func (r *Run) sendChains(ctx context.Context, chains []chain, book *book) error {
	done := inOrder(len(chains), func(i int, c *chainResult) error { return book.add(chains[i], c) })
	return r.each(ctx, len(chains), func(ctx context.Context, i int) error {
		result, err := r.sendChain(ctx, chains[i].probes, nil)
		if err != nil {
			return err
		}
		return done(i, result)
	})
}

// findFit looks for a user for the altered probes where the run, narrowed by a filter, read only the first.
func (r *Run) findFit(ctx context.Context, book *book) error {
	if r.wantsReads() {
		return nil
	}
	versions := r.readVersions()
	for _, user := range r.Settings.Users {
		for _, op := range schemas.Operations() {
			if !user.Enrolled || book.knows(op, user) || !r.wantsOperation(op) || book.fitIn(op, versions) {
				continue
			}
			c := chain{user, exchange.Reads(exchange.Probe{Operation: op, User: user}, versions)}
			r.next = number(c.probes, r.next)
			if err := r.sendChains(ctx, []chain{c}, book); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendAltered sends probes that are not well-formed and judges what comes back.
func (r *Run) sendAltered(ctx context.Context, probes []exchange.Probe) error {
	add := inOrder(len(probes), func(i int, j *judge.Judgement) error {
		if j == nil {
			r.Ledger.Lack(probes[i])
			return nil
		}
		return r.Ledger.Add(j)
	})
	return r.each(ctx, len(probes), func(ctx context.Context, i int) error {
		ex, err := r.send(ctx, probes[i])
		switch {
		case err != nil:
			return err
		case ex == nil:
			return add(i, nil)
		}
		return add(i, r.memory.altered(r.judge, ex))
	})
}

// send sends one probe when a slot is free, and tells the progress. The exchange is nil where the evidence, of a run that is
// judged again, does not keep it.
func (r *Run) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if err := r.slots.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	defer r.slots.Release(1)
	watched := r.live && p.WellFormed() // past faults ended their run already, where they did
	turn := -1
	if watched {
		turn = r.streak.begin()
	}
	ex, err := r.sender.Do(ctx, p)
	if errors.Is(err, exchange.ErrNotKept) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if watched {
		if err := r.streak.end(turn, ex); err != nil {
			return nil, err
		}
	}
	r.progress()
	return ex, nil
}

// progress counts a request done, and tells whoever wants to know.
func (r *Run) progress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, max(r.planned, r.done))
	}
}

// plan counts requests that were not foreseen.
func (r *Run) plan(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned += n
}

// each does n things side by side: enough of them to keep all slots busy although the steps of one follow each other, few
// enough to bound what is held. The first error ends the others.
func (r *Run) each(ctx context.Context, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	size := 4 * r.Settings.Concurrency
	if r.Settings.Concurrency == 1 {
		size = 1 // one request at a time goes in the plan's order
	}
	window := make(chan struct{}, size)
	var wait sync.WaitGroup
	for i := range n {
		select {
		case window <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-window }()
			if err := guarded(func() error { return do(ctx, i) }); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// inOrder passes results on in the order of their numbers, whatever the order in which they come.
func inOrder[T any](n int, take func(int, T) error) func(int, T) error {
	var mu sync.Mutex
	waiting := make(map[int]T)
	next := 0
	return func(i int, result T) error {
		mu.Lock()
		defer mu.Unlock()
		waiting[i] = result
		for next < n {
			ready, ok := waiting[next]
			if !ok {
				return nil
			}
			delete(waiting, next)
			if err := take(next, ready); err != nil {
				return err
			}
			next++
		}
		return nil
	}
}
