package spec

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// The operations, as the document names them (§4).
const (
	GetUserAuth   = schemas.GetUserAuth
	FindByUserIds = schemas.FindByUserIDs
)

// WellFormed is the request as sections 4.1 and 4.2 show it. It is sent for every user. The other mutations are sent
// for one user, for whom every well-formed request returned data (J13).
var WellFormed = exchange.Mutation{}

// Without leaves a field out of the request.
func Without(field string) exchange.Mutation {
	return exchange.Mutation{Kind: exchange.Absent, Field: field}
}

// Null sends null for a field.
func Null(field string) exchange.Mutation {
	return exchange.Mutation{Kind: exchange.Null, Field: field}
}

// WrongType sends a number for a field.
func WrongType(field string) exchange.Mutation {
	return exchange.Mutation{Kind: exchange.WrongType, Field: field}
}

// Mutations of the token: empty, random with the same length, and the real one with a character in its middle changed.
var (
	EmptyToken   = exchange.Mutation{Kind: exchange.EmptyToken, Field: exchange.AccessToken}
	RandomToken  = exchange.Mutation{Kind: exchange.RandomToken, Field: exchange.AccessToken}
	ChangedToken = exchange.Mutation{Kind: exchange.ChangedToken, Field: exchange.AccessToken}
)

// Mutations of the request as a whole.
var (
	UnknownUser        = exchange.Mutation{Kind: exchange.UnknownUser}
	UnknownApplication = exchange.Mutation{Kind: exchange.UnknownApplication}
	NotJSON            = exchange.Mutation{Kind: exchange.NotJSON}
	EmptyBody          = exchange.Mutation{Kind: exchange.EmptyBody}
	PlainText          = exchange.Mutation{Kind: exchange.ContentType}
	MethodGet          = exchange.Mutation{Kind: exchange.WrongMethod}
	ExtraMember        = exchange.Mutation{Kind: exchange.ExtraMember}
)

// InPath sends the request to another version segment of the path, such as v4.
func InPath(segment string) exchange.Mutation {
	return exchange.Mutation{Kind: exchange.AdjacentVersion, Segment: segment}
}

// Conditions under which a requirement is judged.

// ValuesAreCompared reports whether the setting is parity: value.
func ValuesAreCompared(o Options) bool { return !o.ShapeOnly }

// DivergenceFails reports whether the setting is divergence: fail.
func DivergenceFails(o Options) bool { return o.DivergenceFails }
