package target_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
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

var _ = DescribeTable("Well-formed requests share a connection, and none is lost when the target breaks off another",
	func(ctx SpecContext, m mode) {
		c, connections := m.startTarget(func(_ http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Content-Type") == "text/plain" {
				panic(http.ErrAbortHandler)
			}
		})
		for range 3 {
			ex := sendProbe(ctx, c, wellFormed)
			Expect(ex.Fault).To(BeNil())
			Expect(ex.Proto).To(Equal(m.protocol))
			expectFault(sendProbe(ctx, c, changedBy(exchange.ContentType, "")), exchange.Transport, "")
		}
		Expect(connections.Load()).To(BeEquivalentTo(1 + 3))
		Expect(c.Counts()).To(Equal(exchange.Counts{Requests: 6}), "none was sent again")
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

var _ = DescribeTable("A body without an end is read up to 16 MiB",
	func(ctx SpecContext, m mode) {
		c, _ := m.startTarget(func(w http.ResponseWriter, r *http.Request) {
			for part := bytes.Repeat([]byte("x"), 1<<20); r.Context().Err() == nil; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		})
		expectFault(sendProbe(ctx, c, wellFormed), exchange.Bound, "the body is larger than 16 MiB")
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
			p := &pacer{}
			c.Pacer = p
			ex, err := c.Do(stoppable, wellFormed)
			Expect(ex).To(BeNil())
			Expect(err).To(MatchError(cause))
			Expect(p.log).To(Equal([]string{"Acquire", "Cancel"}))
		}
	}, modes)
