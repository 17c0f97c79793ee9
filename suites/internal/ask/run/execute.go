package run

import (
	"context"
	"errors"
	"io"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
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
	if err := r.stoppedAnswering(); err != nil {
		return err
	}
	if err := r.readEarly(ctx); err != nil {
		return err
	}
	negative, badTokens := r.series(r.Ledger.Eligible), r.badTokens(r.Ledger.Eligible)
	r.next = numberSeries(badTokens, numberSeries(negative, r.next))
	r.plan(r.done + count(negative) + count(badTokens) - r.planned)
	if err := r.sendAll(ctx, negative, r.Settings.Concurrency); err != nil {
		return err
	}
	if err := r.stillServes(ctx); err != nil {
		return err
	}
	if err := r.readAgain(ctx); err != nil {
		return err
	}
	return r.sendAll(ctx, badTokens, 1) // one after the other: what follows a lockout must be known
}

// stoppedAnswering returns the error of a target that stopped answering before the end of the reads (J19).
func (r *Run) stoppedAnswering() error {
	if !r.live {
		return nil
	}
	for _, v := range r.Settings.Versions {
		if err := r.unanswered(v); err != nil {
			return err
		}
	}
	return nil
}

// stillServes returns the error of a target that stopped serving at the end of the reads (J23). The controls of the
// probes after them show most that does.
func (r *Run) stillServes(ctx context.Context) error {
	if !r.live {
		return nil
	}
	return r.controls.Finish(ctx)
}

// reading is a sequence with its answers.
type reading struct {
	sequence
	engine.Answers
	first       int                 // how many judgements are of the requests that were planned
	waits       bool                // the answers differ, so requests are repeated when all others were sent
	comparisons []*check.Comparison // nil if nothing can be compared
	again, back []exchange.Probe    // what is sent if the answers differ
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
	}, r.read, func(ctx context.Context, s sequence, read *reading) error {
		if added++; added == len(first) {
			defer close(allAdded)
		}
		return r.add(ctx, s, read)
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

// read sends the requests of a sequence and compares the answers. If these differ, requests must be repeated: when all
// others were sent or, if the bodies that wait for that are too large, at once.
func (r *Run) read(ctx context.Context, s sequence) (*reading, error) {
	t, read := &turn{run: r}, &reading{sequence: s}
	defer func() { t.end(read) }()
	if err := t.engine().Ask(ctx, &read.Answers, s.probes); err != nil {
		return nil, err
	}
	read.first = len(read.Judgements)
	if len(r.sends[s.probes[0].Operation].versions) < 2 || len(read.Missing) > 0 {
		return read, nil
	}
	if read.comparisons = r.engine.Compare(&read.Answers); read.comparisons != nil {
		return read, nil
	}
	if read.waits = !t.large && r.fits(read); read.waits {
		return read, nil
	}
	r.prepareAgain(read)
	return read, read.conclude(ctx, t)
}

// fits reports whether the bodies of a sequence have room among those that wait for repeated requests, and takes it.
func (r *Run) fits(read *reading) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waitingBytes+read.size() > maxAtRest {
		return false
	}
	r.waitingBytes += read.size()
	return true
}

// size returns the number of bytes of the bodies of a sequence.
func (read *reading) size() (size int) {
	for _, j := range read.Judgements {
		size += len(j.Answer.Exchange.Body)
	}
	return size
}

// prepareAgain numbers the requests that are sent if the answers differ: v5, v6 and, if something changed in one
// version only, also v6, v5, v6, v5 (J15). A version that is read from a record has no more calls.
func (r *Run) prepareAgain(read *reading) {
	versions := r.Settings.Asked()
	read.again = exchange.Rounds(read.probes[0], versions, 3, 3)
	if len(versions) == len(r.Settings.Versions) { // else what changes in one version is left out (J15)
		slices.Reverse(versions)
		read.back = exchange.Rounds(read.probes[0], versions, 4, 5)
	}
	r.plan(len(read.again))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = number(read.back, number(read.again, r.next))
}

// conclude repeats the requests and compares all answers.
func (read *reading) conclude(ctx context.Context, t *turn) (err error) {
	read.waits = false
	read.comparisons, err = t.engine().Conclude(ctx, &read.Answers, read.again, read.back)
	return err
}

// add adds the answers of a sequence to the ledger, and the comparison unless requests must be repeated.
func (r *Run) add(ctx context.Context, s sequence, read *reading) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	op := s.probes[0].Operation
	r.addPreflight(s.user, op, read.Judgements[:read.first])
	if r.live && !r.begun && len(r.early) < maxEarly && slices.ContainsFunc(read.probes, r.controls.IsEarly) &&
		r.fits(read) {
		r.Ledger.NoteRead(s.user, op, read.Judgements[:read.first])
		r.early = append(r.early, read)
		return nil
	}
	if err := r.Ledger.AddAnswers(s.user, op, read.Judgements[:read.first]); err != nil {
		return err
	}
	if read.waits {
		r.unstable = append(r.unstable, read)
		return nil
	}
	return r.addCompared(read)
}

// maxEarly is how many sequences wait for an operation that has served nobody yet.
const maxEarly = 1000

// readEarly adds the answers to the requests that were refused before their operation served anybody. If it began to
// serve late, they are sent again (J23).
func (r *Run) readEarly(ctx context.Context) error {
	r.begun = true
	var again []sequence
	late := len(r.early) > 0 && r.controls.WasLate()
	for _, read := range r.early {
		r.waitingBytes -= read.size()
		if late {
			again = append(again, read.sequence)
			r.plan(len(read.probes))
		} else if err := r.add(ctx, read.sequence, read); err != nil {
			return err
		}
	}
	r.number(again)
	return r.readAll(ctx, again)
}

// addCompared adds the answers to repeated requests to the ledger, what the evidence lacks, and the comparison.
func (r *Run) addCompared(read *reading) error {
	for _, j := range read.Judgements[read.first:] {
		if err := r.Ledger.Add(j); err != nil {
			return err
		}
	}
	for _, p := range read.Missing {
		r.Ledger.NoteMissing(p)
	}
	if len(read.Missing) > 0 {
		return nil
	}
	return r.Ledger.Compare(read.probes[0].Operation, read.user, read.comparisons...)
}

// readAgain repeats the requests of the unstable sequences, and adds the comparisons to the ledger.
func (r *Run) readAgain(ctx context.Context) error {
	for _, read := range r.unstable {
		r.prepareAgain(read) // all now, so that the ids do not depend on which sequence gets here first
	}
	return inOrder(ctx, r, each(r.unstable), func(ctx context.Context, read *reading) (*reading, error) {
		t := &turn{run: r}
		defer func() { t.end(read) }()
		return read, read.conclude(ctx, t)
	}, func(_ context.Context, read, _ *reading) error { return r.addCompared(read) })
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

// receive sends one probe and returns the exchange that counts for it (J23). It returns nil if a run is judged again
// and its evidence does not have the exchange.
func (r *Run) receive(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if !r.live { // a past run has already ended at its faults, and its last exchange of a probe is the one that counts
		ex, err := r.sender.Do(ctx, p)
		if errors.Is(err, exchange.ErrNotRecorded) {
			return nil, nil
		}
		if err == nil {
			r.progress()
		}
		return ex, err
	}
	if record := r.Records[p.Version]; record != nil {
		return r.readRecord(ctx, record, p)
	}
	if err := r.controls.Wait(ctx, p.Version); err != nil {
		return nil, err
	}
	number := -1
	if p.WellFormed() {
		number = r.faults[p.Version].Begin()
	}
	ex, err := r.sender.Do(ctx, p)
	if err == nil && p.WellFormed() && requests.Concerns(ex) {
		r.controls.NoteFirst(ex)
		ex, err = r.controls.Settle(ctx, ex, ex.IsEmptyList())
	}
	if err != nil {
		return nil, err
	}
	if p.WellFormed() {
		if err := r.recordEnd(number, ex); err != nil {
			return nil, err
		}
		r.pass(ex)
	}
	r.progress()
	return ex, nil
}

// readRecord returns the recorded exchange for a probe, and puts it into the evidence; nil if the record lacks it.
func (r *Run) readRecord(ctx context.Context, record engine.Source, p exchange.Probe) (*exchange.Exchange, error) {
	ex, err := record.Do(ctx, p)
	if errors.Is(err, exchange.ErrNotRecorded) {
		return nil, nil
	}
	if err == nil && r.Client.Recorder != nil {
		r.Client.Recorder.Sent(r.Client.Recorder.Sending(), ex, "")
	}
	return ex, err
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
