package run_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// service is one whose run is judged again.
type service struct {
	name    string
	handler func() http.Handler
	change  func(*settings.Settings)
}

func services() []service {
	of := func(name string) service {
		return service{name: name, handler: func() http.Handler { return mutant(name) }}
	}
	fails := func(s *settings.Settings) { s.Divergence = settings.DivergenceFail }
	list := []service{
		{name: "the reference", handler: validService},
		{name: "the reference, shapes only", handler: validService,
			change: func(s *settings.Settings) { s.ParityMode = settings.ParityShape }},
		{name: "the reference, v6 only", handler: validService, change: versions(schemas.V6)},
		{name: "the reference, divergence fails", handler: validService, change: fails},
		{name: "a challenge in one version to bad tokens", handler: challenging("/v5/"), change: fails},
		{name: "a challenge in both versions to bad tokens", handler: challenging("/"), change: fails},
		{name: "a value that changes at each call, in both versions", handler: unstableIn("/"), change: fails},
		{name: "a value that changes at each call, in one version", handler: unstableIn("/v6/")},
		{name: "no answer to the third request of each user", handler: breaking(3)},
		{name: "nothing for anybody in v5", handler: refusing("/v5/")},
	}
	for _, name := range []string{
		"get-user-auth-redirect-302-v6", "get-user-auth-token-unchecked-v5",
		"get-user-auth-access-token-null-served-v6",
	} {
		list = append(list, of(name))
	}
	return list
}

// through changes the answers of the right service to requests whose path has a part in it.
func through(path string, change func(w http.ResponseWriter, r *http.Request, valid http.Handler)) func() http.Handler {
	return func() http.Handler {
		valid := validService()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, path) {
				valid.ServeHTTP(w, r)
				return
			}
			change(w, r, valid)
		})
	}
}

// challenging names a scheme of authentication, but only to a token that is unknown.
func challenging(path string) func() http.Handler {
	return through(path, func(w http.ResponseWriter, r *http.Request, valid http.Handler) {
		s := (&stage{counts: map[string]int{}, before: func(w http.ResponseWriter, now sent, _ int) bool {
			if strings.Contains(now.body, "$AUTHN_ACCESS_TOKEN") {
				return false
			}
			w.Header().Set("WWW-Authenticate", "Bearer realm=x")
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}}).handler(valid)
		s.ServeHTTP(w, r)
	})
}

// unstableIn has a Comment that is another one at each call.
func unstableIn(path string) func() http.Handler {
	var calls atomic.Int64
	return through(path, func(w http.ResponseWriter, r *http.Request, valid http.Handler) {
		(&stage{counts: map[string]int{}, twist: func(_ call, value any) any {
			if record, ok := value.(map[string]any); ok && record["Device"] != nil {
				record["Device"].(map[string]any)["Comment"] = strconv.FormatInt(calls.Add(1), 10)
			}
			return value
		}}).handler(valid).ServeHTTP(w, r)
	})
}

// breaking closes the connection at every so manieth request.
func breaking(every int64) func() http.Handler {
	var calls atomic.Int64
	return through("getUserAuth", func(w http.ResponseWriter, r *http.Request, valid http.Handler) {
		if calls.Add(1)%every == 0 {
			panic(http.ErrAbortHandler)
		}
		valid.ServeHTTP(w, r)
	})
}

func refusing(path string) func() http.Handler {
	return through(path, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusForbidden)
	})
}

func (s service) record() *past {
	GinkgoHelper()
	if s.change == nil {
		return checkedAgain(s.handler(), threeUsers())
	}
	return checkedAgain(s.handler(), threeUsers(), s.change)
}

var _ = Describe("Judging again", func() {
	for _, s := range services() {
		It("comes to the same report: "+s.name, func() {
			p := s.record()
			again := p.again()
			Expect(again.Certifies).To(BeFalse())
			Expect(text(again)).To(Equal(text(p.judgedAgain())))

			// Of evidence that lacks something it makes nothing better.
			random := rand.New(rand.NewPCG(5, 6))
			probes := p.probes()
			for range 8 {
				share := []float64{0.01, 0.05, 0.3, 0.8, 0.99}[random.IntN(5)]
				lost := map[exchange.Probe]bool{}
				for _, probe := range probes {
					lost[probe] = random.Float64() < share
				}
				now, asked := p.without(func(probe exchange.Probe) bool { return lost[probe] })
				worseVerdict(p.judgedAgain(), now, asked)
			}
		})
	}

	It("sends no request", func() {
		p := services()[0].record()
		now, _ := p.without(func(exchange.Probe) bool { return true })
		Expect(now.Verdict).To(Equal(ledger.Inconclusive))
		for _, row := range now.Requirements {
			Expect(*row.Reason).To(Equal(ledger.NotRun), "%s %s", row.ID, row.Version)
		}
	})

	DescribeTable("names the missing exchange, and leaves open only the rows that need it",
		func(lost func(exchange.Probe) bool) {
			p := services()[3].record()
			i := slices.IndexFunc(p.probes(), lost)
			Expect(i).To(BeNumerically(">=", 0), "no such probe was sent")
			gone := p.probes()[i]
			now, _ := p.without(func(probe exchange.Probe) bool { return probe == gone })
			Expect(now.Missing).To(ConsistOf(HavePrefix(gone.ID + ": ")))
			Expect(now.Complete).To(BeFalse())
			Expect(now.Verdict).To(Equal(ledger.Inconclusive))
			for i, row := range now.Requirements {
				was := p.report.Requirements[i]
				// Every exchange of the operation counts for whether v5 and v6 diverge.
				if needs(row, gone) || strings.HasSuffix(row.ID, "/divergence") && row.Operation == gone.Operation {
					Expect(row.Verdict).NotTo(Equal(ledger.Pass), "%s %s", row.ID, row.Version)
					Expect(*row.Reason).To(Equal(ledger.NotRun), "%s %s", row.ID, row.Version)
				} else {
					Expect(row).To(Equal(was), "it did not need %s", gone.Name())
				}
			}
		},
		Entry("the first call of v5", func(p exchange.Probe) bool {
			return p.WellFormed() && p.Version == schemas.V5 && p.Round == 1
		}),
		Entry("the second call of v6", func(p exchange.Probe) bool {
			return p.WellFormed() && p.Version == schemas.V6 && p.Round == 2
		}),
		Entry("a call of the other operation", func(p exchange.Probe) bool {
			return p.WellFormed() && p.Operation == schemas.FindByUserIDs
		}),
		Entry("a call for a user without authenticators",
			func(p exchange.Probe) bool { return p.WellFormed() && !p.User.Enrolled }),
		Entry("a request without a field", func(p exchange.Probe) bool { return p.Kind == exchange.Absent }),
		Entry("a request with null for a field, of v6",
			func(p exchange.Probe) bool { return p.Kind == exchange.Null && p.Version == schemas.V6 }),
		Entry("an empty token", func(p exchange.Probe) bool { return p.Kind == exchange.EmptyToken }),
		Entry("a random token", func(p exchange.Probe) bool { return p.Kind == exchange.RandomToken }),
		Entry("a changed token", func(p exchange.Probe) bool { return p.Kind == exchange.ChangedToken }),
	)

	DescribeTable("is no stricter for a target that discloses data only in refusals",
		func(lost func(exchange.Probe) bool) {
			p := services()[5].record()
			now, asked := p.without(lost)
			Expect(asked).NotTo(BeEmpty())
			worseVerdict(p.judgedAgain(), now, asked)
			Expect(now.Verdict).To(Equal(ledger.Inconclusive))
		},
		Entry("of which those of v5 are lacking", func(p exchange.Probe) bool {
			return !p.WellFormed() && p.Version == schemas.V5
		}),
		Entry("of which those of v6 are lacking", func(p exchange.Probe) bool {
			return !p.WellFormed() && p.Version == schemas.V6
		}),
		Entry("of which one is lacking", func(p exchange.Probe) bool {
			return p.Kind == exchange.RandomToken && p.Version == schemas.V5 && p.Operation == schemas.GetUserAuth
		}),
	)

	It("leaves parity open if the third call is missing", func() {
		p := services()[6].record()
		now, asked := p.without(func(probe exchange.Probe) bool {
			return probe.Round == 3 && probe.Version == schemas.V5
		})
		Expect(asked).NotTo(BeEmpty())
		worseVerdict(p.judgedAgain(), now, asked)
		Expect(verdicts(now)[ledger.Key{ID: "9.3/getUserAuth/values", Version: schemas.Parity}]).To(
			Equal(ledger.Inconclusive))
	})

	It("leaves parity open if the second call is missing, whatever the others show", func() {
		p := services()[7].record()
		values := ledger.Key{ID: "9.3/getUserAuth/values", Version: schemas.Parity}
		Expect(verdicts(p.report)[values]).To(Equal(ledger.Fail))
		now, asked := p.without(func(probe exchange.Probe) bool {
			return probe.Round == 2 && probe.Version == schemas.V5
		})
		Expect(asked).NotTo(BeEmpty())
		worseVerdict(p.report, now, asked)
		Expect(verdicts(now)[values]).To(Equal(ledger.Inconclusive))
	})

	It("says of a run that was interrupted why it was", func() {
		p := checkedAgain(validService(), threeUsers(), func(s *settings.Settings) { s.Deadline = 1 })
		Expect(p.report.Verdict).To(Equal(ledger.Fault))
		now := p.again()
		Expect(now.Verdict).To(Equal(ledger.Fault))
		Expect(*now.Error).To(Equal(*p.report.Error))
		Expect(now.Complete).To(BeFalse())
	})

	It("ends where it is interrupted itself", func() {
		p := services()[0].record()
		e := p.evidence()
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("interrupted"))
		Expect(p.prepare(e, e).Execute(ctx)).To(MatchError("interrupted"))
	})

	It("is the same for many users, however many requests were in flight", func() {
		all, err := fixtures.Users()
		Expect(err).NotTo(HaveOccurred())
		for _, in := range []int{1, 64} {
			p := checkedAgain(validService(), all, concurrently(in))
			Expect(text(p.again())).To(Equal(text(p.judgedAgain())), fmt.Sprint(in))
		}
	})
})

// needs reports whether a row is judged by what came back for a probe.
func needs(row report.Row, p exchange.Probe) bool {
	if row.Version != p.Version && row.Version != schemas.Parity {
		return false
	}
	for _, requirement := range testkit.Suite().Requirements() {
		if requirement.ID == row.ID {
			return requirement.Asks(p)
		}
	}
	return false
}

// worseVerdict asserts that nothing looks better, nor accuses the target of more, where evidence is lacking.
func worseVerdict(was, now *report.Report, asked map[exchange.Probe]bool) {
	GinkgoHelper()
	if len(asked) == 0 {
		Expect(text(now)).To(Equal(text(was)))
		return
	}
	Expect(now.Verdict).NotTo(Equal(ledger.Pass))
	Expect(now.Complete).To(BeFalse())
	Expect(now.Missing).NotTo(BeEmpty())
	before := verdicts(was)
	for _, row := range now.Requirements {
		key := ledger.Key{ID: row.ID, Version: row.Version}
		switch row.Verdict {
		case ledger.Pass, ledger.Fail:
			Expect(row.Verdict).To(Equal(before[key]), "%s, of which it said %s", key, before[key])
			for p := range asked {
				Expect(row.Verdict == ledger.Pass && needs(row, p)).To(BeFalse(), "%s passes without %s", key, p.Name())
			}
		default:
			if before[key] != ledger.Inconclusive {
				Expect(*row.Reason).To(Equal(ledger.NotRun), "%s, of which it said %s: the target is not to blame", key,
					before[key])
			}
		}
	}
	for i, o := range now.Observations {
		if o.Agree != nil {
			Expect(o.Agree).To(Equal(was.Observations[i].Agree), "%s of %s", o.ID, o.Operation)
		}
	}
}
