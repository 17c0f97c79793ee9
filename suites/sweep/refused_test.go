package sweep_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
	"authenticator-conformance/suites/sweep/record"
)

var _ = Describe("A target that refuses the first users (J22)", func() {
	DescribeTable("ends the sweep without a finding, and says what came and what to check", func(ctx SpecContext,
		status, users, asked int, version schemas.Version, final bool, says ...string) {
		target := serveExcept(validFor(users), func(w http.ResponseWriter, r *http.Request, _ int, _ int64) bool {
			refuses := version == "" || strings.Contains(r.URL.Path, string(version))
			if refuses {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "  \n<h1>not\x1b[2J here</h1>\n<p>rest")
			}
			return refuses
		})
		w := newSweep(target.URL, inventedUsers(users), withConcurrency(4))
		err := w.Execute(ctx, sweep.Watch{})
		Expect(sweep.IsRefused(err)).To(Equal(final), "%v", err)
		text := strings.ReplaceAll(sanitize.Of().Error(err), target.String(), "TARGET")
		for _, part := range append(says, "not\\u001b[2J here; ") {
			Expect(text).To(ContainSubstring(part))
		}
		s := w.Summary(time.Now(), err)
		Expect(s.Verdict).To(Equal(ledger.Fault))
		Expect(s.Complete).To(BeFalse())
		Expect(s.Tally.Users).To(BeZero())
		Expect(s.Tally.Groups).To(BeEmpty())
		var printed strings.Builder
		s.Document().Print(&printed, "folder", report.Screen{})
		Expect(strings.Count(printed.String(), "check, in this order")).To(BeNumerically("<=", 1))
		lines := strings.Split(strings.TrimSpace(printed.String()), "\n")
		Expect(lines[len(lines)-1]).To(ContainSubstring("refuses everything"), "the last line has the reason")
		Expect(target.requests.Load()).To(BeNumerically("<=", asked), "it is asked no more once that is known")
	},
		Entry("in both versions", 401, 2000, 10, schemas.Version(""), true,
			"the target refuses everything: none of 10 well-formed requests of getUserAuth for 5 users was served, "+
				"but answered with 401 (10 times), so nothing else was sent; u0.1 to TARGET/api/v5/",
			"; check, in this order: the access token (AUTHN_ACCESS_TOKEN or --access-token-file)"),
		Entry("in one version, which may be starting", 500, 2000, 6, schemas.V6, false, "v6 refuses everything",
			"; v5 serves one of these users, so check the settings of v6, in this order: whether the service works"),
		Entry("who may have nothing, of whom twenty are asked for", 404, 2000, 40, schemas.Version(""), true,
			"none of 40 well-formed requests of getUserAuth for 20 users was served",
			"the users file, if the target does not know them (--users); the access token"),
		Entry("if there is only one", 404, 1, 2, schemas.Version(""), true,
			"none of 2 well-formed requests of getUserAuth for 1 user was served"),
	)

	It("is asked for the same users in each shard, and whom it serves is not asked twice", func(ctx SpecContext) {
		for index := 1; index <= 3; index++ {
			target := serveAll(validFor(30))
			w := newSweep(target.URL, inventedUsers(30), func(_ *settings.Settings, o *sweep.Options) {
				o.Shard = stats.Shard{Index: index, Of: 3}
			})
			Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
			extra := 2 // user-0, in both versions
			if users.Shard(exchange.User{ID: inventedUsers(1)[0].ID, UserID: "user-0"}, 3) == index-1 {
				extra = 0
			}
			Expect(target.requests.Load()).To(BeEquivalentTo(4*int(w.Tally.Users) + extra + 4)) // controls
		}
	})

	It("passes over users who are marked enrolled: false", func() {
		people, no := inventedUsers(150), false
		for i := range 120 {
			people[i].Enrolled = &no
		}
		out := carryOut(newSweep(serveExcept(validFor(150),
			refuseIf(404, "", func(user int, _ int64) bool { return user < 120 })).URL, people))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.NothingAlike: 120, stats.Equal: 30}))
	})

	DescribeTable("does not end it if it serves", func(status, served int, outcome stats.Outcome) {
		out := carryOut(newSweep(serveExcept(validFor(40),
			refuseIf(status, "", func(user int, _ int64) bool { return user < served })).URL, inventedUsers(40)))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{outcome: int64(served),
			stats.Equal: int64(40 - served)}))
	},
		Entry("the fifth", 403, 4, stats.BothViolate),
		Entry("the twentieth, and may say of the others that they have nothing", 404, 19, stats.NothingAlike),
	)

	It("ends it after five users who are marked enrolled: true, although it may say that they have nothing",
		func(ctx SpecContext) {
			people, yes := inventedUsers(40), true
			for i := range people {
				people[i].Enrolled = &yes
			}
			target := serveExcept(validFor(40), refuseIf(404, "", func(int, int64) bool { return true }))
			Expect(newSweep(target.URL, people).Execute(ctx, sweep.Watch{})).To(MatchError(
				ContainSubstring("for 5 users was served")))
			Expect(target.requests.Load()).To(BeEquivalentTo(10))
		})

	It("ends the sweep anew when it is resumed, until it serves somebody", func(ctx SpecContext) {
		served := 0
		target := serveExcept(validFor(30), refuseIf(404, "", func(user int, _ int64) bool { return user >= served }))
		first := newSweep(target.URL, inventedUsers(30))
		nobody := MatchError(And(ContainSubstring("refuses everything"), ContainSubstring("404 Not Found")))
		Expect(first.Execute(ctx, sweep.Watch{})).To(nobody)
		Expect(newSweep(target.URL, nil, resumeSweep(first)).Execute(ctx, sweep.Watch{})).To(nobody)

		served = 20
		out := carryOut(newSweep(target.URL, nil, resumeSweep(first)))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 20, stats.NothingAlike: 10}))
	})
})

var _ = Describe("A target that refuses some users", func() {
	DescribeTable("is judged by all its answers,", func(users, status int, when func(user int, n int64) bool,
		outcomes map[stats.Outcome]int64) {
		out := carryOut(newSweep(serveExcept(validFor(users), refuseIf(status, "", when)).URL, inventedUsers(users)))
		Expect(out.listOutcomes()).To(Equal(outcomes))
		Expect(out.Tally.Users).To(BeEquivalentTo(users))
		for i := range out.findings[1:] {
			Expect(out.findings[i].User.Index).To(BeNumerically("<=", out.findings[i+1].User.Index))
		}
	},
		Entry("also of many in a row", 120, 500, func(user int, _ int64) bool { return user > 20 },
			map[stats.Outcome]int64{stats.BothViolate: 99, stats.Equal: 21}),
		Entry("by 403, while others are served", 20, 403, func(user int, _ int64) bool {
			return user > 3 &&
				user%2 == 0
		},
			map[stats.Outcome]int64{stats.BothViolate: 8, stats.Equal: 12}),
	)

	It("is inconclusive if it serves nothing but empty lists after the first user", func() {
		out := carryOut(newSweep(serveExcept(validFor(120), refuseIf(200, "[]", func(user int, _ int64) bool {
			return user > 0
		})).URL, inventedUsers(120), withMinServed("50%")))
		Expect(out.Tally.Users).To(BeEquivalentTo(120))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
	})
})

var _ = Describe("A sweep that its deadline ends", func() {
	DescribeTable("says so, with the setting", func(ctx SpecContext, deadline time.Duration, other answering,
		says string) {
		w := newWaiting(time.Minute, serveExcept(validFor(2000), other).URL, inventedUsers(2000), withConcurrency(1),
			func(s *settings.Settings, _ *sweep.Options) { s.Deadline = deadline })
		Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
		s := w.Summary(time.Now(), nil)
		Expect(s.Verdict).To(Equal(ledger.Fault))
		Expect(s.Notes).To(ContainElement(MatchRegexp("^the sweep ended at its deadline of " + deadline.String() +
			" \\(--deadline, AUTHN_DEADLINE, deadline\\)" + says + "$")))
	},
		Entry("among users", 300*time.Millisecond, func(http.ResponseWriter, *http.Request, int, int64) bool {
			time.Sleep(5 * time.Millisecond)
			return false
		}, ""),
		Entry("while the target throttles, which it says, too", 20*time.Second,
			func(w http.ResponseWriter, _ *http.Request, _ int, n int64) bool {
				if n > 40 {
					w.Header().Set("Retry-After", "60")
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				return n > 40
			}, ": u\\d+\\.\\d+ to http://.* got 503 Service Unavailable: Retry-After: 60, and the wait of 1m0s is "+
				"longer .*"),
		Entry("while the target refuses everybody, which it says first", time.Second,
			func(w http.ResponseWriter, _ *http.Request, _ int, n int64) bool {
				if n > 40 {
					w.WriteHeader(http.StatusForbidden)
				}
				return n > 40
			}, ": v[56] answered until .* refuses everybody since: .*; the deadline \\(setting deadline\\) ended the "+
				"wait for it"),
	)

	It("shows nothing of a user in it that the target says, if values are hidden", func(ctx SpecContext) {
		target := serveExcept(validFor(2000), func(w http.ResponseWriter, _ *http.Request, _ int, n int64) bool {
			if n > 40 {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, "no session for Nina Canary")
			}
			return n > 40
		})
		w := newWaiting(time.Minute, target.URL, inventedUsers(2000), withConcurrency(1),
			func(s *settings.Settings, _ *sweep.Options) { s.Deadline, s.Values = time.Second, settings.ValuesHide })
		Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
		Expect(w.Summary(time.Now(), nil).Notes).To(ContainElement(And(ContainSubstring("refuses everybody since"),
			Not(ContainSubstring("Canary")))))
	})
})

var _ = It("A version that never answers ends the sweep, although the other one does (J19)", func(ctx SpecContext) {
	target := serveExcept(validFor(100), func(_ http.ResponseWriter, r *http.Request, _ int, _ int64) bool {
		if strings.Contains(r.URL.Path, "v6") {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	err := newSweep(target.URL, inventedUsers(100), withConcurrency(2)).Execute(ctx, sweep.Watch{})
	Expect(err).To(MatchError(HavePrefix("v6 can't be reached: no request was answered; u0.2 to ")))
	Expect(target.requests.Load()).To(BeNumerically("<", 60))
})

var _ = Describe("A sweep", func() {
	DescribeTable("that is stopped says how far it came, what it found, and how to continue",
		func(ctx SpecContext, sample int, stopsAfter int64, words string) {
			target := serveExcept(validFor(300), refuseIf(500, "", func(user int, _ int64) bool { return user < 3 }))
			w := newSweep(target.URL, inventedUsers(300),
				func(_ *settings.Settings, o *sweep.Options) { o.Sample = sample })
			target.stopAfter(ctx, w, stopsAfter)
			s := w.Summary(time.Now(), nil)
			Expect(s.Verdict).To(Equal(ledger.Fault))
			Expect(s.Reason).To(MatchRegexp(words))
			Expect(s.Complete).To(BeFalse())
		},
		Entry("of all users", 0, int64(260), `^stopped after \d+ of 300 users, 0 differences and 12 breaches of the `+
			"contract so far; continue with --resume"),
		Entry("of a sample", 80, int64(260), `^stopped after \d+ of 80 users, `),
	)

	It("that found what must not be shown is resumed with the user whose findings are incomplete",
		func(ctx SpecContext) {
			const secret = "lantern-7731-keepsake"
			target := testkit.Serve(testkit.Changing(validFor(2), func(v schemas.Version, record map[string]any) {
				if v == schemas.V6 && record["UserId"] == "user-1" {
					record["Description"], record["Zone"] = "shelf", secret
				}
			}))
			plain := newSweep(target, inventedUsers(2))
			w := sweep.New(plain.Settings, testkit.Suite(), plain.Options,
				sweep.Input{Out: sanitize.WithHole(secret)})
			var leak *sanitize.Leak
			Expect(errors.As(w.Execute(ctx, sweep.Watch{}), &leak)).To(BeTrue())
			Expect(carryOut(newSweep(target, nil, resumeSweep(plain))).findings).To(ConsistOf(
				And(HaveField("User.Index", BeEquivalentTo(1)), HaveField("Pointer", "/Description")),
				And(HaveField("User.Index", BeEquivalentTo(1)), HaveField("Pointer", "/Zone"))))
		})

	It("leaves no checkpoint after the last complete finding if its findings can't be brought to the disk", func() {
		folder := GinkgoT().TempDir()
		Expect(sweep.CheckpointWithout(folder)).NotTo(Succeed())
		Expect(record.Begun(folder)).To(BeFalse())
	})
})
