package parity

import (
	"strings"

	"authenticator-conformance/schemas"
)

// Pooled is for how many users a place changes between identical calls (J15).
type Pooled struct {
	// From, To and Either are for how many it is unsteady: within the calls of each version of a pair, and of either.
	From, To, Either int64
	// SettledFrom and SettledTo are for how many it ended equal after a change in this version only, which no change of
	// the data explains; SettledInBoth in both.
	SettledFrom, SettledTo, SettledInBoth int64
	// SettledAgain is for how many of those of one version their block was asked again (J23 c). The other version may
	// have changed the first time, so they do not show that one version changes alone.
	SettledAgain int64
	// Differ is for how many the versions differ there.
	Differ int64
	// Compared is how many users were compared.
	Compared   int64
	Documented bool
}

// Standing is what follows for a place from all users together.
type Standing string

// The standings.
const (
	Steady    Standing = "steady"    // the data moved, or a replica lagged
	WarmedUp  Standing = "warmed-up" // the first calls to one version were others: it is listed only
	Rare      Standing = "rare"      // it is counted only
	OneSided  Standing = "one-sided" // a finding: it changes in one version only
	Undecided Standing = "undecided" // the row is inconclusive: it is documented, and unsteady in both versions
	Volatile  Standing = "volatile"  // it is undocumented: its values are left out of the comparison
)

// Many is from how many users on a version that changes is said to be the only one.
const Many = 3

// Standing decides about a place. served is how many users were served in a sweep, in which what is unsteady for fewer
// than one in a thousand of them is counted only; 0 in a run.
func (p Pooled) Standing(served int64) Standing {
	settled := p.SettledFrom + p.SettledTo
	oneSided := p.SettledInBoth == 0 && (p.From+p.SettledFrom == 0 || p.To+p.SettledTo == 0)
	switch {
	case p.Either == 0 && (!oneSided || settled < 2 || 4*settled >= p.Compared):
		// A replica that lags shows for one user. A warm-up of one version shows for each second user at least, as the
		// others ask it first.
		if oneSided && settled >= Many {
			return WarmedUp
		}
		return Steady
	case (p.Either+settled)*1000 < served:
		return Rare
	case oneSided && (p.Either > 0 || settled-p.SettledAgain >= Many):
		return OneSided
	case oneSided || p.Documented:
		return Undecided
	}
	return Volatile
}

// Differs reports whether the differences at an undecided place are found all the same: more users differ there than
// are unsteady.
func (p Pooled) Differs() bool { return p.Differ > p.Either }

// PlaceOf returns the place that the pointer of a difference is at. The pointer has * for each array index.
func PlaceOf(op schemas.Operation, pointer string) string {
	if op == schemas.GetUserAuth && strings.HasPrefix(pointer, ofList+"/") {
		return strings.TrimPrefix(pointer, ofList)
	}
	return pointer
}
