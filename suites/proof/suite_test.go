package proof_test

import (
	"io"
	"log"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
)

func TestProof(t *testing.T) {
	RegisterFailHandler(Fail)
	// As in the command, because net/http's client logs what a hostile target sends.
	log.SetOutput(io.Discard)
	services := newJobs()
	// Those that wait longest start first.
	registerHostile(services)
	registerConforming(services)
	registerMutants(services)
	registerUnknownEnrolment(services)
	suite, reporter := GinkgoConfiguration()
	suite.Timeout = 0 // go test has its own
	RunSpecs(t, "proof", suite, reporter)
}

// contract is loaded once, because that takes as long as several runs.
var contract = sync.OnceValue(func() *schemas.Contract {
	loaded, err := schemas.Load()
	if err != nil {
		panic(err) // the schemas are part of the program
	}
	return loaded
})

// suite is the specification of the contract, created once.
var suite = sync.OnceValue(func() *conformance.Requirements {
	suite, err := conformance.Specification(contract())
	if err != nil {
		panic(err) // the schemas are part of the program
	}
	return suite
})
