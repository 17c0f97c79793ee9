package parity

import "authenticator-conformance/schemas"

// Records compares two answers of getUserAuth.
func Records(left, right any) []Difference { return answers(schemas.GetUserAuth, left, right) }

// Identifiers compares two answers of findByUserIds.
func Identifiers(left, right any) []Difference { return answers(schemas.FindByUserIDs, left, right) }

func answers(op schemas.Operation, left, right any) []Difference {
	var c comparison
	c.answers(op, left, right)
	return c.found
}
