package sweep_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// wrongForAll is a service that is wrong, in v5, for everybody of so many users.
func wrongForAll(users int) http.Handler {
	GinkgoHelper()
	m, known := mutants.Find("created-on-two-digit-fraction-v5")
	Expect(known).To(BeTrue())
	return m.Handler(validFor(users))
}

// holdBack answers nothing until the client goes.
func holdBack(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // a server sees that its client went only when it waits to read
	<-r.Context().Done()
}

func withShortTimeout(s *settings.Settings, _ *sweep.Options) { s.Timeout = time.Second }

var _ = Describe("A sweep", func() {
	It("has the same findings and counts, in the population's order, however many requests are in flight", func() {
		target := testkit.Serve(wrongForAll(150)) // more than the archive of answers has room for
		one := carryOut(newSweep(target, inventedUsers(150)))
		many := carryOut(newSweep(target, inventedUsers(150), withConcurrency(64)))
		Expect(one.Verdict).To(Equal(ledger.Fail))
		Expect(len(one.findings)).To(BeNumerically(">=", 150))
		Expect(slices.IsSortedFunc(one.findings, func(a, b stats.Finding) int {
			return int(a.User.Index - b.User.Index)
		})).To(BeTrue())
		Expect(many.findings).To(Equal(one.findings))
		Expect(many.Tally.Outcomes).To(Equal(one.Tally.Outcomes))
		Expect(many.Tally.Groups).To(Equal(one.Tally.Groups))
		Expect(many.Tally.Requests).To(Equal(one.Tally.Requests))
		Expect(many.Read).To(Equal(one.Read))
	})

	It("is delayed by a slow user for no other user of the block, and the order stays", func() {
		var others atomic.Int64
		enough := make(chan struct{})
		target := serveExcept(wrongForAll(18), func(_ http.ResponseWriter, _ *http.Request, user int, _ int64) bool {
			if user == 1 { // the first one is asked before all others
				<-enough
			} else if others.Add(1) == 4*17 {
				close(enough)
			}
			return false
		})
		out := carryOut(newSweep(target.URL, inventedUsers(18), withConcurrency(2)))
		Expect(out.Tally.Users).To(BeEquivalentTo(18))
		Expect(out.findings[0].User.Index).To(BeZero())
	})

	It("loses no user for whom no answer came at first: they are asked again at the end of their block", func() {
		target := serveExcept(validFor(40), func(_ http.ResponseWriter, r *http.Request, _ int, n int64) bool {
			silent := n == 21 || n == 33 || n == 49
			if silent {
				holdBack(r)
			}
			return silent
		})
		out := carryOut(newSweep(target.URL, inventedUsers(40), withShortTimeout))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Traffic.AskedAgain).To(BeEquivalentTo(3))
		Expect(out.Traffic.Requests).To(BeEquivalentTo(target.requests.Load()))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 40}))
	})

	It("asks once more only: who gets no answer then either stays not comparable", func() {
		var silent atomic.Int64
		target := serveExcept(validFor(20), func(_ http.ResponseWriter, r *http.Request, user int, _ int64) bool {
			if user == 7 {
				silent.Add(1)
				holdBack(r)
			}
			return user == 7
		})
		out := carryOut(newSweep(target.URL, inventedUsers(20), withShortTimeout))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive), out.Reason)
		Expect(out.Traffic.AskedAgain).To(BeEquivalentTo(1))
		Expect(silent.Load()).To(BeEquivalentTo(2 * 4))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 19, stats.NotComparable: 1}))
	})

	It("waits out 503 without Retry-After, and counts it", func() {
		target := serveExcept(validFor(20), refuseIf(503, "", func(_ int, n int64) bool { return n == 21 || n == 22 }))
		out := carryOut(newSweep(target.URL, inventedUsers(20)))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Tally.Users).To(BeEquivalentTo(20))
		Expect(out.Traffic).To(Equal(stats.Traffic{Counts: exchange.Counts{Requests: 86, Throttled: 2, Controls: 4}}))
	})

	It("of a shard checks the users whom the documented formula says", func(ctx SpecContext) {
		const of = 3
		var lock sync.Mutex
		var asked []int
		target := serveExcept(validFor(30), func(_ http.ResponseWriter, _ *http.Request, user int, _ int64) bool {
			lock.Lock()
			defer lock.Unlock()
			asked = append(asked, user)
			return false
		})
		people := inventedUsers(30)
		for index := 1; index <= of; index++ {
			asked = nil
			Expect(newSweep(target.URL, people, func(_ *settings.Settings, o *sweep.Options) {
				o.Shard = stats.Shard{Index: index, Of: of}
			}).Execute(ctx, sweep.Watch{})).To(Succeed())
			want := []int{0} // whom each shard asks for first
			for i, p := range people {
				if users.Shard(exchange.User{ID: p.ID, UserID: p.UserID}, of) == index-1 {
					want = append(want, i)
				}
			}
			Expect(slices.Compact(asked)).To(Equal(slices.Compact(want)), "shard %d", index)
		}
	})

	It("says what is swept, which waiver has ended, and resumed how far it had come", func(ctx SpecContext) {
		target := serveAll(validFor(100))
		w := newSweep(target.URL, inventedUsers(100),
			func(s *settings.Settings, o *sweep.Options) { s.Rate, o.Resume, o.CountStart = 500, true, true })
		settingsFrom([]string{"waive 9.3/getUserAuth/values -1 days", "waive 4/getUserAuth/served"})(w.Settings)
		Expect(w.Heading()).To(MatchRegexp(`^.*\n.*v5 at http://127\.0\.0\.1:\d+[^$]*v6 at [^$]*\n` +
			`fingerprint: contract [^$]*\nthe users of .*/users\.ndjson, 1 request at a time and 500 a second at ` +
			`most, reports in ` + w.Settings.ReportDir + `, sweep .*\n$`))
		part := newSweep(w.Settings.Targets["v5"].URL, nil, func(_ *settings.Settings, o *sweep.Options) {
			o.Shard = stats.Shard{Index: 2, Of: 3}
		})
		Expect(part.Heading()).To(ContainSubstring("/users.ndjson, shard 2/3, 1 request at a time"))

		target.stopAfter(ctx, w, 220) // in the third block: the first one counts
		Expect(w.Summary(time.Now(), nil).Notes).To(HaveExactElements(
			And(ContainSubstring("9.3/getUserAuth/values"), ContainSubstring("no longer holds"))))

		again := newSweep(w.Settings.Targets["v5"].URL, nil, resumeSweep(w))
		Expect(again.Heading()).To(MatchRegexp(", continuing after (20|40) users, "))
		var reported []sweep.Progress
		Expect(again.Execute(ctx, sweep.Watch{Progress: func(p sweep.Progress) { reported = append(reported, p) }})).To(
			Succeed())
		Expect(reported[0].Users).To(BeElementOf(int64(20), int64(40)), "it may be long until the next one is done")
		Expect(reported[0].Part).To(And(BeNumerically(">", 0), BeNumerically("<=", 1)))
	})

	It("that has ended asks nothing when it is resumed, says so, and keeps its end", func(ctx SpecContext) {
		people, target := inventedUsers(30), serveAll(validFor(30))
		w := newSweep(target.URL, people)
		Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
		first, requests := w.Summary(time.Now(), nil), target.requests.Load()
		again := newSweep(target.URL, people,
			func(s *settings.Settings, o *sweep.Options) { s.ReportDir, o.Resume = w.Settings.ReportDir, true })
		Expect(again.Execute(ctx, sweep.Watch{})).To(Succeed())
		second := again.Summary(time.Now().Add(24*time.Hour), nil)
		Expect(target.requests.Load()).To(Equal(requests))
		Expect(second.Verdict).To(Equal(first.Verdict))
		Expect(*second.Finished).To(BeTemporally("~", *first.Finished, time.Minute))
		Expect(second.Notes).To(HaveExactElements(HavePrefix("nothing was asked: the sweep had ended at ")))
		Expect(first.Notes).To(BeEmpty())
	})

	It("is not resumed with other users, or with fewer", func(ctx SpecContext) {
		people := inventedUsers(100)
		target := serveAll(validFor(100))
		w := newSweep(target.URL, people)
		target.stopAfter(ctx, w, 220) // in the third block
		inFolder := func(s *settings.Settings, o *sweep.Options) { s.ReportDir, o.Resume = w.Settings.ReportDir, true }
		Expect(newSweep(w.Settings.Targets["v5"].URL, people[:5], inFolder).Execute(ctx, sweep.Watch{})).To(
			MatchError(MatchRegexp(`has fewer users now than were checked before \((20|40)\)`)))
		for range 2 { // as a job does that is started again
			Expect(newSweep(w.Settings.Targets["v5"].URL, people[:75], inFolder).Execute(ctx, sweep.Watch{})).To(
				MatchError(ContainSubstring("the population has 75 users now, and had 100 before")))
		}
		people[0].UserID = "somebody else"
		Expect(newSweep(w.Settings.Targets["v5"].URL, people, inFolder).Execute(ctx, sweep.Watch{})).To(
			MatchError(ContainSubstring("up to number 75 are not those that were checked before")))
	})

	DescribeTable("shows its progress in one line", func(p sweep.Progress, words string) {
		Expect(p.String()).To(Equal(words))
	},
		Entry("at the beginning", sweep.Progress{}, "0 users, 0/s, 0 different"),
		Entry("with all that there may be", sweep.Progress{
			Users: 1200, Counted: 1100, Rate: 99.6, Different: 3, Found: stats.Findings{Violations: 2, Open: 1},
			Traffic: stats.Traffic{Counts: exchange.Counts{Throttled: 7}}, State: "throttled", Left: 90 * time.Second,
		}, "1,200 users, 100/s, 3 different of the first 1,100, 2 breaches of the contract, 1 not comparable, "+
			"throttled 7 times (throttled), 1m30s left"),
		Entry("of a population that was counted", sweep.Progress{Users: 40, Counted: 40, Rate: 50, Total: 1200,
			Part: 0.0333},
			"40 of 1,200 users, 50/s, 0 different, 3% done"),
		Entry("with its part", sweep.Progress{Users: 40, Counted: 40, Rate: 50, Part: 0.126, State: "throttled"},
			"40 users, 50/s, 0 different (throttled), 13% done"),
		Entry("while nobody is served, without a rate", sweep.Progress{Users: 40, Counted: 40, Rate: 50, Part: 0.126,
			Left: time.Second, State: "the target serves nobody: waiting"},
			"40 users, 0 different (the target serves nobody: waiting), 13% done"),
	)

	DescribeTable("can be stopped while its standard input is idle", func(users, sample int, reason string) {
		target := serveExcept(validFor(users), refuseIf(0, "", func(int, int64) bool { return false }))
		w := newSweep(target.URL, nil)
		w.Settings.UsersFile, w.Options.Sample = settings.StandardInput, sample
		in, out := io.Pipe()
		defer out.Close()
		w = sweep.New(w.Settings, testkit.Suite(), w.Options, sweep.Input{Stdin: in})
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- w.Execute(ctx, sweep.Watch{}) }()
		if users > 0 {
			text := "id,userId\n"
			for _, p := range inventedUsers(users) {
				text += p.ID + "," + p.UserID + "\n"
			}
			testkit.Must(io.WriteString(out, text))
			Eventually(target.requests.Load, 30*time.Second).Should(BeNumerically(">=", 4*(users-1)),
				"the last one may wait for what follows its line")
		}
		Consistently(ended, 2*time.Second).ShouldNot(Receive(), "there may be more to come, and those who came count")
		cancel(errors.New("interrupted"))
		Eventually(ended, 10*time.Second).Should(Receive(BeNil()))
		s := w.Summary(time.Now(), nil)
		Expect(s.Verdict).To(Equal(ledger.Fault))
		Expect(s.Complete).To(BeFalse())
		Expect(s.Reason).To(ContainSubstring(reason))
	},
		Entry("after some users, which are kept", 4, 0, "stopped after"),
		Entry("before any user came", 0, 0, "start it again"),
		Entry("before a sample is drawn", 0, 5, "start it again"),
	)
})

var _ = It("A cause has the commands that send the requests of its first user again, and no line of a finding has",
	func() {
		target := serveExcept(validFor(5), refuseIf(500, "", func(user int, _ int64) bool { return user > 2 }))
		run := carryOut(newSweep(target.URL, inventedUsers(5)))
		Expect(run.Tally.Groups).NotTo(BeEmpty())
		for _, g := range run.Tally.Groups {
			for i, f := range g.Sample {
				Expect(f.Repeat != "").To(Equal(i == 0), g.Requirement)
			}
		}
		Expect(run.findings).NotTo(BeEmpty())
		for _, f := range run.findings {
			Expect(f.Repeat).To(BeEmpty())
		}
	})
