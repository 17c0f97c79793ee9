package selftest_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/hostile"
)

// A run against any hostile target ends, describes what happened, and reveals no secret.
var _ = Describe("A hostile target", Label(proofLabel), func() {
	list := hostile.All()
	runs := make([]func() []hostileRun, len(list))
	for i, t := range list {
		runs[i] = startEarly(&hostileJobs, func() []hostileRun { return hostileRuns(t) })
		It(t.Name, Label(hostileLabel), func() {
			for _, r := range runs[i]() {
				r.check(t)
			}
		})
	}

	It("needs no more than 1 GiB of memory", func() {
		largest, name := int64(0), ""
		for i, t := range list {
			for _, r := range runs[i]() {
				if r.peakMemory > largest {
					largest, name = r.peakMemory, t.Name
				}
			}
		}
		AddReportEntry("the largest peak of resident memory", fmt.Sprintf("%d MiB: %s", largest>>20, name))
		Expect(largest).To(BeNumerically("<", memoryBound))
	})
})
