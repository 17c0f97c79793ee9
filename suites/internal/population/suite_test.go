package population_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPopulation(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Population")
}
