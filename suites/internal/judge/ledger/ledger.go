// Package ledger stores the results of a run. A row is one requirement in one version. Judgements are added in the
// order of the plan, so that the same exchanges always give the same ledger.
package ledger

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Ledger stores the results of one run: the rows, the observations, and which users were served. It is not safe for
// concurrent use: its owner adds results in plan order.
type Ledger struct {
	suite        *spec.Suite
	options      spec.Options
	rows         []*Row
	index        map[Key]*Row
	facts        observations
	unaffected   observations                  // without those of requests with a finding in any version
	undecided    map[question]observations     // of requests that may still have a finding
	affected     map[question]bool             // requests with a finding in any version
	observations []Observation                 // set when the ledger is closed
	users        map[exchange.User]*userResult // for whom well-formed requests were judged
	read         map[question]bool             // well-formed requests that were sent
	reads        map[operationVersion]*readResult
	records      map[schemas.Version]recordNames // of the user whose getUserAuth was added last
	changing     []*changing                     // in the order of their first change
	places       map[place]*changing
	compared     map[compared]int // lookups
	Unsteady     []Unsteady       // set when the ledger is closed
	Hidden       []string         // the ignored places at which something differed
	lists        check.Lists      // of all users
	roots        []*RootCause

	// Of a run that is judged again, what the evidence lacks: the first requests, and the open points that they could
	// have shown, without their versions.
	Missing       []exchange.Probe
	missingPoints map[position]bool
}

// recordNames are the names of a user's records.
type recordNames struct {
	user  exchange.User
	names []string
}

// New returns a ledger with a row for each requirement and version that a run with these options judges.
func New(suite *spec.Suite, options spec.Options) *Ledger {
	l := &Ledger{
		suite: suite, options: options, index: map[Key]*Row{},
		facts: observations{}, unaffected: observations{}, undecided: map[question]observations{},
		affected: map[question]bool{}, users: map[exchange.User]*userResult{}, read: map[question]bool{},
		reads: map[operationVersion]*readResult{}, records: map[schemas.Version]recordNames{},
		missingPoints: map[position]bool{}, compared: map[compared]int{}, places: map[place]*changing{},
	}
	for _, r := range suite.Requirements() {
		if r.Kind != schemas.Documented {
			continue
		}
		for _, v := range r.Versions(options) {
			row := &Row{Key: Key{r.ID, v}, Requirement: r, Selected: true, failing: userSets[check.Key]{}}
			l.rows = append(l.rows, row)
			l.index[row.Key] = row
		}
	}
	return l
}

// Rows lists the rows in the catalogue's order, v5 before v6.
func (l *Ledger) Rows() []*Row { return l.rows }

// Row returns the row of a key, or nil if this run has none.
func (l *Ledger) Row(key Key) *Row { return l.index[key] }

// HasCause reports whether a row has a finding of a cause.
func (l *Ledger) HasCause(key Key, c check.Cause) bool {
	row := l.index[key]
	return row != nil && slices.ContainsFunc(row.Causes, func(known check.Cause) bool {
		return known.Key == c.Key
	})
}

// Select keeps the rows of the given keys and marks the others as not run.
func (l *Ledger) Select(keys map[Key]bool) {
	for _, row := range l.rows {
		row.Selected = keys[row.Key]
	}
}

// Add adds the results of an exchange. The error means that the catalogue lacks a row, which is a defect of the suite.
func (l *Ledger) Add(j *spec.Judgement) error {
	probe := j.Answer.Exchange.Probe
	at := operationVersion{probe.Operation, probe.Version}
	l.lists.Add(j.Answer)
	if probe.WellFormed() {
		user, read := l.user(probe.User), l.readsOf(at)
		read.served = read.served || j.Answer.Served()
		read.asked = read.asked || probe.User.Enrolled
		read.disclosed = read.disclosed || j.Answer.Discloses()
		user.served = user.served || j.Answer.Served()
		user.shown[at] = user.shown[at] || j.Answer.ServesSomething()
	}
	for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
		if slices.Contains(l.options.Recorded, probe.Version) {
			break // nothing is judged in it
		}
		if err := l.Merge(Key{id, probe.Version}, *j.Rows[id]); err != nil {
			return err
		}
		l.index[Key{id, probe.Version}].Spent += j.Answer.Exchange.Duration / time.Duration(len(j.Rows))
		if probe.WellFormed() {
			l.addRoots(Key{id, probe.Version}, probe.User, j.Rows[id])
		}
		if j.Rows[id].Count > 0 {
			l.affected[questionOf(probe)] = true
			if probe.WellFormed() {
				l.index[Key{id, probe.Version}].fails(l.user(probe.User).number, j.Rows[id].Causes)
			}
		}
	}
	for _, facts := range []spec.Facts{j.Facts, j.Shared} {
		// Sorted, because only the first of many are kept.
		for _, fact := range slices.SortedFunc(maps.Keys(facts), spec.Fact.Compare) {
			l.observe(questionOf(probe), position{fact.ID, at}, fact.Seen, facts[fact])
		}
	}
	for _, id := range j.Observed() {
		l.observe(questionOf(probe), position{id, at}, nil, 0)
	}
	return nil
}

// Merge adds an outcome to a row.
func (l *Ledger) Merge(key Key, o check.Outcome) error {
	row := l.index[key]
	if row == nil {
		return fmt.Errorf("defect of the suite: %s was judged, but this run has no such row", key)
	}
	row.Outcome.Merge(o)
	return nil
}

// AddAnswers adds all answers to the well-formed requests for one user and operation, in the order sent.
func (l *Ledger) AddAnswers(user exchange.User, op schemas.Operation, judgements []*spec.Judgement) error {
	spec.JudgeCalls(judgements)
	for _, j := range judgements {
		if err := l.Add(j); err != nil {
			return err
		}
	}
	planned := slices.DeleteFunc(slices.Clone(judgements),
		func(j *spec.Judgement) bool { return j.Answer.Exchange.Probe.Round > spec.ObservedRounds })
	answers := l.NoteRead(user, op, planned)
	l.noteCalls(user, judgements)
	l.observeAnswers(user, op, answers)
	return nil
}

// NoteMissing records that the evidence lacks an exchange. Rows that need it can fail, but not pass.
func (l *Ledger) NoteMissing(p exchange.Probe) {
	if len(l.Missing) < maxDistinct {
		l.Missing = append(l.Missing, p)
	}
	if p.WellFormed() {
		l.readsOf(operationVersion{p.Operation, p.Version}).missing = true
	}
	for _, r := range l.suite.Requirements() {
		if r.Asks(p) {
			l.missingPoints[position{r.ID, operationVersion{operation: p.Operation}}] = true
		}
	}
	for _, row := range l.rows {
		if row.Requirement.Needs(p) && row.Version.Covers(p.Version) {
			row.Missing = true
		}
	}
}

// Compare adds the comparisons for one user, one of each pair, to the rows of parity.
func (l *Ledger) Compare(op schemas.Operation, user exchange.User, comparisons ...*check.Comparison) error {
	q := question{operation: op, user: user}
	for _, c := range comparisons {
		if err := l.comparePair(q, c); err != nil {
			return err
		}
	}
	l.decide(q)
	return nil
}

func (l *Ledger) comparePair(q question, c *check.Comparison) error {
	l.noteChanges(q.operation, q.user, c)
	for _, pattern := range c.Hidden {
		if !slices.Contains(l.Hidden, pattern) {
			l.Hidden = append(l.Hidden, pattern)
		}
	}
	for _, r := range l.suite.ParityRequirements(q.operation) {
		outcome := c.Judge(r.Comparison)
		key := Key{r.ID, c.Pair.Version()}
		if l.index[key] == nil && outcome.Count == 0 {
			continue // these options do not judge it
		}
		if err := l.Merge(key, outcome); err != nil {
			return err
		}
		if outcome.Count > 0 {
			l.affected[q] = true
			l.addRoots(key, q.user, &outcome)
			l.index[key].fails(l.user(q.user).number, outcome.Causes)
		}
	}
	return nil
}

// Close judges what depends on the whole run, the lists of all users (J24) and the divergences (J16), and sets the
// reason of each inconclusive row. If the run did not end, that reason is "not run". If also a version served nobody in
// an operation, nothing is a finding: the settings may be wrong instead of the service (J19). disturbed says that the
// target refused or throttled everybody for a while (J19, J23).
func (l *Ledger) Close(ended, disturbed bool) {
	for q := range l.undecided {
		l.decide(q)
	}
	l.judgeChanges()
	l.sortFindings()
	l.observations = l.summarizeObservations()
	l.judgeDivergence(disturbed)
	l.judgeLists()
	if !ended && l.servedNobody() {
		l.discard()
	}
	for _, row := range l.rows {
		if row.Verdict() == Inconclusive && row.Reason == "" {
			row.Reason = NotRun
			if ended {
				row.Reason = l.reason(row)
			}
			row.Behind = l.behind(row)
		}
	}
}

// discard removes what was found in all rows.
func (l *Ledger) discard() {
	l.roots = nil
	for _, row := range l.rows {
		row.Outcome, row.failing = check.Outcome{}, userSets[check.Key]{}
	}
}

func (l *Ledger) reason(row *Row) Reason {
	read := l.readsOf(operationVersion{row.Requirement.Operations[0], row.Version})
	switch {
	case !row.Selected, row.Missing:
		return NotRun
	case row.Outcome.Unsteady > 0:
		return UnsteadyAnswers
	case row.Uncontrolled > 0:
		return NoControl
	case row.Requirement.Parity:
		return NotComparable
	case read.missing:
		return NotRun
	case !read.served, row.Requirement.Risk != schemas.Read:
		return NotServed // negative probes are sent only for a user whose answers disclosed data
	default:
		return NoWitness
	}
}

// Complete reports whether every row of the run has a verdict other than inconclusive, no filter left one out, and the
// evidence lacked nothing.
func (l *Ledger) Complete() bool {
	notJudged := func(row *Row) bool { return !row.Selected || row.Verdict() == Inconclusive }
	return len(l.rows) > 0 && len(l.Missing) == 0 && !slices.ContainsFunc(l.rows, notJudged)
}

// Excluded lists the requirements that can't be observed from outside the target.
func (l *Ledger) Excluded() []schemas.Requirement {
	var list []schemas.Requirement
	for _, r := range l.suite.Requirements() {
		if r.Kind == schemas.Excluded {
			list = append(list, r.Requirement)
		}
	}
	return list
}
