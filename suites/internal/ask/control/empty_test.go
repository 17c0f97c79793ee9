package control_test

import (
	"context"
	"errors"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("An empty list", func() {
	// empties settles empty lists to the first call for each of some users, or for one user.
	empties := func(ctx context.Context, c *control.Controls, users ...string) {
		GinkgoHelper()
		for _, user := range users {
			ex := &exchange.Exchange{Probe: wellFormed(user), Started: time.Now(), Status: 200, Header: http.Header{},
				Body: []byte("[]")}
			Expect(testkit.Must(c.Settle(ctx, ex, true))).To(BeIdenticalTo(ex))
		}
	}
	refusesEmpty := func(s *script) *control.Controls {
		c := newControls(s, 1)
		c.Refused = func(ex *exchange.Exchange) bool { return ex.Status >= 400 || ex.IsEmptyList() }
		c.Served = func(ex *exchange.Exchange) bool { return !c.Refused(ex) }
		return c
	}

	DescribeTable("is controlled as the last one of a burst, or at the end", func(ctx SpecContext, before, after int,
		users ...string) {
		s := &script{status: answers(200)}
		c := refusesEmpty(s)
		empties(ctx, c, users...)
		Expect(s.log).To(HaveLen(before))
		Expect(c.Finish(ctx)).To(Succeed())
		Expect(s.log).To(HaveLen(after))
	},
		Entry("none", 0, 0), Entry("a burst", 5, 5, "bob", "carol", "bob", "carol", "dave"),
		Entry("of one user", 0, 1, "bob", "bob", "bob", "bob", "bob"),
		Entry("after a burst", 5, 6, "bob", "carol", "bob", "carol", "dave", "eve"))

	It("ends the run if the control is refused from then on", func(ctx SpecContext) {
		c := refusesEmpty(&script{status: answers(404)})
		empties(ctx, c, "bob")
		Expect(c.Finish(ctx)).To(MatchError("404 after 7 controls; then go on"))
	})

	It("ends the run if others were believed, and the control got one, too, before it was served again",
		func(ctx SpecContext) {
			s := &script{status: answers(200)}
			c := refusesEmpty(s)
			sent, list := c.Send, []byte("[]")
			c.Send = func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
				ex, err := sent(ctx, p)
				ex.Body, list = list, nil
				return ex, err
			}
			empties(ctx, c, "bob", "carol", "bob", "carol")
			ex := &exchange.Exchange{Probe: wellFormed("dave"), Started: time.Now(), Status: 200, Body: []byte("[]")}
			_, err := c.Settle(ctx, ex, true)
			Expect(err).To(MatchError("emptied; then go on"))
			var refusal *control.Refusal
			Expect(errors.As(err, &refusal)).To(BeTrue())
			Expect(refusal.Last.IsEmptyList()).To(BeTrue())
		})

	It("is asked again after an interruption if another call served the user", func(ctx SpecContext) {
		s := &script{status: answers(404, 200)}
		c := refusesEmpty(s)
		ex := &exchange.Exchange{Probe: wellFormed("bob"), Started: time.Now(), Status: 200, Header: http.Header{},
			Body: []byte("[]")}
		Expect(testkit.Must(c.Settle(ctx, ex, false)).Body).To(BeEmpty())
		Expect(s.log).To(Equal([]string{"control", "control", "bob"}))
	})

	DescribeTable("is controlled also if something else serves", func(ctx SpecContext,
		change func(*exchange.Probe)) {
		s := &script{status: answers(200)}
		c := refusesEmpty(s)
		other := wellFormed("alice")
		change(&other)
		for _, user := range []string{"bob", "carol", "dave", "eve", "frank"} {
			empties(ctx, c, user)
			c.NoteUser(&exchange.Exchange{Probe: other})
		}
		Expect(s.log).To(HaveLen(5))
	},
		Entry("the other version", func(p *exchange.Probe) { p.Version = schemas.V6 }),
		Entry("the other operation", func(p *exchange.Probe) { p.Operation = schemas.FindByUserIDs }),
	)

	It("is not controlled at the end if its operation and version have served since", func(ctx SpecContext) {
		s := &script{status: answers(404)}
		c := refusesEmpty(s)
		empties(ctx, c, "bob")
		c.NoteServed(&exchange.Exchange{Probe: control.Of(wellFormed("alice")), Started: time.Now()})
		Expect(c.Finish(ctx)).To(Succeed())
		Expect(s.log).To(BeEmpty())
	})

	It("is not controlled if others are served between", func(ctx SpecContext) {
		s := &script{status: answers(404)}
		c := refusesEmpty(s)
		for range 3 {
			empties(ctx, c, "bob", "carol")
			c.NoteUser(&exchange.Exchange{Probe: wellFormed("alice")})
		}
		Expect(c.Finish(ctx)).To(Succeed())
		Expect(s.log).To(BeEmpty())
	})
})
