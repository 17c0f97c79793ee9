package proof_test

import (
	"io"
	"log"
	"runtime/debug"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestProof(t *testing.T) {
	RegisterFailHandler(Fail)
	// As in the command, because net/http's client logs what a hostile target sends.
	log.SetOutput(io.Discard)
	debug.SetMemoryLimit(3 << 30) // services with large bodies are judged side by side
	services := newJobs()
	// Those that wait longest start first.
	registerHostile(services)
	registerConforming(services)
	registerMutants(services)
	registerUnknownEnrolment(services)
	registerCombinations(newJobs())
	suite, reporter := GinkgoConfiguration()
	suite.Timeout = 0 // go test has its own
	RunSpecs(t, "proof", suite, reporter)
}
