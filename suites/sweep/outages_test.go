package sweep_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// untilControls refuses everybody after so many requests, until it refused three controls: requests that it had served
// before.
func untilControls(after int64, status int, body string) answering {
	var mu sync.Mutex
	known, controls := map[string]bool{}, 0
	return func(w http.ResponseWriter, r *http.Request, user int, n int64) bool {
		mu.Lock()
		defer mu.Unlock()
		request := fmt.Sprint(user, r.URL.Path)
		if n <= after || controls == 3 {
			known[request] = true
			return false
		}
		if known[request] {
			controls++
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // a client that went away has no use for the error
		return true
	}
}

// warmingUp shows another description in the first record of each user, in each version.
func warmingUp(service http.Handler) http.Handler {
	var asked sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := testkit.Must(io.ReadAll(r.Body))
		r.Body = io.NopCloser(bytes.NewReader(text))
		if _, again := asked.LoadOrStore(r.URL.Path+string(text), true); again {
			service.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		service.ServeHTTP(answer, r)
		_, _ = io.WriteString(w, strings.Replace(answer.Body.String(), `"Description":"`, `"Description":"first, `, 1))
	})
}

var _ = Describe("A target that refuses everybody for a while (J23)", func() {
	DescribeTable("asks everybody again who seems to have nothing, if it serves again before it is asked a control",
		func(status int, body string) {
			var asked sync.Map // those of one block
			target := serveExcept(validFor(80), func(w http.ResponseWriter, r *http.Request, user int, n int64) bool {
				_, again := asked.LoadOrStore(fmt.Sprint(user, r.URL.Path), true)
				during := func(int, int64) bool { return user > 23 && user < 37 && !again }
				return refuseIf(status, body, during)(w, r, user, n)
			})
			out := carryOut(newSweep(target.URL, inventedUsers(80)))
			Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 80}))
			Expect(out.Traffic.Interruptions).To(BeNumerically(">", 0))
		},
		Entry("by 404", 404, ""), Entry("by empty lists", 200, "[]"), Entry("by null", 200, "null"),
	)

	It("asks nobody again but one user of those in a row who do have nothing", func() {
		target := serveExcept(validFor(80), refuseIf(200, "null", func(user int, _ int64) bool {
			return user > 30 && user < 60
		}))
		out := carryOut(newSweep(target.URL, inventedUsers(80)))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 51, stats.NothingAlike: 29}))
		Expect(out.Traffic.Interruptions).To(BeZero())
		Expect(out.Traffic.Requests-out.Traffic.Controls).To(BeNumerically("<", 4*80+29), "one of each block")
	})

	DescribeTable("is waited for, and nobody is counted who was refused meanwhile", func(status int, body string) {
		target := serveExcept(validFor(60), untilControls(90, status, body))
		out := carryOut(newSweep(target.URL, inventedUsers(60)))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 60}))
		Expect(out.Traffic.Interruptions).To(BeEquivalentTo(1))
		Expect(out.Traffic.Controls).To(BeNumerically(">", 1))
	},
		Entry("by 401", 401, ""),
		Entry("by 403", 403, ""),
		Entry("by 500", 500, ""),
		Entry("by 404, which may say that they have nothing", 404, ""),
		Entry("by empty lists", 200, "[]"),
	)

	It("shows of no version alone that its first calls are others, as the other one was asked before", func() {
		// In the second block, whose users are asked one at a time. The first block's controls, which may come late, are
		// served, so that the outage lasts until three of the second one.
		var latest atomic.Int64
		recycled := untilControls(30, http.StatusInternalServerError, "")
		ofV6 := func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
			if user < 20 || !strings.Contains(r.URL.Path, string(schemas.V6)) {
				return false
			}
			latest.Store(max(latest.Load(), int64(user)))
			return recycled(w, r, user, latest.Load())
		}
		target := serveExcept(warmingUp(validFor(40)), ofV6)
		out := carryOut(newSweep(target.URL, inventedUsers(40), withConcurrency(1)))
		Expect(out.Traffic.Interruptions).To(BeNumerically(">", 0))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive), out.Reason)
		Expect(out.Reason).To(MatchRegexp(`/Description of getUserAuth \(users: v5 0, v6 4\)`))
	})

	for name, status := range map[string]int{"401": 401, "403": 403, "404": 404, "500": 500} {
		It("ends the sweep if that lasts, and the sweep goes on where it stopped: "+name, func(ctx SpecContext) {
			renewed := false
			target := serveExcept(validFor(260), refuseIf(status, "", func(_ int, n int64) bool {
				return n > 4*100 && !renewed
			}))
			w := newSweep(target.URL, inventedUsers(260))
			err := w.Execute(ctx, sweep.Watch{})
			Expect(err).To(MatchError(And(ContainSubstring("refuses everybody since"), ContainSubstring("--resume"))))
			tally := w.Summary(time.Now(), err).Tally
			Expect(tally.Users).To(BeEquivalentTo(40), "those of the blocks before")
			Expect(tally.Found()).To(Equal(stats.Findings{}))

			renewed = true
			out := carryOut(newSweep(target.URL, nil, resumeSweep(w)))
			Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
			Expect(out.Tally.Users).To(BeEquivalentTo(260))
		})
	}
})

var _ = DescribeTable("A call counts as refused if it is told whether a block was interrupted (J23)",
	func(calls string, refused ...int) {
		list, n := strings.Split(calls, ", "), 0
		row := users.Row{User: exchange.User{ID: subjectID, UserID: subject, Enrolled: true}}
		got, err := checkerWith().RefusedCalls(row, schemas.GetUserAuth, func(exchange.Probe) *exchange.Exchange {
			ex := answerFrom(list[min(n, len(list)-1)], n)
			n++
			ex.Started = time.Now().Add(time.Duration(n) * time.Second)
			return ex
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(ConsistOf(refused))
	},
	Entry("not if it was served", "$record"),
	Entry("the first", "403, $record", 1),
	Entry("one that repeats another, as data moved", `$record, $record with 3 => 4, 403, $record with 3 => 4`, 3),
	Entry("by nothing, after the user was served", "$record, 404, $record", 2),
	Entry("not by nothing before that: data may come", "404, $record"),
	Entry("not by nothing for ever", "404"),
)

var _ = Describe("A target that refuses or empties one operation from some request on (J23)", func() {
	for name, body := range map[string]string{"by 302": "", "by empty lists": "[]"} {
		It("loses no user, also if it does so again when the sweep is resumed: "+name, func(ctx SpecContext) {
			var again atomic.Int64
			again.Store(math.MaxInt64)
			target := serveExcept(validFor(100), func(w http.ResponseWriter, r *http.Request, _ int, n int64) bool {
				if n < 120 || !strings.HasSuffix(r.URL.Path, string(schemas.FindByUserIDs)) {
					return false
				}
				if again.Add(-1) < 0 {
					return false
				}
				if body == "" {
					w.WriteHeader(http.StatusFound)
				}
				_, _ = io.WriteString(w, body)
				return true
			})
			w := newSweep(target.URL, inventedUsers(100), withConcurrency(1))
			Expect(w.Execute(ctx, sweep.Watch{})).To(MatchError(ContainSubstring("refuses everybody since")))
			again.Store(30)
			out := carryOut(newSweep(target.URL, nil, resumeSweep(w), withConcurrency(1)))
			Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
			Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 100}))
		})
	}
})

var _ = It("A token that ends meanwhile, and was renewed in its file, is named by the note about the interruption",
	func() {
		old := "token-that-ends-" + fixtures.AccessToken[:4]
		target := serveExcept(validFor(40), func(w http.ResponseWriter, r *http.Request, _ int, n int64) bool {
			body := testkit.Must(io.ReadAll(r.Body))
			if n > 30 && bytes.Contains(body, []byte(old)) {
				w.WriteHeader(http.StatusUnauthorized)
				return true
			}
			body = bytes.ReplaceAll(body, []byte(old), []byte(fixtures.AccessToken))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			return false
		})
		file := testkit.Write(GinkgoT().TempDir(), "token.txt", []byte(fixtures.AccessToken+"\n"))
		out := carryOut(newSweep(target.URL, inventedUsers(40), func(s *settings.Settings, _ *sweep.Options) {
			testkit.EachTarget(func(t *settings.Target) { t.AccessToken, t.TokenFile = old, file })(s)
		}))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Notes).To(ContainElement(And(ContainSubstring("refused everybody for a while"),
			ContainSubstring("the file of the access token was read again, and the new token was served"),
			Not(ContainSubstring("--rate")))))
	})
