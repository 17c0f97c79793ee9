// Package exchange holds the requests that the suite means to send and what came back for them: a probe is the meaning of
// a request, an exchange the evidence. It sends nothing and judges nothing.
package exchange

import (
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// Probe is a request that the suite means to send.
type Probe struct {
	ID         string // "e17": the place in the plan, so that a report names the same request in every run
	Operation  schemas.Operation
	Version    schemas.Version
	Segment    string // the version segment of the path; other than Version only for a neighbouring release
	User       settings.User
	Round      int // the how-manieth time the same well-formed request is sent, from 1
	Alteration Alteration
	Field      string // the request field that was altered, where one was
}

// WellFormed tells whether nothing was altered: such a request must be served for a known user (J1).
func (p Probe) WellFormed() bool { return p.Alteration == Unaltered }

// Risk is what the probe may mean to a live service.
func (p Probe) Risk() schemas.Risk {
	switch {
	case p.WellFormed():
		return schemas.Read
	case p.Alteration == RandomToken, p.Alteration == ChangedToken, p.Alteration == WrongType && p.Field == AccessToken:
		return schemas.AuthFailure
	default:
		return schemas.Negative
	}
}

// Name says in a few words what the probe is, for example "null UserId".
func (p Probe) Name() string {
	switch {
	case p.WellFormed():
		return "well-formed, round " + strconv.Itoa(p.Round)
	case p.Alteration == Neighbour:
		return "neighbouring release " + p.Segment
	case p.Field != "" && p.Alteration != RandomToken && p.Alteration != ChangedToken && p.Alteration != EmptyToken:
		return string(p.Alteration) + " " + p.Field
	default:
		return string(p.Alteration)
	}
}

// Rows lists the requirement ids that the probe was made to judge or to observe. A well-formed probe serves every row
// that a well-formed request can tell about, and lists none.
func (p Probe) Rows() []string {
	required := section(p.Operation) + "/" + p.Field + "/required"
	switch p.Alteration {
	case Absent:
		return []string{required, "open/7/missing-field"}
	case Null:
		return []string{required, "open/7/null-field"}
	case EmptyToken:
		return []string{required, "open/7/empty-token"}
	case RandomToken, ChangedToken:
		return []string{"5.1/" + string(p.Operation) + "/token", "open/7/unknown-token"}
	case WrongType:
		if p.Field == AccessToken {
			return []string{"open/7/unknown-token"}
		}
		return []string{"open/7/wrong-type"}
	case Neighbour:
		return []string{"open/9.4/neighbours"}
	case Unaltered:
		return nil
	default:
		return []string{"open/7/" + observedAs[p.Alteration]}
	}
}

// section is where the document describes the operation's request.
func section(op schemas.Operation) string {
	if op == schemas.GetUserAuth {
		return "4.1"
	}
	return "4.2"
}
