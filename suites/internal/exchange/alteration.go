package exchange

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// Alteration is the one thing in which a probe departs from a well-formed request.
type Alteration string

// What can be altered. The first group is judged by J13, the second is only observed (§7, §9.4).
const (
	Unaltered    Alteration = ""
	Absent       Alteration = "absent"
	Null         Alteration = "null"
	EmptyToken   Alteration = "empty token"
	RandomToken  Alteration = "random token"
	ChangedToken Alteration = "changed token"

	WrongType          Alteration = "wrong type of"
	UnknownUser        Alteration = "unknown user"
	UnknownApplication Alteration = "unknown application"
	NotJSON            Alteration = "body that is no JSON"
	EmptyBody          Alteration = "empty body"
	ContentType        Alteration = "content type text/plain"
	WrongMethod        Alteration = "method GET"
	ExtraMember        Alteration = "undocumented member"
	Neighbour          Alteration = "neighbouring release"
)

// AccessToken is the request field that holds the administrator's token (§5.1).
const AccessToken = "AccessToken"

// observedAs names the open point of section 7 that an alteration without a rule tells about.
var observedAs = map[Alteration]string{
	UnknownUser:        "unknown-user",
	UnknownApplication: "unknown-application",
	NotJSON:            "not-json",
	EmptyBody:          "empty-body",
	ContentType:        "content-type",
	WrongMethod:        "wrong-method",
	ExtraMember:        "undocumented-member",
}

// Reads are the well-formed requests for one user and operation, in the order of J15: v5, v6, v5, v6.
func Reads(base Probe, versions []schemas.Version) []Probe {
	return Rounds(base, versions, 1, 2)
}

// Rounds asks each version in turn, once a round.
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

// Altered lists the probes that J13 and the open points of sections 7 and 9.4 ask for, for the operation, version and
// user of base: with tokens false those that may be sent freely, with tokens true those with a bad token, which J13 puts
// last. Fields are the operation's request fields in the document's order.
func Altered(base Probe, fields []string, tokens bool) []Probe {
	var probes []Probe
	for _, p := range alterations(base.Operation, fields) {
		p.Operation, p.Version, p.User, p.Round = base.Operation, base.Version, base.User, 1
		if p.Segment == "" {
			p.Segment = string(base.Version)
		}
		if p.Alteration == UnknownUser {
			p.User = stranger
		}
		if (p.Risk() == schemas.AuthFailure) == tokens {
			probes = append(probes, p)
		}
	}
	return probes
}

// alterations lists what is altered in an operation's requests, and nothing else of the probes.
func alterations(op schemas.Operation, fields []string) []Probe {
	var list []Probe
	for _, field := range fields {
		list = append(list, Probe{Alteration: Absent, Field: field}, Probe{Alteration: Null, Field: field})
	}
	list = append(list, Probe{Alteration: EmptyToken, Field: AccessToken})
	for _, field := range fields {
		list = append(list, Probe{Alteration: WrongType, Field: field})
	}
	for _, a := range []Alteration{UnknownUser, UnknownApplication, NotJSON, EmptyBody, ContentType, WrongMethod, ExtraMember} {
		list = append(list, Probe{Alteration: a})
	}
	if op == schemas.GetUserAuth {
		// The segments beside the two documented ones (§9.4).
		list = append(list, Probe{Alteration: Neighbour, Segment: "v4"}, Probe{Alteration: Neighbour, Segment: "v7"})
	}
	return append(list, Probe{Alteration: RandomToken, Field: AccessToken}, Probe{Alteration: ChangedToken, Field: AccessToken})
}

// stranger is a user that no target knows. It is the same in every run, so that evidence can be compared.
var stranger = settings.User{ID: "6b1f0d52-93c4-4e0e-9d0a-5a4f7d2c8e11", UserID: "user-unknown-to-the-target", Enrolled: true}
