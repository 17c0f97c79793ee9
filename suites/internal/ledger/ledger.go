// Package ledger keeps what a run has learnt, row by row: a row is one requirement in one version. Judgements come in the
// order of the plan, so that the same exchanges always make the same ledger.
package ledger

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/settings"
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
	Requirement schemas.Requirement
	Selected    bool // false where a filter left it out
	Lacking     bool // the evidence does not keep all that the row needs
	judge.Outcome
	Reason Reason  // why it is inconclusive
	Waiver *Waived // what sets it aside
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

// Ledger holds the rows and observations of one run. It is not safe for concurrent use: its owner adds in plan order.
type Ledger struct {
	rows         []*Row
	index        map[Key]*Row
	versions     []schemas.Version
	requirements []schemas.Requirement
	facts        map[place]*facts
	observations []Observation // made when the ledger is closed
	served       map[spot]bool
	users        map[settings.User]bool // whether any call served the user
	Volatile     []Volatile
	Lacking      []exchange.Probe // that the evidence does not keep, the first of them
	lacking      lacking
}

// Volatile is a place that was left out of the comparison, as its value changes between identical calls.
type Volatile struct {
	Operation schemas.Operation
	Pointer   string
}

type spot struct {
	operation schemas.Operation
	version   schemas.Version
}

// New makes a ledger with a row for each requirement that a run of these versions judges: rows of parity where both
// versions are under test, rows of values unless only shapes are compared, rows of divergence where it fails.
func New(contract *schemas.Contract, versions []schemas.Version, shapeOnly, divergenceFails bool) *Ledger {
	l := &Ledger{
		index:        map[Key]*Row{},
		versions:     versions,
		requirements: contract.Requirements,
		facts:        map[place]*facts{},
		served:       map[spot]bool{},
		users:        map[settings.User]bool{},
		lacking:      lacking{operations: map[schemas.Operation]bool{}, reads: map[spot]bool{}, points: map[string]bool{}},
	}
	for _, r := range contract.Requirements {
		switch {
		case r.Kind != schemas.Documented:
		case !r.Parity:
			for _, v := range versions {
				l.add(r, v)
			}
		case len(versions) < 2, strings.HasSuffix(r.ID, "/values") && shapeOnly, r.Setting != "" && !divergenceFails:
		default:
			l.add(r, schemas.Parity)
		}
	}
	return l
}

func (l *Ledger) add(r schemas.Requirement, v schemas.Version) {
	row := &Row{Key: Key{r.ID, v}, Requirement: r, Selected: true}
	l.rows = append(l.rows, row)
	l.index[row.Key] = row
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
func (l *Ledger) Add(j *judge.Judgement) error {
	probe := j.Answer.Exchange.Probe
	at := spot{probe.Operation, probe.Version}
	if probe.WellFormed() {
		l.served[at] = l.served[at] || j.Answer.Served()
		l.users[probe.User] = l.users[probe.User] || j.Answer.Served()
	}
	ids := make([]string, 0, len(j.Rows))
	for id := range j.Rows {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		if err := l.Merge(Key{id, probe.Version}, j.Rows[id]); err != nil {
			return err
		}
	}
	for _, facts := range []judge.Facts{j.Facts, j.Told} {
		var fresh []judge.Fact
		for fact, times := range facts {
			if !l.observeAgain(fact.ID, at, fact.Text, times) {
				fresh = append(fresh, fact)
			}
		}
		// In order, as of many only the first are kept.
		slices.SortFunc(fresh, judge.Fact.Compare)
		for _, fact := range fresh {
			l.observeTimes(fact.ID, at, fact.Text, facts[fact])
		}
	}
	l.asked(j.Answer.Exchange)
	return nil
}

// Merge adds an outcome to a row.
func (l *Ledger) Merge(key Key, o *judge.Outcome) error {
	row := l.index[key]
	if row == nil {
		return fmt.Errorf("defect of the suite: %s was judged, but this run has no such row", key)
	}
	row.Outcome.Merge(o)
	return nil
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

// Compared adds what parity says of one user and operation. Where values are not compared their row does not exist.
func (l *Ledger) Compared(op schemas.Operation, shape, values *judge.Outcome) error {
	if err := l.Merge(Key{"9.3/" + string(op) + "/shape", schemas.Parity}, shape); err != nil {
		return err
	}
	key := Key{"9.3/" + string(op) + "/values", schemas.Parity}
	if l.index[key] == nil && values.Count == 0 {
		return nil
	}
	return l.Merge(key, values)
}

// LeaveOut lists a volatile place, once.
func (l *Ledger) LeaveOut(op schemas.Operation, pointer string) {
	v := Volatile{op, pointer}
	if !slices.Contains(l.Volatile, v) && len(l.Volatile) < mostDistinct {
		l.Volatile = append(l.Volatile, v)
	}
}

// Close judges what only the whole run can tell, the divergences (J16), and gives each inconclusive row its reason: of a
// run that did not end, that it was not run.
func (l *Ledger) Close(ended bool) {
	l.observations = l.observe()
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
	case l.lacking.reads[spot{row.Requirement.Operations[0], row.Version}]:
		return NotRun
	case !l.served[spot{row.Requirement.Operations[0], row.Version}]:
		return NotServed
	case row.Requirement.Risk != schemas.Read:
		return NotServed // its probes go only to a user who was served a telling answer
	default:
		return NoWitness
	}
}
