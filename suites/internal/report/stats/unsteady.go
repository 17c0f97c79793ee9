package stats

import (
	"fmt"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// UnsteadyPlace is a place that changes between identical calls, for all users together (J15).
type UnsteadyPlace struct {
	Operation  schemas.Operation `json:"operation"`
	Pointer    string            `json:"pointer"` // from the record; "" is the answer as a whole
	Documented bool              `json:"documented"`
	// Users is for how many users it is unsteady within the calls of each version, and Either of either.
	Users  map[schemas.Version]int64 `json:"users"`
	Either int64                     `json:"either"`
	// Settled is for how many users it ended equal after a change in this version only, and SettledInBoth in both.
	Settled       map[schemas.Version]int64 `json:"settled"`
	SettledInBoth int64                     `json:"settledInBoth"`
	SettledAgain  int64                     `json:"settledAgain"` // of Settled, in a block that was asked again
	// Found is what it is if it changes in one version only.
	Found *Group `json:"found"`
}

// countChange counts a place that changes for a user.
func (c *Counts) countChange(op schemas.Operation, change *Change) {
	p := c.unsteadyPlace(op, change.Documented, groupOf(&change.Finding), schemas.InOrder(change.In))
	if p == nil {
		return
	}
	in, users := 0, p.Users
	for _, changes := range change.In {
		if changes {
			in++
		}
	}
	switch {
	case change.Ended && in > 1:
		p.SettledInBoth++
		return
	case change.Ended:
		users = p.Settled
		if change.Again {
			p.SettledAgain++
		}
	default:
		p.Either++
	}
	for v, changes := range change.In {
		if changes {
			users[v]++
		}
	}
	p.Found.add(&change.Finding, c.seed)
}

// unsteadyPlace finds or creates a place. It returns nil if there are too many that the document does not show.
func (c *Counts) unsteadyPlace(op schemas.Operation, documented bool, found group,
	versions []schemas.Version) *UnsteadyPlace {
	i := slices.IndexFunc(c.Unsteady, func(p *UnsteadyPlace) bool {
		return p.Operation == op && p.Pointer == found.Pointer
	})
	if i >= 0 {
		return c.Unsteady[i]
	}
	if len(c.Unsteady) >= maxGroups && !documented {
		return nil
	}
	p := &UnsteadyPlace{Operation: op, Pointer: found.Pointer, Documented: documented,
		Users: map[schemas.Version]int64{}, Settled: map[schemas.Version]int64{},
		Found: &Group{group: found, Sample: []Finding{}}}
	for _, v := range versions {
		p.Users[v], p.Settled[v] = 0, 0
	}
	c.Unsteady = append(c.Unsteady, p)
	return p
}

// joinUnsteady adds a place of another shard.
func (c *Counts) joinUnsteady(other *UnsteadyPlace) {
	p := c.unsteadyPlace(other.Operation, other.Documented, other.Found.group, schemas.InOrder(other.Users))
	if p == nil {
		return
	}
	for v := range p.Users {
		p.Users[v] += other.Users[v]
		p.Settled[v] += other.Settled[v]
	}
	p.Either += other.Either
	p.SettledInBoth += other.SettledInBoth
	p.SettledAgain += other.SettledAgain
	p.Found.join(other.Found, c.seed)
}

// changed returns for how many users the place changes within the calls of each version.
func (p *UnsteadyPlace) changed() map[schemas.Version]int64 {
	users := map[schemas.Version]int64{}
	for v := range p.Users {
		users[v] = p.Users[v] + p.Settled[v]
	}
	return users
}

// standing decides about a place (J15). In one shard nothing is known of the others, so merge decides.
func (s *Summary) standing(p *UnsteadyPlace) parity.Standing {
	versions := schemas.InOrder(p.Users)
	from, to := versions[0], versions[1]
	standing := parity.Pooled{From: p.Users[from], To: p.Users[to], Either: p.Either, SettledFrom: p.Settled[from],
		SettledTo: p.Settled[to], SettledInBoth: p.SettledInBoth, SettledAgain: p.SettledAgain,
		Compared: s.Tally.Users, Documented: p.Documented}.Standing(s.Tally.Covered)
	switch {
	case s.Identity.Shard.Of <= 1, standing == parity.Volatile, standing == parity.Steady,
		standing == parity.WarmedUp:
		return standing
	}
	return parity.Undecided
}

// unsteady returns the places with a standing.
func (s *Summary) unsteady(standing parity.Standing) (list []*UnsteadyPlace) {
	for _, p := range s.Tally.Unsteady {
		if s.standing(p) == standing {
			list = append(list, p)
		}
	}
	return list
}

// oneSided returns what was found at places that change in one version only, and is not waived.
func (s *Summary) oneSided() (list []*UnsteadyPlace) {
	return slices.DeleteFunc(s.unsteady(parity.OneSided), func(p *UnsteadyPlace) bool { return p.Found.Waived })
}

// isUndecided reports whether the differences of a group are at an undecided place, and of no more users than are
// unsteady there.
func (s *Summary) isUndecided(g *Group) bool {
	place := parity.PlaceOf(g.Operation, g.Pointer)
	i := slices.IndexFunc(s.Tally.Unsteady, func(p *UnsteadyPlace) bool {
		return p.Operation == g.Operation && p.Pointer == place && s.standing(p) == parity.Undecided
	})
	if i < 0 || !g.Version.IsPair() {
		return false
	}
	p := s.Tally.Unsteady[i]
	pooled := parity.Pooled{Either: p.Either}
	for _, other := range s.Tally.Groups {
		if other.Version.IsPair() && other.Operation == g.Operation && parity.PlaceOf(g.Operation,
			other.Pointer) == place {
			pooled.Differ += other.Users
		}
	}
	return !pooled.Differs()
}

// differences returns how many differences were found: those at undecided places are not.
func (s *Summary) differences() int64 {
	n := s.Tally.Found().Differences
	for _, g := range s.Tally.Groups {
		if !g.Waived && s.isUndecided(g) {
			n -= g.Findings
		}
	}
	return n
}

// describe names a place with its users: "/Comment of getUserAuth (users: v5 0, v6 4)".
func (p *UnsteadyPlace) describe() string {
	return fmt.Sprintf("%s of %s (users: %s)", report.UnsteadyPlace(p.Pointer), p.Operation,
		report.UsersByVersion(p.changed()))
}

// maxNamed is how many places a sentence names.
const maxNamed = 3

func describeAll(places []*UnsteadyPlace) string {
	var list []string
	for i, p := range places {
		if i == maxNamed {
			list = append(list, wording.Plural(len(places)-i, "other place", "other places"))
			break
		}
		list = append(list, p.describe())
	}
	return wording.List(list)
}

// undecidedReason says why a sweep is inconclusive because of places that change in both versions; "" if it is not.
func (s *Summary) undecidedReason() string {
	places := s.unsteady(parity.Undecided)
	if len(places) == 0 {
		return ""
	}
	if s.Identity.Shard.Of > 1 {
		return "identical calls are answered differently, at " + describeAll(places) +
			"; merge it with all other shards, which decides: conformance merge"
	}
	return "identical calls are answered differently, at " + describeAll(places) + ", so that nobody can tell " +
		"whether the versions agree there: do nodes differ?"
}

// unsteadySection returns a section with all places that change between identical calls.
func (s *Summary) unsteadySection() report.Section {
	section := report.Section{Name: "unsteady", Title: "What changes between identical calls", Label: "unsteady:",
		Fold: true}
	words := map[parity.Standing]string{
		parity.WarmedUp:  report.WarmedUp,
		parity.Rare:      "for fewer than one in a thousand of the users served: counted only",
		parity.OneSided:  "it changes in one version only",
		parity.Undecided: "whether the versions agree there is not decided",
		parity.Volatile:  "its values are left out of the comparison",
	}
	for _, p := range s.Tally.Unsteady {
		if s.standing(p) == parity.Steady {
			continue
		}
		section.Items = append(section.Items, report.Item{Name: p.describe(), Text: words[s.standing(p)]})
	}
	return section
}
