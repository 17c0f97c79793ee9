package sweep_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ledger"
)

var _ = Describe("An outage that is over before the circuit opens", func() {
	It("loses nobody, and what was sent again is counted", func() {
		right := validFor(20)
		var requests atomic.Int64
		url := serving(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := requests.Add(1); n == 21 || n == 22 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			right.ServeHTTP(w, r)
		})))
		out := finished(url, invented(20))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Users).To(BeEquivalentTo(20))
		Expect(out.Traffic.Repeated).To(BeEquivalentTo(1))
		Expect(out.Traffic.Outages).To(BeZero())
		Expect(out.Traffic.Requests).To(BeEquivalentTo(83),
			"the request, two others to see whether the target is up, and the request again")
	})
})
