package sweep_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/sweep"
)

// refusing is a target that answers some users rightly, and all requests for the others with one refusal.
type refusing struct {
	right    http.Handler
	status   int
	body     string
	serves   func(userID string) bool
	requests atomic.Int64
}

func (r *refusing) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.requests.Add(1)
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client is gone
	}
	_, rest, _ := strings.Cut(string(body), `"UserId":"`)
	userID, _, _ := strings.Cut(rest, `"`)
	if r.serves(userID) {
		req.Body = io.NopCloser(strings.NewReader(string(body)))
		r.right.ServeHTTP(w, req)
		return
	}
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.body) // a client that went away has no use for the error
}

func (r *refusing) serve(users int) string {
	r.right = validFor(users)
	return serveUntilEnd(httptest.NewServer(r))
}

func servesNobody(string) bool { return false }

// servesFrom serves the user with this number, and all after it.
func servesFrom(first int) func(string) bool {
	return func(userID string) bool {
		var i int
		_, _ = fmt.Sscanf(userID, "user-%d", &i)
		return i >= first
	}
}

var _ = Describe("A target that refuses every user", func() {
	for status, first := range map[int]string{
		301: "the base URL", 400: "the application id", 401: "the access token", 404: "the base URL",
		405: "the base URL",
		410: "the access token", 422: "the application id", 500: "whether the service works",
		502: "whether the service works",
	} {
		It(fmt.Sprintf("ends the sweep after a hundred of them, with what came and what to check (%d)", status),
			func(ctx SpecContext) {
				target := &refusing{status: status, body: "  \n<h1>not\x1b[2J here</h1>\n<p>rest", serves: servesNobody}
				w := newSweep(target.serve(1), inventedUsers(2000), withConcurrency(4))
				err := w.Execute(ctx)
				Expect(sanitize.Of().Error(err)).To(And(ContainSubstring("each of the first 100 users"),
					ContainSubstring(
						"status %d: 400 answers", status), ContainSubstring("<h1>not"), Not(ContainSubstring("\x1b")), Not(
						ContainSubstring("<p>rest")), Not(ContainSubstring("\n")), ContainSubstring("http://127.0.0.1")))
				Expect(err).To(MatchError(And(ContainSubstring("Check, in this order: "+first),
					ContainSubstring("base URL"), ContainSubstring("access token"), ContainSubstring("application id"),
					ContainSubstring("client certificate"), ContainSubstring("the users: does the target know them"))))
				s := w.Summary(time.Now(), err)
				Expect(s.Verdict).To(Equal(ledger.Fault))
				Expect(s.Tally.Users).To(BeZero())
				Expect(s.Tally.Groups).To(BeEmpty())
				Expect(target.requests.Load()).To(BeNumerically("<", 4*(100+64*4+5)),
					"it is asked no more once that is known")
			})
	}

	It("ends the sweep of fewer than a hundred", func(ctx SpecContext) {
		for _, users := range []int{1, 20} {
			w := newSweep((&refusing{status: 404, serves: servesNobody}).serve(1), inventedUsers(users))
			err := w.Execute(ctx)
			Expect(err).To(MatchError(And(ContainSubstring("nobody was served"), ContainSubstring("without a body"))))
			s := w.Summary(time.Now(), err)
			Expect(s.Verdict).To(Equal(ledger.Fault))
			Expect(s.Complete).To(BeFalse())
			Expect(s.Tally.Users).To(BeZero())
		}
	})

	It("ends the sweep of a sample, and of a shard, at its own first hundred", func(ctx SpecContext) {
		for _, change := range []change{
			func(_ *settings.Settings, o *sweep.Options) { o.Sample = 150 },
			func(_ *settings.Settings, o *sweep.Options) { o.Shard = stats.Shard{Index: 2, Of: 4} },
		} {
			w := newSweep((&refusing{status: 404, serves: servesNobody}).serve(1), inventedUsers(1000), change)
			Expect(w.Execute(ctx)).To(MatchError(ContainSubstring("each of the first 100 users")))
		}
	})

	It("ends the sweep anew when it is resumed, and not once it has served somebody", func(ctx SpecContext) {
		target := &refusing{status: 404, serves: servesNobody}
		url := target.serve(300)
		first := newSweep(url, inventedUsers(300))
		resume := resumeSweep(first)
		Expect(first.Execute(ctx)).To(MatchError(ContainSubstring("nobody was served")))
		Expect(newSweep(url, nil, resume).Execute(ctx)).To(MatchError(ContainSubstring("nobody was served")))

		// Ten users are served, and then the budget is spent.
		target.serves = func(userID string) bool { return !servesFrom(10)(userID) }
		w := newSweep(url, nil, resume, func(_ *settings.Settings, o *sweep.Options) { o.Budget = 4 * 10 })
		Expect(w.Execute(ctx)).To(Succeed())
		Expect(w.Tally.Users).To(BeEquivalentTo(10))
		again := newSweep(url, nil, resume)
		out := leftoversOf(again, again.Execute(ctx))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.counts(schemas.GetUserAuth)).To(
			Equal(map[stats.Outcome]int64{stats.Equal: 10, stats.NothingAlike: 290}))
	})
})

var _ = Describe("A target that serves somebody", func() {
	It("is judged by all its answers, if that is one of the first hundred", func() {
		for status, outcome := range map[int]stats.Outcome{404: stats.NothingAlike, 500: stats.BothViolate} {
			out := finishSweep((&refusing{status: status, serves: servesFrom(99)}).serve(200), inventedUsers(200),
				withConcurrency(4))
			Expect(out.counts(schemas.GetUserAuth)).To(Equal(map[stats.Outcome]int64{outcome: 99, stats.Equal: 101}))
			Expect(out.Tally.Users).To(BeEquivalentTo(200))
			for i, f := range out.lines {
				Expect(f.User.Index).To(BeEquivalentTo(i/4), "in the population's order")
			}
		}
	})

	It("ends the sweep if it serves only after the first hundred", func(ctx SpecContext) {
		w := newSweep((&refusing{status: 404, serves: servesFrom(100)}).serve(200), inventedUsers(200))
		Expect(w.Execute(ctx)).To(MatchError(ContainSubstring("nobody was served")))
	})

	It("is right to refuse users who are marked as not enrolled before", func() {
		people := inventedUsers(250)
		for i := range 200 {
			people[i].Enrolled = enrolledMark(false)
		}
		out := finishSweep((&refusing{status: 404, serves: servesFrom(200)}).serve(250), people)
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.counts(schemas.GetUserAuth)).To(
			Equal(map[stats.Outcome]int64{stats.NothingAlike: 200, stats.Equal: 50}))
	})

	It("is judged also if it serves nothing but empty lists", func() {
		out := finishSweep((&refusing{status: 200, body: "[]", serves: servesNobody}).serve(1), inventedUsers(120))
		Expect(out.Tally.Users).To(BeEquivalentTo(120))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
	})
})

var _ = Describe("A sweep that is stopped", func() {
	It("says how far it came, what it found, and how to continue", func(ctx SpecContext) {
		url := (&refusing{status: 500, serves: servesFrom(3)}).serve(1200)
		for _, o := range []struct {
			change change
			words  string
		}{
			{func(*settings.Settings, *sweep.Options) {},
				"stopped after 10 of 1,200 users, 0 differences and 12 breaches of the contract so far; continue with --resume"},
			{func(_ *settings.Settings, o *sweep.Options) { o.Sample = 40 }, "stopped after 10 of 40 users, "},
		} {
			w := newSweep(url, inventedUsers(1200), func(_ *settings.Settings, o *sweep.Options) { o.Budget = 40 },
				o.change)
			err := w.Execute(ctx)
			Expect(err).NotTo(HaveOccurred())
			s := w.Summary(time.Now(), err)
			Expect(s.Verdict).To(Equal(ledger.Fault))
			Expect(s.Reason).To(HavePrefix(o.words))
			Expect(s.Complete).To(BeFalse())
		}
	})
})
