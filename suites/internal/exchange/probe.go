// Package exchange holds the requests that the suite means to send and what came back for them: a probe is the meaning
// of a request, an exchange the evidence. It sends nothing and judges nothing.
package exchange

import (
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// Probe is a request that the suite means to send.
type Probe struct {
	ID        string // "e17": the place in the plan, so that a report names the same request in every run
	Operation schemas.Operation
	Version   schemas.Version
	Segment   string // the version segment of the path; other than Version only for a neighbouring release
	User      settings.User
	Round     int // the how-manieth time the same well-formed request is sent, from 1
	Kind      Kind
	Field     string // the request field that was altered, where one was
}

// WellFormed tells whether nothing was altered: such a request must be served for a known user (J1).
func (p Probe) WellFormed() bool { return p.Kind == NoMutation }

// Mutation is how the probe differs from the well-formed request.
func (p Probe) Mutation() Mutation {
	m := Mutation{Kind: p.Kind, Field: p.Field}
	if p.Kind == AdjacentVersion {
		m.Segment = p.Segment
	}
	return m
}

// Risk is what the probe may mean to a live service.
func (p Probe) Risk() schemas.Risk { return p.Mutation().Risk() }

// Name says in a few words what the probe is, for example "null UserId".
func (p Probe) Name() string {
	switch {
	case p.WellFormed():
		return "well-formed, round " + strconv.Itoa(p.Round)
	case p.Kind == AdjacentVersion:
		return "neighbouring release " + p.Segment
	case p.Field != "" && p.Kind != RandomToken && p.Kind != ChangedToken && p.Kind != EmptyToken:
		return string(p.Kind) + " " + p.Field
	default:
		return string(p.Kind)
	}
}
