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
	// As in the command: the HTTP client of the standard library logs what a hostile target sends.
	log.SetOutput(io.Discard)
	services := newAhead()
	// Those that wait longest are begun first.
	registerHostile(services)
	registerConforming(services)
	registerMutants(services)
	registerUnmarked(services)
	suite, reporter := GinkgoConfiguration()
	suite.Timeout = 0 // go test has one
	RunSpecs(t, "proof", suite, reporter)
}

// contract is loaded once: that takes as long as several runs.
var contract = sync.OnceValue(func() *schemas.Contract {
	loaded, err := schemas.Load()
	if err != nil {
		panic(err) // it is part of the program
	}
	return loaded
})

// suite is the contract with its requirements, made once.
var suite = sync.OnceValue(func() *conformance.Requirements {
	suite, err := conformance.Specification(contract())
	if err != nil {
		panic(err) // it is part of the program
	}
	return suite
})
