package exchange

import (
	"cmp"
	"slices"

	"authenticator-conformance/schemas"
)

// Kind is how a mutation changes the request.
type Kind string

// The kinds of mutation. The first group is judged by J13, the second is only observed (§7, §9.4).
const (
	NoMutation   Kind = ""
	Absent       Kind = "absent"
	Null         Kind = "null"
	EmptyToken   Kind = "empty token"
	RandomToken  Kind = "random token"
	ChangedToken Kind = "changed token"

	WrongType          Kind = "wrong type of"
	UnknownUser        Kind = "unknown user"
	UnknownApplication Kind = "unknown application"
	NotJSON            Kind = "body that is no JSON"
	EmptyBody          Kind = "empty body"
	ContentType        Kind = "content type text/plain"
	WrongMethod        Kind = "method GET"
	ExtraMember        Kind = "undocumented member"
	AdjacentVersion    Kind = "neighbouring release"
)

// AccessToken is the request field that holds the administrator's token (§5.1).
const AccessToken = "AccessToken"

// Mutation is how a probe differs from the well-formed request. The zero value means no difference.
type Mutation struct {
	Kind    Kind
	Field   string // the request field that it changes; "" if it changes none
	Segment string // the version segment of the path, for AdjacentVersion
}

// Risk returns what a request with this mutation may cause on a live service.
func (m Mutation) Risk() schemas.Risk {
	switch {
	case m.Kind == NoMutation:
		return schemas.Read
	case m.Kind == RandomToken, m.Kind == ChangedToken, m.Kind == WrongType && m.Field == AccessToken:
		return schemas.AuthFailure
	default:
		return schemas.Negative
	}
}

// order returns the position in which mutations are sent. Those with a bad token come last (J13).
func (m Mutation) order() int {
	return slices.IndexFunc([][]Kind{
		{NoMutation}, {Absent, Null}, {EmptyToken}, {WrongType}, {UnknownUser}, {UnknownApplication}, {NotJSON},
		{EmptyBody}, {ContentType}, {WrongMethod}, {ExtraMember}, {AdjacentVersion}, {RandomToken},
		{ChangedToken},
	}, func(group []Kind) bool { return slices.Contains(group, m.Kind) })
}

// Reads returns the well-formed requests for a user and operation, in the order of J15: v5, v6, v6, v5, and for every
// second user v6, v5, v5, v6. So nodes that answer in turn, a cache in front and a warm-up meet both versions alike.
// user is the user's index.
func Reads(base Probe, user int, versions []schemas.Version) []Probe {
	there := slices.Clone(versions)
	if user%2 == 1 {
		slices.Reverse(there)
	}
	back := slices.Clone(there)
	slices.Reverse(back)
	return append(Rounds(base, there, 1, 1), Rounds(base, back, 2, 2)...)
}

// Rounds returns one probe for each version in each round, from round first to round last.
func Rounds(base Probe, versions []schemas.Version, first, last int) []Probe {
	var probes []Probe
	for round := first; round <= last; round++ {
		for _, v := range versions {
			p := base
			p.Version, p.Segment, p.Round = v, string(v), round
			probes = append(probes, p)
		}
	}
	return probes
}

// Mutated returns a probe for each mutation, in the order of sending, with the operation, version and user of base.
func Mutated(base Probe, mutations []Mutation) []Probe {
	mutations = slices.Clone(mutations)
	slices.SortStableFunc(mutations, func(a, b Mutation) int { return a.order() - b.order() })
	var probes []Probe
	for _, m := range mutations {
		p := base
		p.Kind, p.Field, p.Segment, p.Round = m.Kind, m.Field, cmp.Or(m.Segment, string(base.Version)), 1
		if m.Kind == UnknownUser {
			p.User = unknownUser
		}
		probes = append(probes, p)
	}
	return probes
}

// unknownUser is a user whom no target knows. It is the same in every run, so that evidence can be compared.
var unknownUser = User{
	ID: "6b1f0d52-93c4-4e0e-9d0a-5a4f7d2c8e11", UserID: "user-unknown-to-the-target", Enrolled: true,
}
