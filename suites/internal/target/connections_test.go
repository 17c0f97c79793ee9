package target_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// startCountingConnections starts a target that counts its connections.
func startCountingConnections(handler http.HandlerFunc) (address string, count *atomic.Int64) {
	count = &atomic.Int64{}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			count.Add(1)
		}
	}
	server.Start()
	DeferCleanup(server.Close)
	return server.URL, count
}

// closeConnection ends a connection without an answer.
func closeConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

var _ = Describe("Connections", func() {
	It("are kept for well-formed requests", func(ctx SpecContext) {
		address, count := startCountingConnections(func(http.ResponseWriter, *http.Request) {})
		c := clientFor(address)
		for range 20 {
			Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault).To(BeNil())
		}
		Expect(count.Load()).To(BeEquivalentTo(1))
	})

	It("are not shared with requests that should be refused, so a target that closes on those breaks no others",
		func(ctx SpecContext) {
			address, count := startCountingConnections(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Content-Type") == "text/plain" {
					closeConnection(w)
				}
			})
			c := clientFor(address)
			refused := wellFormed(schemas.GetUserAuth)
			refused.Kind = exchange.ContentType
			for range 5 {
				Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault).To(BeNil())
				Expect(sendProbe(ctx, c, refused).Fault).NotTo(BeNil())
			}
			Expect(count.Load()).To(BeEquivalentTo(1 + 5))
			Expect(c.Counts().Requests).To(BeEquivalentTo(10), "none was sent again")
		})

	It("that the target closes cost one more request; then each request has its own",
		func(ctx SpecContext) {
			var asked atomic.Int64
			address, _ := startCountingConnections(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 2 {
					closeConnection(w)
				}
			})
			c := clientFor(address)
			for range 5 {
				Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault).To(BeNil())
			}
			Expect(asked.Load()).To(BeEquivalentTo(6))
			Expect(c.Counts().Requests).To(BeEquivalentTo(6), "what was sent again counts")
		})

	It("that the target closes all at once cost one more request each", func(ctx SpecContext) {
		const atOnce = 3
		var asked atomic.Int64
		var answered, hungUp sync.WaitGroup
		answered.Add(atOnce)
		hungUp.Add(atOnce)
		address, _ := startCountingConnections(func(w http.ResponseWriter, _ *http.Request) {
			switch n := asked.Add(1); {
			case n <= atOnce:
				answered.Done()
				answered.Wait()
			case n <= 2*atOnce:
				hungUp.Done()
				hungUp.Wait()
				closeConnection(w)
			}
		})
		c := clientFor(address)
		faults := func() int64 {
			var count atomic.Int64
			var wait sync.WaitGroup
			for range atOnce {
				wait.Go(func() {
					defer GinkgoRecover()
					if sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault != nil {
						count.Add(1)
					}
				})
			}
			wait.Wait()
			return count.Load()
		}
		Expect(faults()).To(BeZero())
		Expect(faults()).To(BeZero())
		Expect(c.Counts().Repeated).To(BeEquivalentTo(atOnce))
		Expect(asked.Load()).To(BeEquivalentTo(3 * atOnce))
	})

	It("that end without an answer, also if each request has its own, are faults",
		func(ctx SpecContext) {
			var asked atomic.Int64
			address, _ := startCountingConnections(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) > 1 {
					closeConnection(w)
				}
			})
			c := clientFor(address)
			Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault).To(BeNil())
			for range 3 {
				ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
				Expect(ex.Fault).NotTo(BeNil())
				Expect(ex.Fault.Kind).To(Equal(exchange.Transport))
			}
			Expect(asked.Load()).To(BeEquivalentTo(1 + 2 + 1 + 1))
		})

	// A status line and then the end is an incomplete answer, on a new and on a reused connection.
	It("that end within an answer are faults, and nothing is sent again", func(ctx SpecContext) {
		var mu sync.Mutex
		asked := 0
		address, _ := startCountingConnections(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			asked++
			first := asked == 1
			mu.Unlock()
			if first {
				return
			}
			conn, buffer, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[")
				_ = buffer.Flush()
				_ = conn.Close()
			}
		})
		c := clientFor(address)
		Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault).To(BeNil())
		Expect(sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault).NotTo(BeNil())
		mu.Lock()
		defer mu.Unlock()
		Expect(asked).To(Equal(2))
	})
})
