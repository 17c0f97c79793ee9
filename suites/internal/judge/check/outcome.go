package check

import (
	"slices"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
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
	Causes   []Cause   // all findings, grouped by kind and pointer; empty until outcomes are merged
	// NearMiss, EmptyArray, RefusedOnce, Undecided, Uncontrolled, Unread, DiffersInOutage, SharedLists or SingleList,
	// each once.
	Notes []any
}

// NearMiss is an undocumented member whose name differs from a documented one only in case, hyphens or underscores
// (J8).
type NearMiss struct{ Seen, Documented string }

// EmptyArray is an array without records for a user who is not marked enrolled: false (J1).
type EmptyArray struct{ UserID string }

// Cause groups all findings of one kind at one pointer, for all users. Findings of two runs are compared by Kind and
// Pointer, which contain no user, host or message text.
type Cause struct {
	Kind    string
	Pointer string // with `*` for each array index
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
			o.cause(f.Kind, strictjson.General(f.Pointer), 1, f)
		}
	}
	free := max(0, MaxFindings-len(o.Findings))
	for _, f := range other.Findings[:min(free, len(other.Findings))] {
		o.Findings = append(o.Findings, f.excerpt())
	}
	for i := range other.Causes {
		c := &other.Causes[i]
		o.cause(c.Kind, c.Pointer, c.Count, &c.Example)
	}
	for _, note := range other.Notes {
		o.addNote(note)
	}
}

// Withdraw removes the findings of the causes for which drop returns true.
func (o *Outcome) Withdraw(drop func(kind, pointer string) bool) {
	o.Findings = slices.DeleteFunc(o.Findings, func(f Finding) bool {
		return drop(f.Kind, strictjson.General(f.Pointer))
	})
	o.Causes = slices.DeleteFunc(o.Causes, func(c Cause) bool {
		if !drop(c.Kind, c.Pointer) {
			return false
		}
		o.Count -= c.Count
		return true
	})
}

// cause adds count findings to their cause. The pointer has `*` for each array index.
func (o *Outcome) cause(kind, pointer string, count int, example *Finding) {
	for range 2 {
		for i := range o.Causes { // by index, as a Cause is too large to copy
			if o.Causes[i].Kind == kind && o.Causes[i].Pointer == pointer {
				o.Causes[i].Count += count
				return
			}
		}
		if len(o.Causes) < maxCauses {
			break
		}
		kind, pointer = FurtherCauses, ""
	}
	o.Causes = append(o.Causes, Cause{Kind: kind, Pointer: pointer, Count: count, Example: example.excerpt()})
}

// Again returns the outcome for another exchange with the same body.
func (o Outcome) Again(p exchange.Probe) Outcome {
	o.Findings, o.Causes = slices.Clone(o.Findings), slices.Clone(o.Causes)
	for i := range o.Findings {
		o.Findings[i].Probe = p
	}
	for i := range o.Causes {
		o.Causes[i].Example.Probe = p
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
