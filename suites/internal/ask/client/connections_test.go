package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// parts are what a target sends before it breaks off or stands still: nothing, and the start of a body.
var parts = []string{"", "["}

// startAnswer reads a request, so that the server notices the end of its connection, and sends the start of an answer.
func startAnswer(w http.ResponseWriter, r *http.Request, part string) {
	_, _ = io.Copy(io.Discard, r.Body)
	if part != "" {
		_, _ = io.WriteString(w, part)
		_ = http.NewResponseController(w).Flush()
	}
}

var _ = DescribeTable("All requests share a connection until Reconnect, and no header marks them as repeatable",
	func(ctx SpecContext, m mode) {
		c, connections := m.startTarget(func(_ http.ResponseWriter, r *http.Request) {
			if len(r.Header.Values("Idempotency-Key")) > 0 {
				panic(http.ErrAbortHandler)
			}
		})
		for series := range 3 {
			for _, p := range []exchange.Probe{wellFormed, control, withoutID, control,
				changedBy(exchange.RandomToken, exchange.AccessToken), control} {
				ex := sendProbe(ctx, c, p)
				Expect(ex.Fault).To(BeNil())
				Expect(ex.Proto).To(Equal(m.protocol))
			}
			Expect(connections.Load()).To(BeEquivalentTo(series + 1))
			c.Reconnect()
		}
		Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 18}), "none was sent again")
	}, modes)

var _ = DescribeTable("Requests go over two connections in turn, which stay open until Reconnect",
	func(ctx SpecContext, m mode) {
		c, connections := m.startTarget(func(http.ResponseWriter, *http.Request) {})
		for i := range 6 {
			Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
			Expect(connections.Load()).To(BeEquivalentTo(min(i+1, 2)))
			c.Alternate()
		}
		c.Reconnect()
		for i := range 4 {
			Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
			Expect(connections.Load()).To(BeEquivalentTo(3 + min(i, 1)))
			c.Alternate()
		}
	}, modes)

var _ = DescribeTable("A target that breaks off what it refuses loses no other request",
	func(ctx SpecContext, m mode) {
		c, _ := m.startTarget(func(_ http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Content-Type") == "text/plain" {
				panic(http.ErrAbortHandler)
			}
		})
		for range 3 {
			Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
			expectFault(sendProbe(ctx, c, changedBy(exchange.ContentType, "")), exchange.Transport, "")
		}
	}, modes)

var _ = DescribeTable("A connection that was idle for long is not used again: what is in front may have forgotten it",
	func(ctx SpecContext, m mode) {
		kept := *client.IdleTimeout
		DeferCleanup(func() { *client.IdleTimeout = kept })
		*client.IdleTimeout = 20 * time.Millisecond
		c, connections := m.startTarget(func(http.ResponseWriter, *http.Request) {})
		Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
		time.Sleep(200 * time.Millisecond)
		Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
		Expect(connections.Load()).To(BeEquivalentTo(2))
		Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 2}), "none was sent again")
	}, modes)

// A target with too large a header did answer, so that is a finding and does not end the run (J20).
var _ = DescribeTable("A header block is read up to 1 MiB",
	func(ctx SpecContext, m mode) {
		filler := strings.Repeat("x", 1<<20)
		c, _ := m.startTarget(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Filler", filler)
		})
		expectFault(sendProbe(ctx, c, wellFormed), exchange.Bound, "the header block is larger than 1 MiB")
		filler = filler[1000:]
		ex := sendProbe(ctx, c, wellFormed)
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Proto).To(Equal(m.protocol))
	}, modes)

var _ = DescribeTable("An answer that is not whole at the deadline of its request is a timeout",
	func(ctx SpecContext, m mode) {
		for _, part := range parts {
			c, _ := m.startTarget(func(w http.ResponseWriter, r *http.Request) {
				startAnswer(w, r, part)
				<-r.Context().Done()
				panic(http.ErrAbortHandler) // nor is it whole when the client goes away
			}, func(s *settings.Settings) { s.Timeout = 100 * time.Millisecond })
			expectFault(sendProbe(ctx, c, wellFormed), exchange.Timeout, "deadline of 100ms (setting timeout)")
		}
	}, modes)

var _ = DescribeTable("An answer that breaks off is a fault of the transport, and is not asked for again",
	func(ctx SpecContext, m mode) {
		for i, part := range []string{"", "[", "["} {
			reused, asked := i == 2, 0 // on a connection that is reused, only the start of an answer shows that it came
			c, _ := m.startTarget(func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked > 1 || !reused {
					startAnswer(w, r, part)
					panic(http.ErrAbortHandler)
				}
			})
			if reused {
				Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
			}
			says := []string{"", "the body broke off: "}[len(part)]
			expectFault(sendProbe(ctx, c, wellFormed), exchange.Transport, says)
			Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 1 + int64(i/2)}))
		}
	}, modes)

var _ = DescribeTable("The end of the run is no fault of a request that waits, but an error with its cause",
	func(ctx SpecContext, m mode) {
		for _, part := range parts {
			cause := errors.New("the run was interrupted")
			stoppable, cancel := context.WithCancelCause(ctx)
			c, _ := m.startTarget(func(w http.ResponseWriter, r *http.Request) {
				startAnswer(w, r, part)
				cancel(cause)
				<-r.Context().Done()
			})
			ex, err := c.Send(stoppable, wellFormed)
			Expect(ex).To(BeNil())
			Expect(err).To(MatchError(cause))
		}
	}, modes)

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
func countFaults(ctx SpecContext, c *client.Client, goroutines, requests int) int64 {
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
	DescribeTable("that the target closes with a request in flight cost one more request, and are kept all the same",
		func(ctx SpecContext, m mode) {
			handler, asked := closeAt(func(number int64) bool { return number%3 == 0 })
			c, connections := m.startTarget(handler)
			Expect(countFaults(ctx, c, 1, 6)).To(BeZero())
			Expect(asked.Load()).To(BeEquivalentTo(8))
			Expect(connections.Load()).To(BeEquivalentTo(3))
			Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 8, Repeated: 2}), "what was sent again counts")
		}, modes[:2])

	DescribeTable("that the target closed between two requests cost nothing",
		func(ctx SpecContext, m mode) {
			var last net.Conn
			c, connections := m.startTarget(func(_ http.ResponseWriter, r *http.Request) { last = connOf(r) })
			for range 3 {
				Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
				Expect(last.Close()).To(Succeed())
				time.Sleep(100 * time.Millisecond)
			}
			Expect(connections.Load()).To(BeEquivalentTo(3))
			Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 3}))
		}, modes)

	DescribeTable("that end without an answer, and new ones that do, are faults",
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
			switch n := asked.Add(1) - 1; {
			case n == 0: // before the first answer there is only one request
			case n <= atOnce:
				answered.Done()
				answered.Wait()
			case n <= 2*atOnce:
				hungUp.Done()
				hungUp.Wait()
				panic(http.ErrAbortHandler)
			}
		}))
		Expect(sendProbe(ctx, c, wellFormed).Fault).To(BeNil())
		Expect(countFaults(ctx, c, atOnce, 2)).To(BeZero())
		Expect(c.Counts().Repeated).To(BeEquivalentTo(atOnce))
		Expect(asked.Load()).To(BeEquivalentTo(1 + 3*atOnce))
	})

	DescribeTable("are given up now and then by a client that is to meet each node behind a balancer",
		func(ctx SpecContext, m mode) {
			for _, givesUp := range []bool{false, true} {
				c, connections := m.startTarget(func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, "[]")
				})
				c.GivesUp = givesUp
				Expect(countFaults(ctx, c, 1, 100)).To(BeZero())
				if !givesUp {
					Expect(connections.Load()).To(BeEquivalentTo(1))
				} else { // on a busy machine the HTTP library may open one over HTTP/2 that it does not need
					Expect(connections.Load()).To(BeNumerically("~", 16, 1))
				}
				Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 100}))
			}
		}, modes)

	// A server that means to close a connection of HTTP/2 says so by GOAWAY (RFC 9113 §9.1).
	It("that are lost over HTTP/2 with a request in flight are a fault of that one", func(ctx SpecContext) {
		var asked atomic.Int64
		c, connections := overHTTP2.startTarget(func(_ http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 3 {
				_ = connOf(r).Close()
			}
		})
		Expect(countFaults(ctx, c, 1, 9)).To(BeEquivalentTo(1))
		Expect(connections.Load()).To(BeEquivalentTo(2))
		Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 9}))
	})

	// A server may close a connection after an answer without notice (RFC 9112 §9.3). That must cause no fault.
	DescribeTable("that the target closes right after an answer cause no fault",
		func(ctx SpecContext, answers, goroutines int) {
			c := clientFor(startRaw(answers, statusOK+"Content-Length: 2\r\n\r\n[]"))
			Expect(countFaults(ctx, c, goroutines, 20)).To(BeZero())
			Expect(c.Counts().Requests).To(BeEquivalentTo(20*int64(goroutines)+c.Counts().Repeated),
				"each answer cost one request, but for those that met a closing connection")
		},
		Entry("the first, of one request at a time", 1, 1), Entry("the first, of several requests at a time", 1, 4),
		Entry("the second, of one request at a time", 2, 1),
	)
})
