package run

import (
	"context"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/lookup"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// execute sends all requests, one at a time, in the order of J13, J15 and J19. First come well-formed requests: those
// of the first users again, side by side; and those again whose answers differ. Then come mutations, and last bad
// tokens.
func (r *Run) execute(ctx context.Context) error {
	waiting, err := r.readAll(ctx)
	if err == nil {
		waiting, err = r.readSideBySide(ctx, waiting)
	}
	if err == nil {
		waiting, err = r.readAgain(ctx, waiting)
	}
	for _, w := range waiting { // what they showed so far
		if err := r.Ledger.AddAnswers(w.User, w.Operation, w.Calls); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	series := r.series(r.Ledger.Eligible)
	r.next, r.planned = numberSeries(series, r.next), r.done+count(series)
	return r.sendAll(ctx, series)
}

// waiting is a lookup that more requests follow for, when all others were sent.
type waiting struct {
	lookup.Lookup
	sequence
}

// readAll reads all users, and those who are needed for an operation of which not all are. It returns the lookups that
// wait.
func (r *Run) readAll(ctx context.Context) (list []waiting, err error) {
	first, remaining := r.reads()
	all := slices.Concat(first, remaining)
	for _, s := range all {
		r.next = number(s.probes, r.next)
	}
	if err = r.askFirst(ctx, first); err != nil {
		return nil, err
	}
	for i, s := range all {
		if i == 0 || s.user != all[i-1].user {
			r.reconnect()
		}
		if list, err = r.read(ctx, list, s); err != nil {
			return list, err
		}
	}
	if list, err = r.findEligible(ctx, list); err != nil || r.live == nil {
		return list, err
	}
	for _, v := range r.Settings.Asked() {
		if err := r.live.Unreachable(v); err != nil {
			return list, err
		}
	}
	return list, nil
}

// reconnect lets the next request open a connection: one is kept for one user, and for one series (J19).
func (r *Run) reconnect() {
	if r.live != nil {
		r.live.client.Reconnect()
	}
}

// askFirst asks each version for the first enrolled users, until it serves one (J19).
func (r *Run) askFirst(ctx context.Context, first []sequence) error {
	op := r.firstOperation()
	versions := slices.DeleteFunc(slices.Clone(r.sends[op].versions),
		func(v schemas.Version) bool { return r.Settings.Recorded[v] != nil })
	if r.live == nil || len(versions) == 0 {
		return nil
	}
	r.reconnect()
	users := firstEnrolled(r.Settings.Users, asker.FirstUsers)
	return r.live.askFirst(ctx, func(n int, v schemas.Version) (p exchange.Probe, enrolled, ok bool) {
		if n >= len(users) {
			return p, false, false
		}
		p = exchange.Probe{Operation: op, Version: v, Segment: string(v), User: users[n], Round: 1}
		if p.ID = idOf(p, first); p.ID == "" { // it is not planned
			p.ID = "f" + strconv.Itoa(n*len(versions)+slices.Index(versions, v)+1)
		}
		return p, true, true
	}, versions)
}

// idOf returns the id that a probe has in sequences; "" if it is in none.
func idOf(p exchange.Probe, sequences []sequence) string {
	for _, s := range sequences {
		for _, planned := range s.probes {
			p.ID = planned.ID
			if planned == p {
				return p.ID
			}
		}
	}
	return ""
}

// firstOperation is the operation that is asked first: getUserAuth, or what a filter leaves.
func (r *Run) firstOperation() schemas.Operation {
	if len(r.sends[schemas.GetUserAuth].versions) > 0 {
		return schemas.GetUserAuth
	}
	return schemas.FindByUserIDs
}

// read reads a sequence, and adds what it shows to the ledger, unless it waits for more requests: those of the first
// users do, and those whose answers differ. If too large bodies wait, they are asked again at once.
func (r *Run) read(ctx context.Context, list []waiting, s sequence) ([]waiting, error) {
	l, err := r.ask(ctx, lookup.Lookup{User: s.user, Operation: s.probes[0].Operation}, s.probes)
	if err != nil {
		return list, err
	}
	stands := l.StandsStill()
	if stands && len(s.sideBySide) == 0 {
		return list, r.add(l)
	}
	if size := l.Size(); size <= large && r.waitingBytes+size <= maxAtRest {
		r.waitingBytes += size
		r.Ledger.NoteRead(s.user, l.Operation, l.Calls)
		return append(list, waiting{l, s}), nil
	}
	if !stands {
		if l, err = r.again(ctx, l, s); err != nil {
			return list, err
		}
	}
	return list, r.add(l)
}

// large is the size in bytes of a lookup that never waits, and maxAtRest that of all that wait: decoded, a body takes
// up to sixty times the memory of its text (J20).
const (
	large     = 256 << 10
	maxAtRest = 64 << 20
)

// ask asks well-formed requests one after the other, and adds the answers to a lookup.
func (r *Run) ask(ctx context.Context, l lookup.Lookup, probes []exchange.Probe) (lookup.Lookup, error) {
	answers, missing, err := r.source.calls(ctx, probes)
	if err != nil {
		return l, err
	}
	r.progress(len(answers))
	for _, ex := range answers {
		r.isNew(ex)
	}
	return r.reader.With(l, answers, missing...), nil
}

// again asks once more of each version whose answers differ (J15). A version that is read from a record has no more
// calls.
func (r *Run) again(ctx context.Context, l lookup.Lookup, s sequence) (lookup.Lookup, error) {
	round := l.Round() + 1
	probes := exchange.Rounds(s.probes[0], r.Settings.Asked(), round, round)
	r.planned += len(probes)
	r.next = number(probes, r.next)
	if len(probes) == 0 {
		return l, nil
	}
	return r.ask(ctx, l, probes)
}

// add adds a lookup to the ledger: all answers, what the evidence lacks, and the comparison.
func (r *Run) add(l lookup.Lookup) error {
	defer l.Release()
	if err := r.Ledger.AddAnswers(l.User, l.Operation, l.Calls); err != nil {
		return err
	}
	for _, p := range l.Missing {
		r.Ledger.NoteMissing(p)
	}
	if len(l.Missing) > 0 {
		return nil
	}
	return r.Ledger.Compare(l.Operation, l.User, l.Compared...)
}

// sideBySide is how many requests are in flight when those of the first users are sent once more (J15).
const sideBySide = 4

// readSideBySide sends the requests of the first users once more, those of different users side by side, so that a
// fault of that shows. What refuses is only observed: it may be a limit in front. No refusal is waited out: a request
// that is sent again after a wait is not side by side with others.
func (r *Run) readSideBySide(ctx context.Context, list []waiting) ([]waiting, error) {
	var sequences []sequence
	for _, w := range list {
		sequences = append(sequences, w.sequence)
	}
	jobs := crowd(sequences)
	answers := make([]*exchange.Exchange, len(jobs))
	for i := range jobs {
		r.next++
		jobs[i].probe.ID = exchangeID(r.next)
	}
	group, together := errgroup.WithContext(ctx)
	if group.SetLimit(sideBySide); r.live == nil {
		group.SetLimit(1)
	}
	for i, j := range jobs {
		group.Go(func() (err error) {
			answers[i], err = r.source.once(together, j.probe)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return list, err
	}
	r.progress(len(jobs))
	for i, j := range jobs {
		l, ex := &list[j.index].Lookup, answers[i]
		switch {
		case ex == nil && len(l.Missing) == 0: // where others are missing, nor was it sent
			*l = r.reader.With(*l, nil, j.probe)
		case ex != nil && ex.Answered() && !ex.Throttled() && !r.Suite.MayBeRefused(ex):
			r.isNew(ex)
			*l = r.reader.With(*l, []*exchange.Exchange{ex})
		}
	}
	return list, nil
}

// readAgain repeats the requests whose answers differ, and adds all lookups that wait to the ledger. It returns those
// that are left.
func (r *Run) readAgain(ctx context.Context, list []waiting) ([]waiting, error) {
	if slices.ContainsFunc(list, func(w waiting) bool { return !w.StandsStill() }) {
		if err := r.source.CatchUp(ctx); err != nil {
			return list, err
		}
	}
	for len(list) > 0 {
		w := list[0]
		if !w.StandsStill() {
			var err error
			if w.Lookup, err = r.again(ctx, w.Lookup, w.sequence); err != nil {
				return list, err
			}
		}
		if err := r.add(w.Lookup); err != nil {
			return list, err
		}
		list = list[1:]
	}
	return nil, nil
}

// findEligible looks for a user for the mutations of operations that are not sent for every user.
func (r *Run) findEligible(ctx context.Context, list []waiting) ([]waiting, error) {
	for i, user := range r.Settings.Users {
		for _, op := range schemas.Operations() {
			versions := r.sends[op].versions
			if !user.Enrolled || len(versions) == 0 || r.sends[op].all || r.Ledger.WasRead(op, user) ||
				r.eligibleIn(op, versions) {
				continue
			}
			s := sequence{user: user, probes: exchange.Reads(exchange.Probe{Operation: op, User: user}, i, versions)}
			r.next = number(s.probes, r.next)
			var err error
			if list, err = r.read(ctx, list, s); err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

func (r *Run) eligibleIn(op schemas.Operation, versions []schemas.Version) bool {
	return !slices.ContainsFunc(versions, func(v schemas.Version) bool {
		_, ok := r.Ledger.Eligible(op, v)
		return !ok
	})
}

// progress counts finished requests, and shows how many there are.
func (r *Run) progress(n int) {
	r.done += n
	if r.show != nil {
		r.show(r.done, max(r.planned, r.done))
	}
}
