package spec

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// The operations, as the document names them (§4).
const (
	GetUserAuth   = schemas.GetUserAuth
	FindByUserIds = schemas.FindByUserIDs
)

// WellFormed is the request as sections 4.1 and 4.2 show it. It is sent for every user. The other mutations go to one
// user to whom every well-formed request brought data (J13).
var WellFormed = exchange.Mutation{}

// Without leaves a field out of the request.
func Without(field string) exchange.Mutation {
	return exchange.Mutation{Alteration: exchange.Absent, Field: field}
}

// Null sends null for a field.
func Null(field string) exchange.Mutation {
	return exchange.Mutation{Alteration: exchange.Null, Field: field}
}

// WrongType sends a number for a field.
func WrongType(field string) exchange.Mutation {
	return exchange.Mutation{Alteration: exchange.WrongType, Field: field}
}

// Mutations of the token: an empty one, a random one of the same length, and the real one with a character in its
// middle changed.
var (
	EmptyToken   = exchange.Mutation{Alteration: exchange.EmptyToken, Field: exchange.AccessToken}
	RandomToken  = exchange.Mutation{Alteration: exchange.RandomToken, Field: exchange.AccessToken}
	ChangedToken = exchange.Mutation{Alteration: exchange.ChangedToken, Field: exchange.AccessToken}
)

// Mutations of the request as a whole.
var (
	UnknownUser        = exchange.Mutation{Alteration: exchange.UnknownUser}
	UnknownApplication = exchange.Mutation{Alteration: exchange.UnknownApplication}
	NotJSON            = exchange.Mutation{Alteration: exchange.NotJSON}
	EmptyBody          = exchange.Mutation{Alteration: exchange.EmptyBody}
	PlainText          = exchange.Mutation{Alteration: exchange.ContentType}
	MethodGet          = exchange.Mutation{Alteration: exchange.WrongMethod}
	ExtraMember        = exchange.Mutation{Alteration: exchange.ExtraMember}
)

// InPath sends the request to another version segment of the path, such as v4.
func InPath(segment string) exchange.Mutation {
	return exchange.Mutation{Alteration: exchange.Neighbour, Segment: segment}
}

// Conditions on which a requirement is judged.

// ValuesAreCompared is parity: value.
func ValuesAreCompared(o Options) bool { return !o.ShapeOnly }

// DivergenceFails is divergence: fail.
func DivergenceFails(o Options) bool { return o.DivergenceFails }
