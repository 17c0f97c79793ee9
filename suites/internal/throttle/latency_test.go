package throttle_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
)

// workUnderLoad returns a simulation of a target whose latency depends on how many requests it works on. It is asked
// one after the other.
func workUnderLoad(workers int, duration time.Duration,
	latency func(inFlight int, since time.Duration) time.Duration) *concurrency {
	begin := time.Now()
	var mu sync.Mutex
	inFlight := 0
	return &concurrency{throttle: ordinaryThrottle(workers), workers: workers, until: begin.Add(duration),
		send: func() *exchange.Exchange {
			mu.Lock()
			inFlight++
			long := latency(inFlight, time.Since(begin))
			mu.Unlock()
			time.Sleep(long)
			mu.Lock()
			inFlight--
			mu.Unlock()
			return answeredWith(200)
		}}
}

func latencySpecs(inBubble bubble) {
	for _, workers := range []int{8, 64} {
		Describe(fmt.Sprintf("With %d requests in flight at most", workers), func() {
			It("a target with a steady latency gets nearly all requests", func() {
				inBubble(func() {
					random := rand.New(rand.NewPCG(7, 11))
					const duration = 24 * time.Second
					begin := time.Now()
					c := workUnderLoad(workers, duration, func(int, time.Duration) time.Duration {
						return 40*time.Millisecond + time.Duration(random.Int64N(int64(20*time.Millisecond)))
					})
					c.run()
					Expect(c.errs).To(BeEmpty())
					possible := float64(workers) * duration.Seconds() / 2 / (50 * time.Millisecond).Seconds()
					Expect(float64(c.countBetween(begin.Add(duration/2), c.until))).To(
						BeNumerically(">=", 0.9*possible))
					Expect(c.throttle.InFlight()).To(BeNumerically(">=", workers*9/10))
				})
			})

			It("a target that gets slower gets fewer requests, and all again once it is quick", func() {
				inBubble(func() {
					c := workUnderLoad(workers, 170*time.Second, func(inFlight int, since time.Duration) time.Duration {
						const duration = 100 * time.Millisecond
						if since < 30*time.Second || since > 105*time.Second {
							return duration
						}
						part := float64(inFlight) / float64(workers)
						return duration + time.Duration(8*part*part*float64(duration))
					})
					var before, slow atomic.Int64
					time.AfterFunc(30*time.Second, func() { before.Store(int64(c.throttle.InFlight())) })
					time.AfterFunc(105*time.Second, func() { slow.Store(int64(c.throttle.InFlight())) })
					c.run()
					Expect(c.errs).To(BeEmpty())
					Expect(before.Load()).To(BeNumerically(">=", workers*9/10))
					Expect(slow.Load()).To(And(BeNumerically(">=", 1), BeNumerically("<=", workers/2)))
					Expect(c.throttle.InFlight()).To(BeNumerically(">=", workers*9/10))
				})
			})
		})
	}
}
