package target_test

import (
	"net/http"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/target"
)

// closeAt is a handler that closes the connections of some requests, chosen by their number from 1, without an answer.
func closeAt(which func(number int64) bool) (handler http.HandlerFunc, asked *atomic.Int64) {
	asked = &atomic.Int64{}
	return func(http.ResponseWriter, *http.Request) {
		if which(asked.Add(1)) {
			panic(http.ErrAbortHandler)
		}
	}, asked
}

// countFaults sends so many requests in each of so many goroutines, and counts the faults.
func countFaults(ctx SpecContext, c *target.Client, goroutines, requests int) int64 {
	var faults atomic.Int64
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			defer GinkgoRecover()
			for range requests {
				if sendProbe(ctx, c, wellFormed).Fault != nil {
					faults.Add(1)
				}
			}
		})
	}
	all.Wait()
	return faults.Load()
}

var _ = Describe("Kept connections", func() {
	DescribeTable("that the target closes cost one more request; then each request has its own",
		func(ctx SpecContext, m mode) {
			handler, asked := closeAt(func(number int64) bool { return number == 2 })
			c, connections := m.startTarget(handler)
			Expect(countFaults(ctx, c, 1, 5)).To(BeZero())
			Expect(asked.Load()).To(BeEquivalentTo(6))
			Expect(connections.Load()).To(BeEquivalentTo(5))
			Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 6, Repeated: 1}), "what was sent again counts")
		}, modes[:2])

	DescribeTable("that end without an answer, also if each request has its own, are faults",
		func(ctx SpecContext, m mode) {
			handler, asked := closeAt(func(number int64) bool { return number > 1 })
			c, _ := m.startTarget(handler)
			Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
			for range 3 {
				expectFault(sendProbe(ctx, c, wellFormed), exchange.Transport, "EOF")
			}
			Expect(asked.Load()).To(BeEquivalentTo(1 + 2 + 1 + 1))
		}, modes[:2])

	It("that the target closes all at once cost one more request each", func(ctx SpecContext) {
		const atOnce = 3
		var asked atomic.Int64
		var answered, hungUp sync.WaitGroup
		answered.Add(atOnce)
		hungUp.Add(atOnce)
		c := clientFor(startServer(func(http.ResponseWriter, *http.Request) {
			switch n := asked.Add(1); {
			case n <= atOnce:
				answered.Done()
				answered.Wait()
			case n <= 2*atOnce:
				hungUp.Done()
				hungUp.Wait()
				panic(http.ErrAbortHandler)
			}
		}))
		Expect(countFaults(ctx, c, atOnce, 2)).To(BeZero())
		Expect(c.Counts().Repeated).To(BeEquivalentTo(atOnce))
		Expect(asked.Load()).To(BeEquivalentTo(3 * atOnce))
	})

	// A server may close a connection after an answer without notice (RFC 9112 §9.3). That must cause no fault.
	DescribeTable("that the target closes right after an answer cause no fault",
		func(ctx SpecContext, answers, goroutines int) {
			c := clientFor(startRaw(answers, statusOK+"Content-Length: 2\r\n\r\n[]"))
			Expect(countFaults(ctx, c, goroutines, 20)).To(BeZero())
			Expect(c.Counts().Requests).To(BeEquivalentTo(20*int64(goroutines)+c.Counts().Repeated),
				"each answer cost one request, but for those that met a closing connection")
			Expect(c.Counts().Repeated).To(BeNumerically("<=", goroutines+1), "one close is enough to learn from")
		},
		Entry("the first, of one request at a time", 1, 1), Entry("the first, of several requests at a time", 1, 4),
		Entry("the second, of one request at a time", 2, 1),
	)
})
