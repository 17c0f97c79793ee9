package asker_test

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The controls of a block (J23 c)", func() {
	identifiers, v6 := wellFormed("", "bob"), wellFormed("", "carol")
	identifiers.Operation = schemas.FindByUserIDs
	v6.Version, v6.Segment = schemas.V6, "v6"
	// afterBlock returns an asker of a script that has served three users, one for each operation and version asked.
	afterBlock := func(s *script) *asker.Asker {
		GinkgoHelper()
		a := newAsker(s)
		for _, p := range []exchange.Probe{wellFormed("", "alice"), identifiers, v6} {
			a.Served(p, s.clock.Now())
		}
		return a
	}
	askControls := func(ctx context.Context, s *script) (*asker.Asker, *asker.Outage) {
		GinkgoHelper()
		a := afterBlock(s)
		return a, testkit.Must(a.AnyRefused(ctx))
	}

	It("are those of each operation and version that served anybody, at most twice", func(ctx SpecContext) {
		s := byID(map[string][]int{"c2": {500}})
		a, outage := askControls(ctx, s)
		Expect(outage).To(BeNil())
		Expect(s.sent()).To(Equal("c1 c2 c3 c4"))
		Expect(a.Counts().Interruptions).To(BeZero())
	})

	It("show an outage, which is waited for", func(ctx SpecContext) {
		s := byID(map[string][]int{"c2": {500}, "c3": {500}, "c4": {404}})
		a, outage := askControls(ctx, s)
		Expect(outage).NotTo(BeNil())
		Expect(a.KeepsRefusing(outage)).To(MatchError(ContainSubstring("c3 to ")))
		Expect(a.Outlast(ctx, outage)).To(Succeed())
		Expect(s.sent()).To(Equal("c1 c2 c3 c4 c5"))
		Expect(s.clock.waited()).To(Equal("1s 2s"))
		Expect(a.Counts().Interruptions).To(BeEquivalentTo(1))
	})

	It("end the sweep if it does not end", func(ctx SpecContext) {
		a, outage := askControls(ctx, byNumber(200, 401))
		Expect(a.Outlast(ctx, outage)).To(BeAssignableToTypeOf(&asker.Refusal{}))
	})

	It("are an error if they may be asked only after the deadline", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		a := afterBlock(byNumber(200))
		a.Pause(time.Hour)
		_, err := a.AnyRefused(bounded)
		Expect(err).To(MatchError(client.ErrDeadline))
	})

	It("end with the deadline, and with what the target does", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		a, outage := askControls(ctx, byNumber(500))
		a.Pause(time.Hour)
		Expect(a.Outlast(bounded, outage)).To(And(MatchError(client.ErrDeadline),
			MatchError(ContainSubstring("refuses everybody since"))))
	})

	It("end with the run, for its cause", func(ctx SpecContext) {
		a, outage := askControls(ctx, byNumber(500))
		cause := errors.New("the run was interrupted")
		stopped, cancel := context.WithCancelCause(ctx)
		cancel(cause)
		err := a.Outlast(stopped, outage)
		Expect(err).To(MatchError(cause))
		Expect(err).NotTo(MatchError(ContainSubstring("refuses everybody")))
	})

	It("note when they served", func(ctx SpecContext) {
		s := byNumber(200)
		a := afterBlock(s)
		s.clock.now = s.clock.now.Add(time.Hour)
		Expect(a.AnyRefused(ctx)).To(BeNil())
		a.Controls(func(_ exchange.Probe, at time.Time) { Expect(at).To(Equal(s.clock.now)) })
	})

	It("are not asked of an outage that is over", func(ctx SpecContext) {
		s := byNumber(200)
		a := newAsker(s)
		Expect(a.Outlast(ctx, a.Interrupted())).To(Succeed())
		Expect(s.sent()).To(BeEmpty())
		Expect(a.Counts().Interruptions).To(BeEquivalentTo(1))
	})

	It("are those of versions under test only", func() {
		a := newAsker(byNumber(200), with(func(s *settings.Settings) { s.Versions = []schemas.Version{schemas.V5} }))
		a.Served(v6, time.Now())
		a.Controls(func(p exchange.Probe, _ time.Time) { Fail("there is one of " + string(p.Version)) })
	})

	It("are kept with the time at which they served", func(ctx SpecContext) {
		a := afterBlock(byNumber(200))
		var users []string
		a.Controls(func(p exchange.Probe, at time.Time) {
			Expect(p.Control).To(BeTrue())
			Expect(at).NotTo(BeZero())
			users = append(users, p.User.UserID)
		})
		Expect(users).To(ConsistOf("alice", "bob", "carol"))
	})
})
