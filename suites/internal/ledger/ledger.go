// Package ledger keeps what a run has learnt, row by row: a row is one requirement in one version. Judgements come in
// the order of the plan, so that the same exchanges always make the same ledger.
package ledger

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
)

// Key names a row.
type Key struct {
	ID      string
	Version schemas.Version
}

func (k Key) String() string { return k.ID + " " + string(k.Version) }

// Row is one requirement in one version, with what was seen of it.
type Row struct {
	Key
	Requirement *spec.Requirement
	Selected    bool // false where a filter left it out
	Lacking     bool // the evidence does not keep all that the row needs
	check.Outcome
	Reason Reason  // why it is inconclusive
	Waiver *Waived // what sets it aside

	failing map[settings.User]struct{}
}

// FailingUsers is how many users a well-formed request showed a finding of.
func (r *Row) FailingUsers() int { return len(r.failing) }

func (r *Row) failed(user settings.User) {
	if r.failing == nil {
		r.failing = map[settings.User]struct{}{}
	}
	r.failing[user] = struct{}{}
}

// Reason is why a row is inconclusive.
type Reason string

// The reasons; see DESIGN for what each means.
const (
	NoWitness     Reason = "no-witness"
	NotServed     Reason = "not-served"
	NotComparable Reason = "not-comparable"
	NotRun        Reason = "not-run"
)

// Waived is the waiver that sets a row aside, as reports show it.
type Waived struct {
	Reason string
	Until  time.Time
}

// Verdict is of a row or of a run, in the words of ISO/IEC 9646.
type Verdict string

// The verdicts; Fault is the run's only.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	Fault        Verdict = "error"
)

// Verdict is the row's: a finding fails it, and only a witness passes it.
func (r *Row) Verdict() Verdict {
	switch {
	case !r.Selected:
		return Inconclusive
	case r.Count > 0:
		return Fail
	case r.Witnesses > 0 && !r.Lacking:
		return Pass
	default:
		return Inconclusive
	}
}

// Ledger holds what was learnt in one run: the rows, the observations, and of the users who was served what. It is not
// safe for concurrent use: its owner adds in plan order.
type Ledger struct {
	suite        *spec.Suite
	options      spec.Options
	rows         []*Row
	index        map[Key]*Row
	facts        map[position]*facts
	observations []Observation // made when the ledger is closed
	served       map[operationVersion]bool
	users        map[settings.User]bool // whether any call served the user
	eligible     map[operationVersion]settings.User
	asked        map[asked]bool
	records      map[schemas.Version]recordIDs // of the user whose getUserAuth came last
	Volatile     []Volatile
	Lacking      []exchange.Probe // that the evidence does not keep, the first of them
	missing      missing
}

type asked struct {
	operation schemas.Operation
	user      settings.User
}

// recordIDs are the Ids of a user's records.
type recordIDs struct {
	user settings.User
	ids  []string
}

// Volatile is a place that was left out of the comparison, as its value changes between identical calls.
type Volatile struct {
	Operation schemas.Operation
	Pointer   string
}

type operationVersion struct {
	operation schemas.Operation
	version   schemas.Version
}

// New makes a ledger with a row for each requirement and version that a run with these options judges.
func New(suite *spec.Suite, options spec.Options) *Ledger {
	l := &Ledger{
		suite:    suite,
		options:  options,
		index:    map[Key]*Row{},
		facts:    map[position]*facts{},
		served:   map[operationVersion]bool{},
		users:    map[settings.User]bool{},
		eligible: map[operationVersion]settings.User{},
		asked:    map[asked]bool{},
		records:  map[schemas.Version]recordIDs{},
		missing:  missing{reads: map[operationVersion]bool{}, points: map[point]bool{}},
	}
	for _, r := range suite.Requirements() {
		if r.Kind != schemas.Documented {
			continue
		}
		for _, v := range r.Versions(options) {
			row := &Row{Key: Key{r.ID, v}, Requirement: r, Selected: true}
			l.rows = append(l.rows, row)
			l.index[row.Key] = row
		}
	}
	return l
}

// Rows lists the rows in the catalogue's order, v5 before v6.
func (l *Ledger) Rows() []*Row { return l.rows }

// Row finds a row; nil where this run has none of that key.
func (l *Ledger) Row(key Key) *Row { return l.index[key] }

// Select keeps the rows of the keys given and sets the others aside as not run.
func (l *Ledger) Select(keys map[Key]bool) {
	for _, row := range l.rows {
		row.Selected = keys[row.Key]
	}
}

// Add takes in what an exchange showed. A row that the catalogue lacks is a defect of the suite.
func (l *Ledger) Add(j *spec.Judgement) error {
	probe := j.Answer.Exchange.Probe
	at := operationVersion{probe.Operation, probe.Version}
	if probe.WellFormed() {
		l.served[at] = l.served[at] || j.Answer.Served()
		l.users[probe.User] = l.users[probe.User] || j.Answer.Served()
	}
	for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
		if err := l.Merge(Key{id, probe.Version}, *j.Rows[id]); err != nil {
			return err
		}
		if j.Rows[id].Count > 0 && probe.WellFormed() {
			l.index[Key{id, probe.Version}].failed(probe.User)
		}
	}
	for _, facts := range []spec.Facts{j.Facts, j.Shared} {
		var fresh []spec.Fact
		for fact, times := range facts {
			if !l.observeAgain(fact.ID, at, fact.Text, times) {
				fresh = append(fresh, fact)
			}
		}
		// In order, as of many only the first are kept.
		slices.SortFunc(fresh, spec.Fact.Compare)
		for _, fact := range fresh {
			l.observe(fact.ID, at, fact.Text, facts[fact])
		}
	}
	for _, id := range j.Observed() {
		l.at(id, at).asked = true
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

// AddReadings takes in all answers to the well-formed requests for one user and operation, in the order sent.
func (l *Ledger) AddReadings(user settings.User, op schemas.Operation, readings []*spec.Judgement) error {
	l.asked[asked{op, user}] = true
	answers := make([]*check.Answer, len(readings))
	for i, j := range readings {
		if err := l.Add(j); err != nil {
			return err
		}
		answers[i] = j.Answer
	}
	for _, v := range l.options.Versions {
		at := operationVersion{op, v}
		if _, found := l.eligible[at]; !found && user.Enrolled && allDisclose(answers, v) {
			l.eligible[at] = user
		}
	}
	l.observeReadings(user, op, answers)
	return nil
}

// allDisclose reports whether every call to a version brought data.
func allDisclose(answers []*check.Answer, v schemas.Version) bool {
	calls := 0
	for _, a := range answers {
		if a.Exchange.Probe.Version != v {
			continue
		}
		if !a.DisclosesData() {
			return false
		}
		calls++
	}
	return calls > 0
}

// Eligible is the user to whom requests that must be refused are sent: the first to whom every call of the operation
// and version brought data (J13).
func (l *Ledger) Eligible(op schemas.Operation, v schemas.Version) (settings.User, bool) {
	user, ok := l.eligible[operationVersion{op, v}]
	return user, ok
}

// WasRead reports whether well-formed requests were sent for a user.
func (l *Ledger) WasRead(op schemas.Operation, user settings.User) bool {
	return l.asked[asked{op, user}]
}

// Unknown tells whether no version served the user in any call: perhaps the target does not know it.
func (l *Ledger) Unknown(user settings.User) bool {
	served, asked := l.users[user]
	return asked && !served
}

// NobodyServed tells whether users were asked for and none was served in any call.
func (l *Ledger) NobodyServed() bool {
	for _, served := range l.users {
		if served {
			return false
		}
	}
	return len(l.users) > 0
}

// Compare judges what both versions answered for one user.
func (l *Ledger) Compare(op schemas.Operation, user settings.User, c *check.Comparison) error {
	for _, pointer := range c.Volatile {
		l.leaveOut(op, pointer)
	}
	for _, r := range l.suite.Pairs(op) {
		outcome := r.JudgePair(c)
		key := Key{r.ID, schemas.Parity}
		if l.index[key] == nil && outcome.Count == 0 {
			continue // not judged with these options
		}
		if err := l.Merge(key, outcome); err != nil {
			return err
		}
		if outcome.Count > 0 {
			l.index[key].failed(user)
		}
	}
	return nil
}

// leaveOut lists a volatile place, once.
func (l *Ledger) leaveOut(op schemas.Operation, pointer string) {
	v := Volatile{op, pointer}
	if !slices.Contains(l.Volatile, v) && len(l.Volatile) < mostDistinct {
		l.Volatile = append(l.Volatile, v)
	}
}

// Close judges what only the whole run can tell, the divergences (J16), and gives each inconclusive row its reason: of
// a run that did not end, that it was not run.
func (l *Ledger) Close(ended bool) {
	l.observations = l.observed()
	l.diverge()
	for _, row := range l.rows {
		if row.Verdict() == Inconclusive && row.Reason == "" {
			row.Reason = NotRun
			if ended {
				row.Reason = l.reason(row)
			}
		}
	}
}

func (l *Ledger) reason(row *Row) Reason {
	switch {
	case !row.Selected, row.Lacking:
		return NotRun
	case row.Requirement.Parity:
		return NotComparable
	case l.missing.reads[operationVersion{row.Requirement.Operations[0], row.Version}]:
		return NotRun
	case !l.served[operationVersion{row.Requirement.Operations[0], row.Version}]:
		return NotServed
	case row.Requirement.Risk != schemas.Read:
		return NotServed // its probes go only to a user who was served a telling answer
	default:
		return NoWitness
	}
}
