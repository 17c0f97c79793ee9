package check

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
)

// Comparison is the result of comparing the answers of a pair of versions for one user and operation (J14, J15).
type Comparison struct {
	parity.Conclusion
	Pair schemas.Pair
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

// Judge returns all findings about an aspect or, if there are none and something was compared, one witness. What is
// unsteady is judged over all users (J15).
func (c *Comparison) Judge(aspect Aspect) Outcome {
	shape, compared := aspect == HaveTheSameShape, c.Valued
	if shape {
		compared = c.Comparable
	}
	var out Outcome
	for _, d := range c.Differences {
		if d.Kind.Shape() == shape {
			out.Find(c.FindingOf(d))
		}
	}
	if compared && out.Count == 0 {
		out.Witnesses = 1
	}
	return out
}

// FindingOf returns the finding that a difference is.
func (c *Comparison) FindingOf(d parity.Difference) Finding {
	from, to := c.Last[c.Pair.From], c.Last[c.Pair.To]
	if d.Kind == parity.Served {
		d.Left, d.Right = c.unserved(c.Pair.From, d.Left), c.unserved(c.Pair.To, d.Right)
	}
	off := ""
	if d.Kind == parity.Value {
		left, _ := d.Left.(string)
		right, _ := d.Right.(string)
		off = unlike(left, right)
	}
	return Finding{
		Probe: to, Against: from, Kind: string(d.Kind), Pointer: d.Pointer, Off: off,
		Expected: Shown{c.Pair.From, from.ID, d.Left, c.Days[c.Pair.From]},
		Actual:   Shown{c.Pair.To, to.ID, d.Right, c.Days[c.Pair.To]},
	}
}

// Changes is the kind of a finding of a place that changes within the calls of one version only (J15).
const Changes = "unsteady in one version"

// Changed returns the finding of a place that changes, if it does so in one version only.
func (c *Comparison) Changed(u parity.Change) Finding {
	version := c.Pair.From
	if !u.From {
		version = c.Pair.To
	}
	return Finding{
		Probe: c.Last[version], Against: c.First[version], Kind: Changes, Pointer: u.Pointer,
		Expected: Stable{}, Actual: Changing{Version: version, From: u.Was, Then: u.Then},
	}
}

// WithUsers returns the outcome of a place that changes in one version only, with for how many users it does in each.
func (o Outcome) WithUsers(users map[schemas.Version]int) Outcome {
	return o.with(func(f *Finding) {
		changing := f.Actual.(Changing)
		changing.Users = users
		f.Actual = changing
	})
}

// Undecided is the note about a place that changes between identical calls (J15), with for how many users it does in
// each version: whether they agree there can't be known.
type Undecided struct {
	Pair     schemas.Pair
	Place    string
	From, To int
}

// IsUndecided is the outcome of such a place.
func IsUndecided(pair schemas.Pair, place string, users map[schemas.Version]int) Outcome {
	from, to := users[pair.From], users[pair.To]
	return Outcome{Unsteady: from + to, Notes: []any{Undecided{pair, place, from, to}}}
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
	return Outcome{Uncontrolled: 1, Notes: []any{DiffersInOutage{id}}}
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
