// Package conformance is the contract of the Authenticator API as requirements, one file for each section of the
// document: what each sends and what must hold of the answers. Other programs run them with Register, in a Ginkgo suite
// of their own.
package conformance

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/spec"
)

// Requirements are the contract as requirements: what each sends and what it checks.
type Requirements = spec.Suite

// Specification gives the requirements of the contract, in the order of the document's sections. The error says in what
// they disagree with the catalogue: a defect of the suite. It is for the commands of this project; other programs call
// Register.
func Specification(contract *schemas.Contract) (*Requirements, error) {
	return spec.New(contract,
		authenticatorRecord, deviceObject, identifierList, fieldDetails, states,
		endpoints, getUserAuth, findByUserIds, openPoints,
		accessToken, headerAuthentication, errorAnswers, limits, sameInBothVersions, deprecation)
}
