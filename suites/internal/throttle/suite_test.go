package throttle_test

import (
	"testing"
	"testing/synctest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// bubble runs a spec by a clock of its own: an hour of waiting passes at once, and exactly. What waits for nothing that
// could ever come is an error.
type bubble func(spec func())

func TestThrottle(t *testing.T) {
	RegisterFailHandler(Fail)
	inBubble := func(spec func()) {
		synctest.Test(t, func(*testing.T) {
			defer GinkgoRecover()
			spec()
		})
	}
	for _, specs := range []func(bubble){breakerSpecs, outageSpecs, backOffSpecs, latencySpecs, budgetSpecs, hoursSpecs,
		endSpecs} {
		specs(inBubble)
	}
	RunSpecs(t, "throttle")
}
