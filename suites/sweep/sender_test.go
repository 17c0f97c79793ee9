package sweep_test

import (
	"errors"
	"fmt"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/sweep"
)

// script is a target that answers by the number of a request, from 1, and keeps what it was asked.
type script struct {
	asked []string
	bad   func(p exchange.Probe, n int) bool
	busy  bool // it says 503 instead of nothing
}

func (s *script) do(p exchange.Probe) (*exchange.Exchange, error) {
	s.asked = append(s.asked, p.ID)
	if !s.bad(p, len(s.asked)) {
		return &exchange.Exchange{Probe: p, Status: http.StatusOK}, nil
	}
	if s.busy {
		return &exchange.Exchange{Probe: p, Status: http.StatusServiceUnavailable}, nil
	}
	return &exchange.Exchange{Probe: p, Fault: &exchange.Fault{Kind: exchange.Transport, Detail: "connection refused"}},
		nil
}

func ofUser(n int, v schemas.Version) exchange.Probe {
	return exchange.Probe{ID: fmt.Sprintf("u%d", n), Operation: schemas.GetUserAuth, Version: v,
		User: settings.User{UserID: fmt.Sprint(n)}}
}

var _ = Describe("A request without an answer", func() {
	for _, busy := range []bool{false, true} {
		It(fmt.Sprintf("is the user's own where the target answers another one (503: %t)", busy),
			func(ctx SpecContext) {
				s := &script{busy: busy, bad: func(p exchange.Probe, _ int) bool { return p.ID == "u2" }}
				send := sweep.NewSender(1, s.do)
				for n := 1; n <= 3; n++ {
					ex, err := send(ctx, ofUser(n, schemas.V5))
					Expect(err).NotTo(HaveOccurred())
					Expect(ex.Probe.ID).To(Equal(fmt.Sprintf("u%d", n)))
				}
				Expect(s.asked).To(Equal([]string{"u1", "u2", "u1", "u3"}), "and is not repeated")
			})

		It(fmt.Sprintf("is an outage where it does not, and the request is sent again (503: %t)", busy),
			func(ctx SpecContext) {
				s := &script{busy: busy, bad: func(_ exchange.Probe, n int) bool { return n >= 2 && n <= 5 }}
				send := sweep.NewSender(1, s.do)
				for n := 1; n <= 2; n++ {
					ex, err := send(ctx, ofUser(n, schemas.V5))
					Expect(err).NotTo(HaveOccurred())
					Expect(ex.Success()).To(BeTrue())
					Expect(ex.Probe.ID).To(Equal(fmt.Sprintf("u%d", n)))
				}
				Expect(s.asked).To(Equal([]string{"u1", "u2", "u1", "u1", "u1", "u1", "u2"}))
			})
	}

	It("does not end the sweep if the same request was answered before", func(ctx SpecContext) {
		s := &script{bad: func(_ exchange.Probe, n int) bool { return n > 1 }}
		send := sweep.NewSender(1, s.do)
		_, err := send(ctx, ofUser(1, schemas.V5))
		Expect(err).NotTo(HaveOccurred())
		ex, err := send(ctx, ofUser(1, schemas.V5))
		Expect(err).NotTo(HaveOccurred())
		Expect(ex.Answered()).To(BeFalse())
		Expect(s.asked).To(HaveLen(2))
	})

	It("ends the sweep if a version answers nothing, although the other does", func(ctx SpecContext) {
		s := &script{bad: func(p exchange.Probe, _ int) bool { return p.Version == schemas.V6 }}
		send := sweep.NewSender(2, s.do)
		var err error
		n := 0
		for ; err == nil && n < 100; n++ {
			_, err = send(ctx, ofUser(n, schemas.V5))
			Expect(err).NotTo(HaveOccurred())
			_, err = send(ctx, ofUser(n, schemas.V6))
		}
		Expect(err).To(MatchError(And(ContainSubstring("v6 answered no request at all"),
			ContainSubstring("connection refused"))))
		Expect(n).To(Equal(7), "five, and one for each that may be in flight at the beginning")
	})

	It("counts for nobody if the sweep ends meanwhile", func(ctx SpecContext) {
		ends := errors.New("interrupted")
		s := &script{bad: func(_ exchange.Probe, n int) bool { return n > 1 }}
		send := sweep.NewSender(1, func(p exchange.Probe) (*exchange.Exchange, error) {
			if len(s.asked) == 5 {
				return nil, ends
			}
			return s.do(p)
		})
		_, err := send(ctx, ofUser(1, schemas.V5))
		Expect(err).NotTo(HaveOccurred())
		_, err = send(ctx, ofUser(2, schemas.V5))
		Expect(err).To(MatchError(ends))
	})
})
