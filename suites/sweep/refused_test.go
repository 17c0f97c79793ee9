package sweep_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

func anyRequest(int, int64) bool { return true }

var _ = Describe("A target that refuses every user", func() {
	DescribeTable("ends the sweep without a finding, and says what came and what to check", func(ctx SpecContext,
		status, users int, whom string, answers int) {
		target := serveExcept(validFor(1), refuseIf(status, "  \n<h1>not\x1b[2J here</h1>\n<p>rest", anyRequest))
		w := newSweep(target.URL, inventedUsers(users), withConcurrency(4))
		err := w.Execute(ctx)
		Expect(err).To(HaveOccurred())
		text := strings.ReplaceAll(sanitize.Of().Error(err), target.String(), "TARGET")
		Expect(text).To(HavePrefix(fmt.Sprintf("nobody was served: both versions refused both operations for %s "+
			`(status %d: %d answers). The first refusal was getUserAuth of v5: status %d, <h1>not\u001b[2J here</h1>. `+
			"A wrong setting is more likely than a wrong service. Asked was TARGET. Check, in this order: %s. Then "+
			"start the sweep again", whom, status, answers, status, w.Settings.ToCheck(status))))
		s := w.Summary(time.Now(), err)
		Expect(s.Verdict).To(Equal(ledger.Fault))
		Expect(s.Complete).To(BeFalse())
		Expect(s.Tally.Users).To(BeZero())
		Expect(s.Tally.Groups).To(BeEmpty())
		Expect(target.requests.Load()).To(BeNumerically("<", 4*(100+64*4+5)), "it is asked no more once that is known")
	},
		Entry("after a hundred of them", 404, 2000, "each of the first 100 users", 400),
		Entry("after a hundred of them, by 401", 401, 2000, "each of the first 100 users", 400),
		Entry("after the only one", 404, 1, "the only user", 4),
	)

	It("has as the first thing to check what its status speaks of", func() {
		for status, first := range map[int]string{301: "the base URL", 400: "the application id",
			401: "the access token", 404: "the base URL", 405: "the base URL", 410: "the access token",
			422: "the application id", 500: "whether the service works", 502: "whether the service works"} {
			list := (&settings.Settings{}).ToCheck(status)
			Expect(list).To(HavePrefix(first), "%d", status)
			for _, other := range []string{"base URL", "access token", "application id", "client certificate",
				"the users: does the target know them"} {
				Expect(list).To(ContainSubstring(other), "%d", status)
			}
		}
	})

	It("ends the sweep anew when it is resumed, and not once it has served somebody", func(ctx SpecContext) {
		served := 0
		target := serveExcept(validFor(300), refuseIf(404, "", func(user int, _ int64) bool { return user >= served }))
		first := newSweep(target.URL, inventedUsers(300))
		nobody := MatchError(And(ContainSubstring("nobody was served"), ContainSubstring("without a body")))
		Expect(first.Execute(ctx)).To(nobody)
		Expect(newSweep(target.URL, nil, resumeSweep(first)).Execute(ctx)).To(nobody)

		served = 10 // and then the budget is spent
		w := newSweep(target.URL, nil, resumeSweep(first), withBudget(4*10))
		Expect(w.Execute(ctx)).To(Succeed())
		Expect(w.Tally.Users).To(BeEquivalentTo(10))
		out := carryOut(newSweep(target.URL, nil, resumeSweep(first)))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 10, stats.NothingAlike: 290}))
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
		Entry("if it serves one of the first hundred", 120, 500, func(user int, _ int64) bool { return user < 99 },
			map[stats.Outcome]int64{stats.BothViolate: 99, stats.Equal: 21}),
		Entry("if it turns the caller away for a while", 20, 403,
			func(_ int, n int64) bool { return n > 16 && n <= 40 },
			map[stats.Outcome]int64{stats.BothViolate: 6, stats.Equal: 14}),
		Entry("if it turns the caller away for fewer than a hundred at the end", 20, 403,
			func(_ int, n int64) bool { return n > 40 },
			map[stats.Outcome]int64{stats.BothViolate: 10, stats.Equal: 10}),
	)

	It("ends the sweep if it serves only after the first hundred", func(ctx SpecContext) {
		target := serveExcept(validFor(120), refuseIf(404, "", func(user int, _ int64) bool { return user < 100 }))
		Expect(newSweep(target.URL, inventedUsers(120)).Execute(ctx)).To(
			MatchError(ContainSubstring("nobody was served")))
	})

	It("passes if these are marked as not enrolled", func() {
		people, no := inventedUsers(150), false
		for i := range 120 {
			people[i].Enrolled = &no
		}
		out := carryOut(newSweep(serveExcept(validFor(150),
			refuseIf(404, "", func(user int, _ int64) bool { return user < 120 })).URL, people))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.NothingAlike: 120, stats.Equal: 30}))
	})

	It("is inconclusive if it serves nothing but empty lists", func() {
		out := carryOut(newSweep(serveExcept(validFor(1), refuseIf(200, "[]", anyRequest)).URL, inventedUsers(120)))
		Expect(out.Tally.Users).To(BeEquivalentTo(120))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
	})

	It("ends the sweep if it turns the caller away, which goes on with a new token where it stopped",
		func(ctx SpecContext) {
			renewed := false
			target := serveExcept(validFor(260), refuseIf(401, "", func(_ int, n int64) bool {
				return n > 4*50 && !renewed
			}))
			w := newSweep(target.URL, inventedUsers(260))
			err := w.Execute(ctx)
			Expect(err).To(MatchError(ContainSubstring("--resume")))
			tally := w.Summary(time.Now(), err).Tally
			Expect(tally.Users).To(BeEquivalentTo(50))
			Expect(tally.Found()).To(Equal(stats.Findings{}))

			renewed = true
			out := carryOut(newSweep(target.URL, nil, resumeSweep(w)))
			Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
			Expect(out.Tally.Users).To(BeEquivalentTo(260))
		})
})

var _ = Describe("A sweep", func() {
	DescribeTable("that is stopped says how far it came, what it found, and how to continue",
		func(ctx SpecContext, sample int, words string) {
			target := serveExcept(validFor(300), refuseIf(500, "", func(user int, _ int64) bool { return user < 3 }))
			w := newSweep(target.URL, inventedUsers(300), withBudget(40),
				func(_ *settings.Settings, o *sweep.Options) { o.Sample = sample })
			Expect(w.Execute(ctx)).To(Succeed())
			s := w.Summary(time.Now(), nil)
			Expect(s.Verdict).To(Equal(ledger.Fault))
			Expect(s.Reason).To(HavePrefix(words))
			Expect(s.Complete).To(BeFalse())
		},
		Entry("of all users", 0, "stopped after 10 of 300 users, 0 differences and 12 breaches of the contract so "+
			"far; continue with --resume"),
		Entry("of a sample", 40, "stopped after 10 of 40 users, "),
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
			Expect(errors.As(w.Execute(ctx), &leak)).To(BeTrue())
			Expect(carryOut(newSweep(target, nil, resumeSweep(plain))).findings).To(ConsistOf(
				And(HaveField("User.Index", BeEquivalentTo(1)), HaveField("Pointer", "/Description")),
				And(HaveField("User.Index", BeEquivalentTo(1)), HaveField("Pointer", "/Zone"))))
		})

	It("leaves no checkpoint after the last complete finding if its findings can't be brought to the disk", func() {
		folder := GinkgoT().TempDir()
		Expect(sweep.CheckpointWithout(folder)).NotTo(Succeed())
		Expect(checkpoint.Begun(folder)).To(BeFalse())
	})
})
