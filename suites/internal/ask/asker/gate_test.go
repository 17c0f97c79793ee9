package asker_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("How long an answer asks to wait (J19) is read from",
	func(header, date, wait string) {
		ex := &exchange.Exchange{Status: 429, Header: http.Header{"Date": {date}}}
		if header != "" {
			ex.Header.Set("Retry-After", header)
		}
		got, said := asker.RetryAfter(ex)
		Expect(said).To(Equal(wait != "not said"))
		if said {
			Expect(got.String()).To(Equal(wait))
		}
	},
	testkit.Entries("waits"),
	Entry("more seconds than fit", strings.Repeat("9", 40), "", "298261h37m4s"),
)

var _ = It("A date without the answer's own is a wait from now", func() {
	at := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	wait, said := asker.RetryAfter(&exchange.Exchange{Header: http.Header{"Retry-After": {at}}})
	Expect(said).To(BeTrue())
	Expect(wait).To(BeNumerically("~", time.Hour, time.Minute))
})

var _ = Describe("The gate of all requests", func() {
	rated := func(rate float64) func(*asker.Options) { return with(func(s *settings.Settings) { s.Rate = rate }) }
	// newGate returns an asker that sends nothing, and its clock.
	newGate := func(changes ...func(*asker.Options)) (*asker.Asker, *clock) {
		s := byNumber(200)
		return newAsker(s, changes...), s.clock
	}
	// passThree lets three requests pass, and returns what they waited.
	passThree := func(ctx context.Context, a *asker.Asker, c *clock) string {
		GinkgoHelper()
		for range 3 {
			Expect(a.Pass(ctx)).To(Succeed())
		}
		return c.waited()
	}

	It("lets them pass at once", func(ctx SpecContext) {
		a, c := newGate()
		Expect(passThree(ctx, a, c)).To(BeEmpty())
		Expect(a.Paused()).To(BeFalse())
	})

	It("lets nothing pass before a pause is over, also one that begins meanwhile", func(ctx SpecContext) {
		a, c := newGate()
		c.held = make(chan time.Time)
		a.Pause(time.Second)
		passed := make(chan error)
		go func() { passed <- a.Pass(ctx) }()
		Eventually(c.waited).Should(Equal("1s"))
		a.Pause(10 * time.Second)
		c.move(time.Second)
		Eventually(c.waited).Should(Equal("1s 9s"))
		Expect(a.Paused()).To(BeTrue())
		c.move(9 * time.Second)
		Eventually(passed).Should(Receive(BeNil()))
		Expect(a.Paused()).To(BeFalse())
	}, NodeTimeout(limit))

	It("is not opened by a shorter pause", func(ctx SpecContext) {
		a, c := newGate()
		a.Pause(time.Hour)
		a.Pause(time.Minute)
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(c.waited()).To(Equal("1h0m0s"))
	})

	It("leaves a space between two", func(ctx SpecContext) {
		a, c := newGate()
		a.ChangePace(asker.Pace.Slower)
		Expect(passThree(ctx, a, c)).To(Equal("50ms 50ms"))
	})

	It("begins the space with the answer of a target that is slow", func(ctx SpecContext) {
		s := &script{}
		s.answer = func(http.Header, request) int {
			s.clock.mu.Lock()
			defer s.clock.mu.Unlock()
			s.clock.now = s.clock.now.Add(time.Second)
			return 200
		}
		a := newAsker(s)
		a.ChangePace(asker.Pace.Slower)
		for range 2 {
			testkit.Must(a.Ask(ctx, e1))
		}
		Expect(s.clock.waited()).To(Equal("50ms"))
	})

	It("closes the space after a hundred answers", func(ctx SpecContext) {
		s := byNumber(200)
		a := newAsker(s)
		a.ChangePace(asker.Pace.Slower)
		for range 100 {
			testkit.Must(a.Ask(ctx, e1))
		}
		waited := s.clock.waited()
		for range 3 {
			testkit.Must(a.Ask(ctx, e1))
		}
		Expect(s.clock.waited()).To(Equal(waited+" 50ms"), "which the hundredth answer began")
	})

	It("begins the space with the answer, if no other request is in flight", func(ctx SpecContext) {
		a, c := newGate()
		a.ChangePace(asker.Pace.Slower)
		Expect(a.Pass(ctx)).To(Succeed())
		c.now = c.now.Add(40 * time.Millisecond)
		a.Back()
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(a.Pass(ctx)).To(Succeed())
		a.Back()
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(c.waited()).To(Equal("50ms 50ms 50ms"))
		c.now = c.now.Add(20 * time.Millisecond)
		a.Back()
		a.Back()
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(c.waited()).To(Equal("50ms 50ms 50ms 50ms"))
	})

	It("is not paused by the user's own rate", func(ctx SpecContext) {
		a, _ := newGate(rated(0.1))
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(a.Paused()).To(BeFalse())
	})

	It("does not begin the space with an answer while another request is in flight", func(ctx SpecContext) {
		a, c := newGate()
		a.ChangePace(asker.Pace.Slower)
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(a.Pass(ctx)).To(Succeed())
		c.now = c.now.Add(30 * time.Millisecond)
		a.Back()
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(c.waited()).To(Equal("50ms 20ms"))
	})

	It("is not opened by an answer", func(ctx SpecContext) {
		a, c := newGate()
		a.ChangePace(asker.Pace.Slower)
		Expect(a.Pass(ctx)).To(Succeed())
		a.Pause(time.Hour)
		a.Back()
		Expect(a.Pass(ctx)).To(Succeed())
		Expect(c.waited()).To(Equal("1h0m0s"))
	})

	It("lets nothing pass once the run has ended", func(ctx SpecContext) {
		a, _ := newGate()
		cause := errors.New("the run was interrupted")
		stopped, cancel := context.WithCancelCause(ctx)
		cancel(cause)
		Expect(a.Pass(stopped)).To(MatchError(cause))
	})

	It("leaves the larger one of the space and that of the rate", func(ctx SpecContext) {
		a, c := newGate(rated(4))
		a.ChangePace(asker.Pace.Slower)
		Expect(passThree(ctx, a, c)).To(Equal("250ms 250ms"))
	})

	It("does not wait for what may be sent only after the deadline", func(ctx SpecContext) {
		a, c := newGate(rated(0.01))
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		Expect(a.Pass(bounded)).To(Succeed())
		Expect(a.Pass(bounded)).To(MatchError(client.ErrDeadline))
		Expect(c.waited()).To(BeEmpty())
	})

	It("ends a wait with the run", func(ctx SpecContext) {
		a, c := newGate()
		c.held = make(chan time.Time)
		a.Pause(time.Second)
		cause := errors.New("the run was interrupted")
		stoppable, cancel := context.WithCancelCause(ctx)
		passed := make(chan error)
		go func() { passed <- a.Pass(stoppable) }()
		Eventually(c.waited).Should(Equal("1s"))
		cancel(cause)
		Eventually(passed).Should(Receive(MatchError(cause)))
	}, NodeTimeout(limit))
})
