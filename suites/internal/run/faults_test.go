package run_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
)

// last stands for the last request of a plan.
const last = -1

// exchangeIDs are those of the exchanges that a target saw a request of.
func exchangeIDs(s *stage) map[string]bool {
	seen := map[string]bool{}
	for _, request := range s.requests() {
		seen[request.id] = true
	}
	return seen
}

// dropConnection closes the connection of a request without an answer.
func dropConnection(w http.ResponseWriter) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
	return true
}

// dropRequests drops the requests whose number is one of those.
func dropRequests(which func(number int) bool) func(http.ResponseWriter, sent, int) bool {
	return func(w http.ResponseWriter, _ sent, number int) bool { return which(number) && dropConnection(w) }
}

var _ = Describe("A target that does not answer (J19)", func() {
	It("ends the run with an error that says what to check, if nothing listens there", func(ctx SpecContext) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		address := "http://" + listener.Addr().String()
		Expect(listener.Close()).To(Succeed())
		r := runAgainst(address, threeUsers())
		err = r.Execute(ctx)
		Expect(err).To(MatchError(And(ContainSubstring("can't be reached"), ContainSubstring("--target-url"),
			ContainSubstring("refused"))))
		Expect(r.Counts().Requests).To(BeEquivalentTo(5), "five in a row end it")
		for _, row := range r.Ledger.Rows() {
			Expect(row.Verdict()).NotTo(Equal(ledger.Pass), row.Key.String())
		}
	}, NodeTimeout(limit))

	It("ends the run with an error, also if fewer than five requests were planned", func(ctx SpecContext) {
		s := &stage{before: dropRequests(func(int) bool { return true })}
		r := readyRun(s, withVersions(schemas.V5), func(s *settings.Settings) { s.Users = s.Users[:1] })
		Expect(r.Execute(ctx)).To(MatchError(ContainSubstring("can't be reached")))
		Expect(s.requests()).To(HaveLen(4))
	}, NodeTimeout(limit))

	It("ends the run after five requests in a row, if it answered before", func(ctx SpecContext) {
		s := &stage{before: dropRequests(func(number int) bool { return number > 3 })}
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(MatchError(And(ContainSubstring("stopped answering"),
			ContainSubstring("5 well-formed requests in a row"))))
		Expect(exchangeIDs(s)).To(HaveLen(8))
	}, NodeTimeout(limit))

	It("has a finding for each request and is asked on, if it is silent four times in a row", func(ctx SpecContext) {
		s := &stage{before: dropRequests(func(number int) bool { return number%5 != 0 && number <= 24 })}
		r := readyRun(s, withVersions(schemas.V5, schemas.V6))
		Expect(r.Execute(ctx)).To(Succeed())
		findings := 0
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				findings += findRow(r, "4/"+string(op)+"/served", v).Count
			}
		}
		Expect(findings).To(BeNumerically(">", 0))
		Expect(r.Counts().Requests).To(BeEquivalentTo(len(s.requests())), "each sending counts")
	}, NodeTimeout(limit))

	It("has refused the altered requests, if it answers the well-formed ones", func(ctx SpecContext) {
		s := &stage{before: dropRequests(func(number int) bool { return number > 24 })}
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(rowsNotPassing(r)).To(BeEmpty())
	}, NodeTimeout(limit))

	It("ends the run if it exceeds the timeout", func(ctx SpecContext) {
		s := &stage{}
		s.before = func(http.ResponseWriter, sent, int) bool {
			<-s.release
			return true
		}
		r := readyRun(s, func(s *settings.Settings) { s.Timeout = 50 * time.Millisecond })
		Expect(r.Execute(ctx)).To(MatchError(And(ContainSubstring("can't be reached"), ContainSubstring("50ms"))))
	}, NodeTimeout(limit))

	It("does not end the run if it answers something that can't be decoded", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, _ sent, number int) bool {
			w.Header().Set("Content-Encoding", "unknown")
			_, _ = w.Write([]byte("x"))
			return true
		}}
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(findRow(r, "4/getUserAuth/served", schemas.V5).Verdict()).To(Equal(ledger.Fail))
		Expect(findRow(r, "4.1/Id/required", schemas.V5).Reason).To(Equal(ledger.NotServed))
	}, NodeTimeout(limit))
})

var _ = Describe("A run that can't be carried to its end", func() {
	throttled := func(header string, from int) *stage {
		return &stage{before: func(w http.ResponseWriter, _ sent, number int) bool {
			if number < from {
				return false
			}
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}}
	}

	It("ends at once if the target asks to wait much longer than the deadline leaves", func(ctx SpecContext) {
		s := throttled("3600", 5)
		err := readyRun(s).Execute(ctx)
		Expect(errors.Is(err, target.ErrDeadline)).To(BeTrue())
		Expect(err).To(MatchError(ContainSubstring("1h0m0s")))
		Expect(s.requests()).To(HaveLen(5))
	}, NodeTimeout(limit))

	It("ends at once if the target asks to wait a little longer than the deadline leaves", func(ctx SpecContext) {
		s := throttled("30", 5)
		err := readyRun(s, func(s *settings.Settings) { s.Deadline = 20 * time.Second }).Execute(ctx)
		Expect(errors.Is(err, target.ErrDeadline)).To(BeTrue())
		Expect(s.requests()).To(HaveLen(5))
	}, NodeTimeout(limit))

	It("ends with an error that names the deadline", func(ctx SpecContext) {
		s := &stage{}
		s.before = func(_ http.ResponseWriter, _ sent, number int) bool {
			if number == 3 {
				<-s.release
			}
			return false
		}
		r := readyRun(s, func(s *settings.Settings) { s.Deadline = 300 * time.Millisecond })
		Expect(errors.Is(r.Execute(ctx), target.ErrDeadline)).To(BeTrue())
		Expect(s.requests()).To(HaveLen(3))
	}, NodeTimeout(limit))

	DescribeTable("tells why it was interrupted, and sends nothing more",
		func(ctx SpecContext, at, concurrency int) {
			cause := errors.New("interrupted by SIGTERM")
			stoppable, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			s := &stage{}
			r := readyRun(s, withConcurrency(concurrency))
			if at == last {
				at = len(r.Plan())
			}
			s.before = func(_ http.ResponseWriter, _ sent, number int) bool {
				if number == at {
					cancel(cause)
				}
				return false
			}
			Expect(r.Execute(stoppable)).To(MatchError(cause))
			before := len(s.requests())
			Expect(before).To(BeNumerically("<=", at+concurrency))
			Expect(r.Execute(ctx)).To(MatchError(cause), "it is over, whatever is asked of it")
			Expect(s.requests()).To(HaveLen(before))
		},
		Entry("in the first request", 1, 1), Entry("among the reads", 10, 4), Entry("among the altered ones", 40, 1),
		Entry("at the last", last, 1),
	)

	It("marks the rows that it did not reach as not run", func(ctx SpecContext) {
		r := readyRun(throttled("3600", 23))
		Expect(r.Execute(ctx)).NotTo(Succeed())
		for _, id := range []string{"4.1/Id/required", "5.1/getUserAuth/token"} {
			Expect(findRow(r, id, schemas.V5).Reason).To(Equal(ledger.NotRun), id)
		}
		Expect(findRow(r, "2.1/Id", schemas.V5).Verdict()).To(Equal(ledger.Pass),
			"what was judged until then stays judged")
	}, NodeTimeout(limit))

	It("marks every row as not run if nothing was sent", func(ctx SpecContext) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		s := &stage{}
		r := readyRun(s)
		Expect(r.Execute(ended)).To(MatchError(context.Canceled))
		Expect(s.requests()).To(BeEmpty())
		for _, row := range r.Ledger.Rows() {
			Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
		}
	})
})

var _ = Describe("Throttling within a run", func() {
	It("is waited out and counted, and changes no verdict", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, _ sent, number int) bool {
			if number%20 != 1 {
				return false
			}
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}}
		r := readyRun(s, withConcurrency(8))
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(rowsNotPassing(r)).To(BeEmpty())
		Expect(r.Counts().Throttled).To(BeNumerically(">=", 6))
		Expect(r.Counts().Requests).To(BeEquivalentTo(int64(len(r.Plan())) + r.Counts().Throttled))
	}, NodeTimeout(limit))
})

var _ = Describe("A panic of the suite", func() {
	It("ends the run with an error that calls it a defect and has its stack", func(ctx SpecContext) {
		for _, at := range []int{1, 30, last} {
			r := readyRun(&stage{}, withConcurrency(4))
			if at == last {
				at = len(r.Plan())
			}
			r.Progress = func(done, _ int) {
				if done == at {
					panic("a slip of the pen")
				}
			}
			err := r.Execute(ctx)
			var defect *engine.Defect
			Expect(errors.As(err, &defect)).To(BeTrue(), "%v", err)
			Expect(defect.Panic).To(Equal("a slip of the pen"))
			Expect(string(defect.Stack)).To(ContainSubstring("faults_test.go"))
			Expect(err).To(MatchError(And(ContainSubstring("defect of the suite"),
				ContainSubstring("a slip of the pen"))))
		}
	}, NodeTimeout(limit))
})

var _ = Describe("A user whom no version serves", func() {
	It("counts as perhaps unknown to the target, unlike one whom a version serves", func(ctx SpecContext) {
		users := threeUsers()
		s := &stage{before: func(w http.ResponseWriter, s sent, _ int) bool {
			if s.user() == users[0].UserID || s.user() == users[2].UserID && s.version() == "v5" {
				http.NotFound(w, nil)
				return true
			}
			return false
		}}
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(r.Ledger.Unknown(settings.User(users[0]))).To(BeTrue())
		Expect(r.Ledger.Unknown(settings.User(users[2]))).To(BeFalse())
		Expect(r.Ledger.NobodyServed()).To(BeFalse())
		Expect(strings.Join(rowsNotPassing(r), "\n")).To(ContainSubstring("4/getUserAuth/served v5 fail"))
	})
})
