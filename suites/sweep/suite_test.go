package sweep_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// TestPackage runs the specs of the package. Those that it offers, over a population, are run in the folder ordinary.
func TestPackage(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "sweep")
}
