package sweep_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/sweep"
)

// inventedUsers is a population of users whom the reference makes up.
func inventedUsers(n int) []testUser {
	list := make([]testUser, n)
	for i := range list {
		list[i] = testUser{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: fmt.Sprintf("user-%d", i)}
	}
	return list
}

// validFor is the reference for so many of them.
func validFor(n int) http.Handler {
	var users []fixtures.User
	for _, p := range inventedUsers(n) {
		users = append(users, fixtures.User{ID: p.ID, UserID: p.UserID, Enrolled: true})
	}
	return reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
}

var _ = Describe("A token that the target refuses", func() {
	right := validFor(500)

	// turning is a target that turns the caller away, by a status, for the requests of which bad says so.
	turning := func(status int, bad func(request int64) bool) (string, *atomic.Int64) {
		var requests atomic.Int64
		return serveUntilEnd(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if bad(requests.Add(1)) {
				w.WriteHeader(status)
				return
			}
			right.ServeHTTP(w, r)
		}))), &requests
	}

	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		It(fmt.Sprintf("ends the sweep early, without a finding, if it is unknown (%d)", status),
			func(ctx SpecContext) {
				url, requests := turning(status, func(int64) bool { return true })
				w := newSweep(url, inventedUsers(2000))
				err := w.Execute(ctx)
				Expect(err).To(MatchError(And(ContainSubstring("nobody was served"), ContainSubstring("100 users"),
					ContainSubstring("token"))))
				s := w.Summary(time.Now(), err)
				Expect(s.Verdict).To(Equal(ledger.Fault))
				Expect(s.Tally.Users).To(BeZero())
				Expect(requests.Load()).To(BeNumerically("<", 1000))
			})
	}

	It("ends the sweep in the middle, which goes on with a new token where it stopped", func(ctx SpecContext) {
		const users, good = 500, 4 * 150
		var renewed atomic.Bool
		url, _ := turning(http.StatusUnauthorized, func(n int64) bool { return n > good && !renewed.Load() })
		w := newSweep(url, inventedUsers(users))
		err := w.Execute(ctx)
		Expect(err).To(MatchError(ContainSubstring("--resume")))
		s := w.Summary(time.Now(), err)
		Expect(s.Tally.Users).To(BeEquivalentTo(150))
		Expect(s.Tally.Found()).To(Equal(stats.Findings{}))

		renewed.Store(true)
		again := newSweep(url, nil, resumeSweep(w))
		out := leftoversOf(again, again.Execute(context.Background()))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Users).To(BeEquivalentTo(users))
	})

	It("is a finding of those users if others are served afterwards", func() {
		// Four requests for each user: the fifth to the tenth of them are turned away.
		url, _ := turning(http.StatusForbidden, func(n int64) bool { return n > 16 && n <= 40 })
		out := finishSweep(url, inventedUsers(20))
		Expect(out.Verdict).To(Equal(ledger.Fail))
		for _, op := range schemas.Operations() {
			Expect(out.counts(op)).To(Equal(map[stats.Outcome]int64{stats.Equal: 14, stats.BothViolate: 6}))
		}
		Expect(out.lines[0].User.Index).To(BeEquivalentTo(4))
	})

	It("is a finding of the last users if fewer than a hundred are left", func() {
		url, _ := turning(http.StatusForbidden, func(n int64) bool { return n > 40 })
		out := finishSweep(url, inventedUsers(20))
		Expect(out.Verdict).To(Equal(ledger.Fail))
		Expect(out.Tally.Users).To(BeEquivalentTo(20))
		Expect(out.counts(schemas.GetUserAuth)).To(
			Equal(map[stats.Outcome]int64{stats.Equal: 10, stats.BothViolate: 10}))
	})
})

var _ = Describe("The progress of a sweep", func() {
	It("tells users, rate, findings and how much is left", func() {
		url := serveUntilEnd(httptest.NewServer(validFor(600)))
		w := newSweep(url, inventedUsers(600), withConcurrency(4))
		var reportedTo []sweep.Progress
		w.Progress = func(p sweep.Progress) { reportedTo = append(reportedTo, p) }
		Expect(w.Execute(context.Background())).To(Succeed())
		Expect(reportedTo).NotTo(BeEmpty())
		last := reportedTo[len(reportedTo)-1]
		Expect(last.Users).To(And(BeNumerically(">", 0), BeNumerically("<=", 600)))
		Expect(last.Part).To(And(BeNumerically(">", 0), BeNumerically("<=", 1)))
	})

	DescribeTable("is one line", func(p sweep.Progress, words string) {
		Expect(p.String()).To(Equal(words))
	},
		Entry("at the beginning", sweep.Progress{}, "0 users, 0/s, 0 different"),
		Entry("of all that there may be", sweep.Progress{
			Users: 1200, Rate: 99.6, Different: 3, Found: stats.Findings{Violations: 2, Open: 1},
			Traffic: stats.Traffic{Throttled: 7}, State: "throttled", Left: 90 * time.Second,
		}, "1,200 users, 100/s, 3 different, 2 breaches of the contract, 1 not comparable, throttled 7 times (throttled), 1m30s left"),
		Entry("of a part", sweep.Progress{Users: 40, Rate: 50, Part: 0.126, State: "waiting"},
			"40 users, 50/s, 0 different (waiting), 13% done"),
	)

	It("begins with what is swept", func() {
		w := newSweep("http://127.0.0.1:1/base", inventedUsers(1), func(s *settings.Settings, o *sweep.Options) {
			s.Rate, o.Shard, o.Resume, o.CountStart = 50, stats.Shard{Index: 2, Of: 3}, true, true
		})
		heading := w.Heading()
		for _, words := range []string{"v5 at http://127.0.0.1:1/base", "v6 at ", filepath.Base(w.Settings.UsersFile),
			"shard 2/3", "fingerprint: contract ", "1 request at a time and 50 a second at most", "reports in " +
				w.Settings.ReportDir} {
			Expect(heading).To(ContainSubstring(words))
		}
		Expect(heading).NotTo(ContainSubstring("continuing"), "nothing was begun")
		Expect(strings.Count(heading, "\n")).To(Equal(5))
	})

	It("begins with how far it had come", func() {
		url, people := (&stage{op: schemas.GetUserAuth}).serve(), inventedUsers(20)
		w := newSweep(url, people, func(_ *settings.Settings, o *sweep.Options) { o.Budget = 40 })
		Expect(w.Execute(context.Background())).To(Succeed())
		Expect(w.Tally.Users).To(BeNumerically(">", 1))

		again := newSweep(url, nil, resumeSweep(w))
		Expect(again.Heading()).To(ContainSubstring(", continuing after %d users, ", w.Tally.Users))
		var first *sweep.Progress
		again.Progress = func(p sweep.Progress) {
			if first == nil {
				first = &p
			}
		}
		Expect(again.Execute(context.Background())).To(Succeed())
		Expect(first.Users).To(Equal(w.Tally.Users), "it may be long until the next one is done")
	})
})
