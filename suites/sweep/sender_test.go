package sweep_test

import (
	"context"
	"errors"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

var _ = Describe("A request without an answer", func() {
	// sendAll sends the well-formed requests of these users to a target that answers all requests, by name and number
	// from 1, but the bad ones. It returns all that were sent, and the answers that came.
	sendAll := func(ctx context.Context, users string, noAnswer exchange.Exchange, bad func(user string, n int) bool,
	) (sent string, answered []bool, err error) {
		var asked []string
		send := sweep.NewSender(1, func(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
			asked = append(asked, p.User.UserID)
			if len(asked) == 20 {
				return nil, errors.New("the sweep ends")
			}
			ex := &exchange.Exchange{Probe: p, Status: http.StatusOK}
			if bad(p.User.UserID, len(asked)) {
				*ex = noAnswer
				ex.Probe = p
			}
			return ex, nil
		})
		for _, user := range strings.Fields(users) {
			ex, err := send(ctx, exchange.Probe{ID: user, Operation: schemas.GetUserAuth, Version: schemas.V5,
				User: settings.User{UserID: user}})
			if err != nil {
				return strings.Join(asked, " "), answered, err
			}
			Expect(ex.Probe.ID).To(Equal(user))
			answered = append(answered, ex.Success())
		}
		return strings.Join(asked, " "), answered, nil
	}
	refused := exchange.Exchange{Fault: &exchange.Fault{Kind: exchange.Transport, Detail: "connection refused"}}
	busy := exchange.Exchange{Status: http.StatusServiceUnavailable}

	for name, noAnswer := range map[string]exchange.Exchange{"a fault": refused, "503": busy} {
		It("is the user's own if the target answers another one, and is not repeated: "+name, func(ctx SpecContext) {
			sent, answered, err := sendAll(ctx, "a b c", noAnswer, func(user string, _ int) bool { return user == "b" })
			Expect(err).NotTo(HaveOccurred())
			Expect(answered).To(Equal([]bool{true, false, true}))
			Expect(sent).To(Equal("a b a c"))
		})

		It("is an outage if it does not, and the request is sent again: "+name, func(ctx SpecContext) {
			sent, answered, err := sendAll(ctx, "a b", noAnswer, func(_ string, n int) bool { return n >= 2 && n <= 5 })
			Expect(err).NotTo(HaveOccurred())
			Expect(answered).To(Equal([]bool{true, true}))
			Expect(sent).To(Equal("a b a a a a b"))
		})
	}

	It("is the user's own if only the same request was answered before", func(ctx SpecContext) {
		sent, answered, err := sendAll(ctx, "a a", refused, func(_ string, n int) bool { return n > 1 })
		Expect(err).NotTo(HaveOccurred())
		Expect(answered).To(Equal([]bool{true, false}))
		Expect(sent).To(Equal("a a"))
	})

	It("counts for nobody if the sweep ends meanwhile", func(ctx SpecContext) {
		_, answered, err := sendAll(ctx, "a b", refused, func(_ string, n int) bool { return n > 1 })
		Expect(err).To(MatchError("the sweep ends"))
		Expect(answered).To(Equal([]bool{true}))
	})

	It("ends the sweep if a version answers nothing, although the other does", func(ctx SpecContext) {
		send := sweep.NewSender(2, func(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
			if p.Version == schemas.V6 {
				return &exchange.Exchange{Probe: p, Fault: refused.Fault}, nil
			}
			return &exchange.Exchange{Probe: p, Status: http.StatusOK}, nil
		})
		var err error
		n := 0
		for ; err == nil && n < 100; n++ {
			testkit.Must(send(ctx, exchange.Probe{Version: schemas.V5}))
			_, err = send(ctx, exchange.Probe{Version: schemas.V6})
		}
		Expect(err).To(MatchError(And(ContainSubstring("v6 answered no request at all"),
			ContainSubstring("connection refused"))))
		Expect(n).To(Equal(7), "five, and one for each that may be in flight at the beginning")
	})
})
