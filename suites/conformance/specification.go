// Package conformance contains the requirements of the Authenticator API, one file for each section of the document.
// They define what is sent and how the answers are checked. Other programs run them with Register, in their own Ginkgo
// suite.
package conformance

import (
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/spec"
)

// Requirements are the contract's requirements: what each sends and what it checks.
type Requirements = spec.Suite

// embedded returns the requirements of the contract that is part of the program.
var embedded = sync.OnceValue(func() *Requirements {
	contract, err := schemas.Load()
	if err != nil {
		panic("defect of the suite: " + err.Error())
	}
	requirements, err := Specification(contract)
	if err != nil {
		panic(err)
	}
	return requirements
})

// Specification returns the requirements of the contract, in the order of the document's sections. The error describes
// where they disagree with the catalogue, which is a defect of the suite. It is for the commands of this project; other
// programs call Register. Another edition of the contract may have more sections.
func Specification(contract *schemas.Contract, more ...func(*Requirements)) (*Requirements, error) {
	return spec.New(contract, append([]func(*Requirements){
		authenticatorRecord, deviceObject, identifierList, fieldDetails, states,
		endpoints, getUserAuth, findByUserIds, openPoints,
		accessToken, headerAuthentication, errorAnswers, limits, sameInBothVersions, deprecation}, more...)...)
}
