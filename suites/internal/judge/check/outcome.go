package check

import (
	"cmp"
	"slices"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// MaxFindings is how many findings of one row are stored. All are counted (J20).
const MaxFindings = 50

// Outcome is the result of one check, or the merged results of all checks of one row.
type Outcome struct {
	Witnesses int
	// Uncontrolled is how many refusals show nothing, as nobody was served at that time (J23), or nobody can read them.
	Uncontrolled int
	// Unsteady is for how many users the answers go back and forth, so that nothing is decided (J15).
	Unsteady int

	Count    int       // of findings
	Findings []Finding // the first MaxFindings findings
	Causes   []Cause   // all findings, grouped by key; empty until outcomes are merged
	// NearMiss, EmptyArray, RefusedOnce, Undecided, Uncontrolled, Unread, DiffersInOutage, SharedLists or SingleList,
	// each once.
	Notes []any
}

// NearMiss is an undocumented member whose name differs from a documented one only in case, hyphens or underscores
// (J8).
type NearMiss struct{ Seen, Documented string }

// EmptyArray is an array without records for a user who is not marked enrolled: false (J1).
type EmptyArray struct{ UserID string }

// Key is what all findings of one cause have in common within a row. Two runs, shards and users are compared by it. It
// has no value, user, host or message.
type Key struct {
	Kind    string `json:"kind"`          // a stable word for the kind of breach
	Pointer string `json:"pointer"`       // with `*` for each array index
	Off     string `json:"off,omitempty"` // what is off there: a form, or the status; "" if it is the kind
}

// Compare orders keys by pointer, kind and what is off.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Pointer, other.Pointer), cmp.Compare(k.Kind, other.Kind), cmp.Compare(k.Off, other.Off))
}

// Cause groups all findings of one key, for all users.
type Cause struct {
	Key
	Count   int
	Example Finding
}

// maxCauses limits the causes of a row. Further ones are counted under one last cause, of kind FurtherCauses.
const maxCauses = 200

// FurtherCauses is the kind of a cause that stands for many: what they are is not known.
const FurtherCauses = "further causes"

var witness = Outcome{Witnesses: 1}

// finding returns an outcome with one finding, whose values are not cut.
func finding(f Finding) Outcome { return Outcome{Count: 1, Findings: []Finding{f}} }

// Find adds a finding.
func (o *Outcome) Find(f Finding) { o.Merge(finding(f)) }

// Merge adds another outcome. Only findings that are kept have their values cut to excerpts: a hostile answer may have
// a million findings, of which few are kept.
func (o *Outcome) Merge(other Outcome) {
	o.Witnesses += other.Witnesses
	o.Uncontrolled += other.Uncontrolled
	o.Unsteady += other.Unsteady
	o.Count += other.Count
	if len(other.Causes) == 0 {
		for i := range other.Findings {
			f := &other.Findings[i]
			o.cause(f.Key(), 1, f)
		}
	}
	free := max(0, MaxFindings-len(o.Findings))
	for _, f := range other.Findings[:min(free, len(other.Findings))] {
		o.Findings = append(o.Findings, f.excerpt())
	}
	for i := range other.Causes {
		c := &other.Causes[i]
		o.cause(c.Key, c.Count, &c.Example)
	}
	for _, note := range other.Notes {
		o.addNote(note)
	}
}

// Withdraw removes the findings of the causes for which drop returns true.
func (o *Outcome) Withdraw(drop func(Key) bool) {
	o.Findings = slices.DeleteFunc(o.Findings, func(f Finding) bool { return drop(f.Key()) })
	o.Causes = slices.DeleteFunc(o.Causes, func(c Cause) bool {
		if !drop(c.Key) {
			return false
		}
		o.Count -= c.Count
		return true
	})
}

// cause adds count findings to their cause.
func (o *Outcome) cause(key Key, count int, example *Finding) {
	for range 2 {
		for i := range o.Causes { // by index, as a Cause is too large to copy
			if o.Causes[i].Key == key {
				o.Causes[i].Count += count
				return
			}
		}
		if len(o.Causes) < maxCauses {
			break
		}
		key = Key{Kind: FurtherCauses}
	}
	o.Causes = append(o.Causes, Cause{Key: key, Count: count, Example: example.excerpt()})
}

// Again returns the outcome for another exchange with the same body.
func (o Outcome) Again(p exchange.Probe) Outcome {
	return o.with(func(f *Finding) { f.Probe = p })
}

// with returns the outcome with all its findings changed.
func (o Outcome) with(change func(*Finding)) Outcome {
	o.Findings, o.Causes = slices.Clone(o.Findings), slices.Clone(o.Causes)
	for i := range o.Findings {
		change(&o.Findings[i])
	}
	for i := range o.Causes {
		change(&o.Causes[i].Example)
	}
	return o
}

// maxNotes limits how many notes a row keeps.
const maxNotes = 20

func (o *Outcome) addNote(note any) {
	if len(o.Notes) < maxNotes && !slices.Contains(o.Notes, note) {
		o.Notes = append(o.Notes, note)
	}
}
