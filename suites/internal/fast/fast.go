// Package fast proves in one pass over its bytes that an answer keeps the contract, where that is easy to prove: nearly
// all answers of a population are right and plainly written. Of all others it says nothing, so that the judge decides.
//
// It is held against the judge by a differential fuzz test: whatever is accepted here, the judge finds nothing wrong
// with. What the answers hold is read out of the schema files; no member of the document is named here.
package fast

import (
	"authenticator-conformance/schemas"
)

// The bounds of what is looked at. They lie far below those of J20: what passes one of them is no common case.
const (
	mostBytes  = 1 << 20 // of a body
	mostDepth  = 16      // of arrays and objects, one inside the other
	mostOthers = 16      // undocumented members of one object
	mostDigits = 32      // of a number, before and after its point
)

// Checker accepts answers that keep the contract. It is immutable and safe for concurrent use.
type Checker struct {
	record      *place // §2.1
	records     *place // an array of them (J11)
	identifiers *place // §2.3
	other       *place // of undocumented members (J9)
}

// Shape is the form of an answer that was accepted.
type Shape uint8

// The shapes. Nothing is that of an answer which was not accepted.
const (
	Nothing     Shape = iota
	Record            // of getUserAuth: one record
	Records           // of getUserAuth: an array of at least one record (J11)
	Identifiers       // of findByUserIds: an array of at least one GUID
	Empty             // of either operation: an array without elements
)

// Kind tells what was accepted.
type Kind struct {
	Shape Shape
	Count int // of records or identifiers: 1 for Record, 0 for Empty and Nothing
}

// New reads the schemas of a contract that schemas.Load gave. Whatever it does not understand of them makes the checker
// accept less, never more.
func New(contract *schemas.Contract) *Checker { return compile(contract, schemas.Files()) }

// Text gives a function that tells whether a text is proved to be right as a member of an object, as the object's
// schema has it: one of package schemas. False says nothing of the text, nor of the other members.
func Text(object *schemas.Schema, member string) func(text string) bool {
	return compileText(object, member, schemas.Files())
}

// Accepts tells whether a body, freed of its content encoding, is proved to keep all that J1 to J12 ask of the body of
// an answer to a well-formed request for the user: it is exactly one strict JSON text that J1 takes for an answer, each
// documented member is right or null, each UserId is that of the user or differs in case only (J12), and each
// identifier is a GUID. An empty array is accepted: it breaks nothing, and witnesses nothing (J10). The status is the
// caller's to judge, and so is whether a user who is not enrolled may be answered so.
//
// False says nothing of the body: the judge has to look at it. The kind is then the zero Kind.
func (c *Checker) Accepts(op schemas.Operation, userID string, body []byte) (bool, Kind) {
	if len(body) > mostBytes {
		return false, Kind{}
	}
	s := scan{body: body, user: userID, other: c.other}
	start := s.space(0)
	root, one, many := c.identifiers, Nothing, Identifiers
	if op == schemas.GetUserAuth {
		root, one, many = c.records, Record, Records
		if s.at(start) == '{' {
			root = c.record
		}
	} else if op != schemas.FindByUserIDs {
		return false, Kind{}
	}
	end, count := s.value(root, start, 0)
	if end == unproved || s.space(end) != len(body) {
		return false, Kind{}
	}
	switch {
	case s.at(start) == '{':
		return true, Kind{Shape: one, Count: 1}
	case count == 0:
		return true, Kind{Shape: Empty}
	default:
		return true, Kind{Shape: many, Count: count}
	}
}
