package selftest_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/kit"
)

// Each conforming service passes, and the report counts the requests that reached it.
var _ = Describe("A conforming service", Label(proofLabel), func() {
	type certified struct {
		*result
		service *kit.Running
	}
	list := conforming.All()
	slices.SortFunc(list, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range list {
		outcome := startEarly(&conformingJobs, func() certified {
			r, service := conformingService(s).judge(command{args: []string{"run"}})
			return certified{r, service}
		})
		It(s.Name, Label(conformingLabel), func() {
			c := outcome()
			report := checkRun(c.result)
			Expect(report.Verdict).To(Equal("pass"), "%s\n%s\n%s", s.Sentence, report, c.stderr)
			Expect(report.Complete).To(BeTrue())
			Expect(report.rows("fail", "inconclusive")).To(BeEmpty())
			requests := c.service.Requests()
			Expect(requests).To(BeNumerically("<=", report.Counts.Requests), "the report does not count all requests")
			if !strings.HasPrefix(s.Name, "connection-") {
				// With these, a request may be lost on a connection that the service has closed meanwhile.
				Expect(requests).To(Equal(report.Counts.Requests), "the report counts requests that never arrived")
			}
		})
	}
})
