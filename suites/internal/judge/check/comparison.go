package check

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
)

// Comparison is the result of comparing the answers of a pair of versions for one user and operation (J14, J15).
type Comparison struct {
	parity.Conclusion
	Pair      schemas.Pair
	ShapeOnly bool // values are not compared
	// First and Last are the probes of the first and the last call to each version.
	First, Last map[schemas.Version]exchange.Probe
	// Unserved is what the last call to a version brought instead of being served.
	Unserved map[schemas.Version]Finding
	// Days are the days (UTC) of the last call to each version; nil if they are the same.
	Days map[schemas.Version]string
}

// Aspect is in what the answers of both versions must not differ (§9.3, J14).
type Aspect string

// The aspects: members and JSON types, and values, except where the shape differs.
const (
	HaveTheSameShape  Aspect = "shape"
	HaveTheSameValues Aspect = "values"
)

// Judge returns all findings about an aspect or, if there are none and something was compared, one witness.
func (c *Comparison) Judge(aspect Aspect) Outcome {
	shape, compared := aspect == HaveTheSameShape, c.Valued
	if shape {
		compared = c.Comparable
	}
	var out Outcome
	for _, d := range c.Differing() {
		if d.Shape == shape {
			out.Find(d.Finding)
		}
	}
	if compared && out.Count == 0 {
		out.Witnesses = 1
	}
	return out
}

// changing is the finding kind for a value that keeps changing in one version only.
const changing = "volatile in one version"

// Differing is one difference that a comparison found.
type Differing struct {
	Shape bool // it is about the shape, not about a value
	Finding
}

// Differing lists all differences. A value that keeps changing in one version only counts as a difference of value. If
// values are not compared, it is a member that comes and goes, and counts as a difference of shape.
func (c *Comparison) Differing() []Differing {
	list := make([]Differing, 0, len(c.Differences)+len(c.Unstable))
	from, to := c.Last[c.Pair.From], c.Last[c.Pair.To]
	for _, d := range c.Differences {
		if d.Kind == parity.Served {
			d.Left, d.Right = c.unserved(c.Pair.From, d.Left), c.unserved(c.Pair.To, d.Right)
		}
		list = append(list, Differing{d.Kind.Shape(), Finding{
			Probe: to, Against: from, Kind: string(d.Kind), Pointer: d.Pointer,
			Expected: Shown{c.Pair.From, from.ID, d.Left, c.Days[c.Pair.From]},
			Actual:   Shown{c.Pair.To, to.ID, d.Right, c.Days[c.Pair.To]},
		}})
	}
	for _, d := range c.Unstable {
		version := c.Pair.From
		if d.To {
			version = c.Pair.To
		}
		list = append(list, Differing{c.ShapeOnly, Finding{
			Probe: c.Last[version], Against: c.First[version], Kind: changing, Pointer: d.Pointer,
			Expected: Stable{}, Actual: Changing{version, d.Left, d.Right},
		}})
	}
	return list
}

// unserved returns the value of a version or, if it did not serve the user, what came instead.
func (c *Comparison) unserved(v schemas.Version, value any) any {
	fault, ok := c.Unserved[v]
	if _, absent := value.(parity.Absent); absent && ok {
		return Unserved{fault}
	}
	return value
}

// MayBeOfFront is the outcome of an open point at which the versions differ while the target, or what stands in front
// of it, refused or throttled everybody for a while: that may be what differs (J23).
func MayBeOfFront(id string) Outcome {
	out := Outcome{Uncontrolled: 1}
	out.addNote(DiffersInOutage{id})
	return out
}

// DiffersInOutage is the note about such an open point.
type DiffersInOutage struct{ ID string }

// AgreesInBoth checks that both versions behave the same at an open point (J16). Behavior is what each did there.
func AgreesInBoth(id string, pair schemas.Pair, behavior map[schemas.Version]*Observed, agree bool) Outcome {
	if agree {
		return witness
	}
	return finding(Finding{
		Kind: id, Expected: SameInBoth{id, pair, Behavior{behavior[pair.From]}}, Actual: Behavior{behavior[pair.To]},
	})
}
