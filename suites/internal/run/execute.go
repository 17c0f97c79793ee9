package run

import (
	"context"
	"errors"
	"io"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
)

// execute sends all requests in the order of J13, J15 and J19. First come well-formed requests, those for the first
// enrolled users before all others. Then come mutations, repetitions of unstable requests, and bad tokens.
func (r *Run) execute(ctx context.Context) error {
	remaining, err := r.readFirst(ctx)
	if err != nil {
		return err
	}
	if err := r.findEligible(ctx); err != nil {
		return err
	}
	if err := r.refused(); err != nil {
		return err
	}
	if err := r.readAll(ctx, remaining); err != nil {
		return err
	}
	if r.live {
		if err := r.unanswered(); err != nil {
			return err
		}
	}
	mutated := r.mutated(r.Ledger.Eligible, false)
	badTokens := r.mutated(r.Ledger.Eligible, true)
	r.next = number(badTokens, number(mutated, r.next))
	r.plan(r.done + len(mutated) + len(badTokens) - r.planned)
	if err := r.sendMutated(ctx, mutated); err != nil {
		return err
	}
	if err := r.readAgain(ctx); err != nil {
		return err
	}
	return r.sendMutated(ctx, badTokens)
}

// unstable is a sequence whose answers differ between calls or between versions.
type unstable struct {
	sequence
	repeated    *engine.Answers
	comparisons []*check.Comparison
	again, back []exchange.Probe
}

// readFirst reads the first enrolled users. The remaining users follow as soon as an answer shows that the target
// serves requests; without one, readFirst returns them unread.
func (r *Run) readFirst(ctx context.Context) (unread []sequence, err error) {
	first, remaining := r.reads()
	r.number(first)
	r.number(remaining)
	sequences := slices.Concat(first, remaining)
	next, started, added, allAdded := each(sequences), 0, 0, make(chan struct{})
	if len(first) == 0 {
		close(allAdded)
	}
	err = inOrder(ctx, r, func(ctx context.Context) (s sequence, err error) {
		if started == len(first) {
			select {
			case <-r.preflight.passed:
			case <-allAdded:
				return s, io.EOF
			case <-ctx.Done():
				return s, context.Cause(ctx)
			}
		}
		started++
		return next(ctx)
	}, r.read, func(ctx context.Context, s sequence, answers *engine.Answers) error {
		if added++; added == len(first) {
			defer close(allAdded)
		}
		return r.add(ctx, s, answers)
	})
	if err != nil {
		return nil, err
	}
	return sequences[min(started, len(sequences)):], nil
}

// readAll runs sequences concurrently, and adds their results to the ledger in the plan's order.
func (r *Run) readAll(ctx context.Context, sequences []sequence) error {
	return inOrder(ctx, r, each(sequences), r.read, r.add)
}

// number sets the ids of the probes of sequences.
func (r *Run) number(sequences []sequence) {
	for _, s := range sequences {
		r.next = number(s.probes, r.next)
	}
}

// read sends the requests of a sequence.
func (r *Run) read(ctx context.Context, s sequence) (*engine.Answers, error) {
	answers := &engine.Answers{}
	return answers, r.engine.Ask(ctx, answers, s.probes)
}

// add adds the answers of a sequence to the ledger. It compares them unless their requests must be repeated.
func (r *Run) add(ctx context.Context, s sequence, repeated *engine.Answers) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) // comparing may take long, so check for the end of the run
	}
	op := s.probes[0].Operation
	r.addPreflight(s.user, op, repeated.Judgements)
	if err := r.Ledger.AddAnswers(s.user, op, repeated.Judgements); err != nil {
		return err
	}
	for _, p := range repeated.Missing {
		r.Ledger.NoteMissing(p)
	}
	if len(r.sends[op].versions) < 2 || len(repeated.Missing) > 0 {
		r.memory.inMemory.Release(repeated.Reserved)
		return nil
	}
	comparisons := r.engine.Compare(repeated)
	size := 0
	for _, j := range repeated.Judgements {
		size += len(j.Answer.Exchange.Body)
	}
	if comparisons == nil && r.waitingBytes+size > maxAtRest {
		comparisons = r.engine.CompareNow(repeated)
	}
	if comparisons != nil {
		r.memory.inMemory.Release(repeated.Reserved)
		return r.Ledger.Compare(op, s.user, comparisons...)
	}
	for _, j := range repeated.Judgements {
		j.Answer.Drop()
	}
	r.waitingBytes += size
	r.unstable = append(r.unstable, &unstable{sequence: s, repeated: repeated})
	return nil
}

// readAgain repeats the unstable sequences: v5, v6 and, if something changed in one version only, also v6, v5, v6, v5
// (J15). Then it adds the comparisons to the ledger.
func (r *Run) readAgain(ctx context.Context) error {
	versions := slices.Clone(r.Settings.Versions)
	slices.Reverse(versions)
	for _, u := range r.unstable {
		u.again = exchange.Rounds(u.probes[0], r.Settings.Versions, 3, 3)
		u.back = exchange.Rounds(u.probes[0], versions, 4, 5)
		// Number both now, so that the ids do not depend on which sequence gets here first.
		r.next = number(u.back, number(u.again, r.next))
		r.plan(len(u.again))
	}
	return inOrder(ctx, r, each(r.unstable), func(ctx context.Context, u *unstable) (before int, err error) {
		before = len(u.repeated.Judgements)
		u.comparisons, err = r.engine.Conclude(ctx, u.repeated, u.again, u.back)
		r.memory.inMemory.Release(u.repeated.Reserved)
		return before, err
	}, func(_ context.Context, u *unstable, before int) error {
		for _, j := range u.repeated.Judgements[before:] {
			if err := r.Ledger.Add(j); err != nil {
				return err
			}
		}
		for _, p := range u.repeated.Missing {
			r.Ledger.NoteMissing(p)
		}
		if len(u.repeated.Missing) > 0 {
			return nil
		}
		return r.Ledger.Compare(u.probes[0].Operation, u.user, u.comparisons...)
	})
}

// findEligible looks for a user for the mutations of operations that are not sent for every user.
func (r *Run) findEligible(ctx context.Context) error {
	for _, user := range r.Settings.Users {
		for _, op := range schemas.Operations() {
			versions := r.sends[op].versions
			if !user.Enrolled || len(versions) == 0 || r.sends[op].all || r.Ledger.WasRead(op, user) ||
				r.eligibleIn(op, versions) {
				continue
			}
			if len(r.preflight.users) >= preflightUsers && r.refused() != nil {
				return nil // execute reports it
			}
			one := []sequence{{user, exchange.Reads(exchange.Probe{Operation: op, User: user}, versions)}}
			r.number(one)
			if err := r.readAll(ctx, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Run) eligibleIn(op schemas.Operation, versions []schemas.Version) bool {
	return !slices.ContainsFunc(versions, func(v schemas.Version) bool {
		_, ok := r.Ledger.Eligible(op, v)
		return !ok
	})
}

// sendMutated sends probes that are not well-formed and judges the answers.
func (r *Run) sendMutated(ctx context.Context, probes []exchange.Probe) error {
	return inOrder(ctx, r, each(probes), func(ctx context.Context, p exchange.Probe) (*spec.Judgement, error) {
		ex, judged, err := r.send(ctx, p)
		if err != nil || ex == nil {
			return nil, err
		}
		if judged != nil {
			defer judged()
		}
		return r.memory.mutated(ctx, r.Suite, ex)
	}, func(_ context.Context, p exchange.Probe, j *spec.Judgement) error {
		if j == nil {
			r.Ledger.NoteMissing(p)
			return nil
		}
		return r.Ledger.Add(j)
	})
}

// each returns a function that returns the jobs one after the other, then io.EOF.
func each[Job any](jobs []Job) func(context.Context) (Job, error) {
	return func(context.Context) (job Job, err error) {
		if len(jobs) == 0 {
			return job, io.EOF
		}
		job, jobs = jobs[0], jobs[1:]
		return job, nil
	}
}

// inOrder runs jobs concurrently and collects results in the order of the jobs. The number of jobs in progress keeps
// all connections busy, but is limited to save memory.
func inOrder[Job, Result any](ctx context.Context, r *Run, next func(context.Context) (Job, error),
	do func(context.Context, Job) (Result, error), collector func(context.Context, Job, Result) error) error {
	workers := 4 * r.Settings.Concurrency
	if r.Settings.Concurrency == 1 {
		workers = 1 // with one request at a time, keep the plan's order
	}
	return engine.Ordered[Job, Result]{Workers: workers, Backlog: backlog * workers, Next: next, Do: do,
		Collector: collector}.Run(ctx)
}

// backlog is how many jobs per worker may finish before an earlier job that is still in progress.
const backlog = 16

// send sends one probe as soon as the concurrency allows, and reports the progress. The exchange is nil if a run is
// judged again and its evidence does not keep it. The request after a large answer waits until that is judged: then
// judged is not nil, and has to be called.
func (r *Run) send(ctx context.Context, p exchange.Probe) (ex *exchange.Exchange, judged func(), err error) {
	if err := r.slots.Acquire(ctx, 1); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	release := func() { r.slots.Release(1) }
	if ex, err = r.receive(ctx, p); ex != nil && len(ex.Body) > large {
		return ex, release, nil
	}
	release()
	return ex, nil, err
}

// receive sends one probe and returns the exchange.
func (r *Run) receive(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	countFaults := r.live && p.WellFormed() // a past run has already ended at its faults
	number := -1
	if countFaults {
		number = r.faults.Begin()
	}
	ex, err := r.sender.Do(ctx, p)
	if errors.Is(err, exchange.ErrNotRecorded) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if countFaults {
		if err := r.recordEnd(number, ex); err != nil {
			return nil, err
		}
		r.pass(ex)
	}
	r.progress()
	return ex, nil
}

// progress counts a finished request and calls Progress.
func (r *Run) progress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, max(r.planned, r.done))
	}
}

// plan adds n unplanned requests to the number of planned ones.
func (r *Run) plan(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned += n
}
