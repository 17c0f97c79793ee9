package sweep_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("A target that is silent for some users for a while", func() {
	// silentAt answers like the target, but not the requests with these numbers, from 1.
	silentAt := func(right http.Handler, silent func(number int64) bool) (http.Handler, *atomic.Int64) {
		var requests atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if silent(requests.Add(1)) {
				_, _ = io.Copy(io.Discard, r.Body) // a server sees that its client went only when it waits to read
				<-r.Context().Done()
				return
			}
			right.ServeHTTP(w, r)
		}), &requests
	}
	impatient := withSettings(func(s *settings.Settings) { s.Timeout = 300 * time.Millisecond })

	It("loses none of them: they are asked once more at the end", func() {
		handler, requests := silentAt(validFor(40), func(n int64) bool { return n == 21 || n == 33 || n == 49 })
		out := finishSweep(serveUntilEnd(httptest.NewServer(handler)), inventedUsers(40), impatient)
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Users).To(BeEquivalentTo(40))
		Expect(out.Traffic.AskedAgain).To(BeEquivalentTo(3))
		Expect(out.Traffic.Requests).To(BeEquivalentTo(requests.Load()))
		for _, op := range schemas.Operations() {
			Expect(out.counts(op)).To(Equal(map[stats.Outcome]int64{stats.Equal: 40}))
		}
	})

	It("is asked once more only: who gets no answer then either stays not comparable", func() {
		const user = 7
		right, silent := validFor(40), 0
		url := serveUntilEnd(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte(inventedUsers(40)[user].UserID+`"`)) {
				silent++
				<-r.Context().Done()
				return
			}
			right.ServeHTTP(w, r)
		})))
		out := finishSweep(url, inventedUsers(40), impatient,
			withSettings(func(s *settings.Settings) { s.Concurrency = 1 }))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive), out.Reason)
		Expect(out.Tally.Users).To(BeEquivalentTo(40))
		Expect(out.Traffic.AskedAgain).To(BeEquivalentTo(1))
		Expect(silent).To(Equal(2 * 4))
		Expect(out.counts(schemas.GetUserAuth)).To(
			Equal(map[stats.Outcome]int64{stats.Equal: 39, stats.NotComparable: 1}))
	})
})

var _ = Describe("An outage that is over before the circuit opens", func() {
	It("loses nobody, and what was sent again is counted", func() {
		right := validFor(20)
		var requests atomic.Int64
		url := serveUntilEnd(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := requests.Add(1); n == 21 || n == 22 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			right.ServeHTTP(w, r)
		})))
		out := finishSweep(url, inventedUsers(20))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Users).To(BeEquivalentTo(20))
		Expect(out.Traffic.Repeated).To(BeEquivalentTo(1))
		Expect(out.Traffic.Outages).To(BeZero())
		Expect(out.Traffic.Requests).To(BeEquivalentTo(83),
			"the request, two others to see whether the target is up, and the request again")
	})
})
