package throttle_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("A server that throttles", func() {
	It("serves every request of a client at last, and each refusal is counted", func(ctx SpecContext) {
		const requests, workers = 250, 8
		var answers, refused atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			// By number, not by rate: how fast a client is depends on the machine.
			if n := answers.Add(1); 100 < n && n <= 120 {
				refused.Add(1)
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		}))
		DeferCleanup(server.Close)
		base, err := url.Parse(server.URL)
		Expect(err).NotTo(HaveOccurred())
		contract := testkit.Contract()
		client := target.New(&settings.Settings{
			URLs:          map[schemas.Version]*url.URL{schemas.V5: base, schemas.V6: base},
			AccessToken:   "administrator-token-8Fk2Qw7Zp1Xc5Vb9",
			ApplicationID: "calling-module", Versions: schemas.Versions(), Concurrency: workers,
			Timeout: 10 * time.Second,
		}, contract, "1.2.3", "run-17")
		DeferCleanup(client.Close)
		client.Pacer = ordinaryThrottle(workers)

		todo := make(chan int, requests)
		for n := range requests {
			todo <- n
		}
		close(todo)
		var served [requests]atomic.Int64
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				defer GinkgoRecover()
				for n := range todo {
					ex, err := client.Do(ctx, exchange.Probe{
						ID: fmt.Sprintf("u%d.1", n), Operation: schemas.FindByUserIDs, Version: schemas.V5,
						Segment: "v5", Round: 1,
						User: settings.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001",
							Enrolled: true},
					})
					Expect(err).NotTo(HaveOccurred())
					Expect(ex.Status).To(Equal(http.StatusOK))
					served[n].Add(1)
				}
			})
		}
		all.Wait()
		for n := range served {
			Expect(served[n].Load()).To(BeEquivalentTo(1), "request %d", n)
		}
		Expect(client.Counts().Throttled).To(And(BeEquivalentTo(refused.Load()), BeEquivalentTo(20)))
		Expect(answers.Load()).To(BeEquivalentTo(requests + refused.Load()))
	}, SpecTimeout(time.Minute))
})
