package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// usersAsked are those that the target saw requests for.
func usersAsked(s *stage) []string {
	var list []string
	for _, request := range s.sentRequests() {
		if !slices.Contains(list, request.user) {
			list = append(list, request.user)
		}
	}
	return list
}

// refusal is a target that answers everything alike.
type refusal struct {
	Name, Path, Body, Location string
	Status                     int
	Says                       string
}

const refusals = "testdata/refusals.yaml"

var _ = Describe("A target that refuses requests before it serves others (J23)", func() {
	DescribeTable("is asked again if it refused several users", func(ctx SpecContext, refused func(sent) bool,
		again int, findings map[string]int) {
		s := answerWith(refused, 404, "")
		r := prepareRunFor(s, manyUsers(9))
		Expect(r.Execute(ctx, nil)).To(Succeed())
		got := map[string]int{}
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				row := findRow(r, "4/"+string(op)+"/served", v)
				if row.Count > 0 {
					got[string(op)+" "+string(v)] = row.Count
				}
				if row.Outcome.Unsteady > 0 {
					got[string(op)+" "+string(v)+" unsteady"] = row.Outcome.Unsteady
				}
			}
		}
		Expect(got).To(Equal(findings))
		Expect(r.Counts().Interruptions).To(BeEquivalentTo(again))
	},
		Entry("the first one only", func(s sent) bool { return s.number == 1 }, 0,
			map[string]int{"getUserAuth v5 unsteady": 1}),
		Entry("every request of one operation at first, which shows nothing but that some users are refused",
			func(s sent) bool { return s.number <= 40 && s.operation == schemas.FindByUserIDs }, 0,
			map[string]int{"findByUserIds v5 unsteady": 6, "findByUserIds v6 unsteady": 6}),
		Entry("one operation always", func(s sent) bool {
			return s.version == schemas.V6 && s.operation == schemas.FindByUserIDs
		}, 0, map[string]int{"findByUserIds v6": 3 * 9}),
	)
})

var _ = Describe("The preflight of a run (J19)", func() {
	for _, c := range testkit.Cases[refusal](refusals) {
		It("ends the run of a target that refuses everything, and says what came and what to check first: "+c.Name,
			func(ctx SpecContext) {
				s := answerWith(anyRequest, c.Status, strings.ReplaceAll(c.Body, "$TOKEN", fixtures.AccessToken),
					"Location", c.Location)
				var host string
				r := prepareRunFor(s, manyUsers(9), func(to *settings.Settings) {
					base := to.Targets[schemas.V5].URL
					host, base.Path = base.Host, c.Path
				})
				text := sanitize.New(r.Settings, r.Contract, "").Error(r.Execute(ctx, nil))
				text = strings.ReplaceAll(text, host, "$HOST")
				Expect(text).NotTo(Or(ContainSubstring("\x1b"), ContainSubstring(fixtures.AccessToken)))
				testkit.Says(refusals, c.Name, c.Says, errors.New(text))
				Expect(usersAsked(s)).To(ConsistOf("u-0", "u-1", "u-2", "u-3", "u-4"))
				if c.Status/100 != 5 { // then each version may be starting
					Expect(s.sentRequests()).To(HaveLen(10), "nothing else is sent")
				}
			})
	}

	It("counts how often each status came, also one that is no number of HTTP, such as 000", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, s sent) bool {
			if s.version == schemas.V6 {
				w.WriteHeader(http.StatusNotFound)
			} else if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				_ = conn.Close()
			}
			return true
		}}
		Expect(prepareRunFor(s, manyUsers(2)).Execute(ctx, nil)).To(
			MatchError(ContainSubstring("answered with 000 (2 times), 404 (2 times)")))
	}, NodeTimeout(limit))

	It("ends the run of a target that answers 503 to everything, without waiting for long (J19)",
		func(ctx SpecContext) {
			s := answerWith(anyRequest, 503, "<html><title>Service Unavailable</title>")
			r := prepareRunFor(s, manyUsers(9))
			Expect(r.Execute(ctx, nil)).To(MatchError(And(HavePrefix("the target refuses everything: none of 10 "+
				"well-formed "),
				ContainSubstring("got 503 Service Unavailable: Service Unavailable; check, in this order: whether the "+
					"service works"))))
			Expect(len(s.sentRequests())).To(BeNumerically("<=", 10+2*5), "each version may be starting")
		}, NodeTimeout(limit))

	DescribeTable("lets a run go on, or ends it, by the first enrolled users:",
		func(ctx SpecContext, s *stage, users []fixtures.User, rows []string, asked int, says string) {
			r := prepareRunFor(s, users)
			selectRows(r, rows...)
			err := r.Execute(ctx, nil)
			Expect(usersAsked(s)).To(HaveLen(asked))
			if says == "" {
				Expect(err).NotTo(HaveOccurred())
			} else {
				Expect(err).To(MatchError(ContainSubstring(says)))
			}
		},
		Entry("the fifth alone is served", answerWith(func(s sent) bool { return s.user != "u-5" }, 404, ""),
			manyUsers(9, 0), nil, 9+2, ""), // mutations name an unknown user, or none
		Entry("one version of getUserAuth alone is served", answerWith(func(s sent) bool {
			return s.version == schemas.V5 || s.operation == schemas.FindByUserIDs
		}, 404, ""), manyUsers(9, 0), nil, 5, "v5 refuses everything: none of 5 well-formed requests of getUserAuth "+
			"for 5 enrolled users was served"),
		Entry("one version is refused, and the other one has broken JSON, which serves nobody", &stage{
			before: func(w http.ResponseWriter, s sent) bool {
				if s.version == schemas.V6 {
					w.WriteHeader(http.StatusNotFound)
				}
				_, _ = io.WriteString(w, `{"error":`)
				return true
			}}, manyUsers(9), nil, 5, "; check, in this order: the base URL"),
		Entry("they get 2xx with broken JSON", answerWith(anyRequest, 200, `{"error":`), manyUsers(9, 0), nil, 9, ""),
		Entry("they get a record in a refusal", answerWith(anyRequest, 500,
			`{"Flags":1,"IsLocked":false,"Description":"x"}`), manyUsers(9, 0), nil, 9, ""),
		Entry("one of their requests brings no answer, all others a refusal", answerWith(func(s sent) bool {
			if s.number == 1 {
				panic(http.ErrAbortHandler)
			}
			return true
		}, 404, ""), manyUsers(9), nil, 5, "v6 refuses everything"),
		Entry("nobody is enrolled", answerWith(anyRequest, 404, ""), manyUsers(2, 0, 1), nil, 2, ""),
		Entry("findByUserIds alone is served", answerWith(func(s sent) bool {
			return s.operation == schemas.GetUserAuth
		}, 404, ""), manyUsers(1), nil, 1, "2 well-formed requests of getUserAuth"),
		Entry("a filter leaves findByUserIds alone, which has identifiers of nobody", answerWith(anyRequest, 200, "[]"),
			manyUsers(1), []string{"2.3/identifiers v5", "2.3/identifiers v6"}, 1,
			"2 well-formed requests of findByUserIds"),
		Entry("the run only looks for one to refuse, and none is served", answerWith(anyRequest, 404, ""), manyUsers(9),
			[]string{"4.1/Id/required v5", "4.1/Id/required v6"}, 5, "5 enrolled users"),
	)

	It("asks for the first five enrolled users before all others", func(ctx SpecContext) {
		s := &stage{}
		r := prepareRunFor(s, manyUsers(8, 0, 2))
		Expect(r.Execute(ctx, nil)).To(Succeed())
		Expect(usersAsked(s)[:8]).To(Equal([]string{"u-1", "u-3", "u-4", "u-5", "u-6", "u-0", "u-2", "u-7"}))
		planned := r.Plan()
		Expect(planned[0].User.UserID).To(Equal("u-1"))
		Expect(planned[len(planned)-1].User.UserID).To(Equal("u-1"))
	}, NodeTimeout(limit))
})

// last stands for the last request of a plan.
const last = -1

// That a run goes on if some requests of a few bring no answer is proved by the fickle services (fixtures/hostile).
var _ = Describe("A target that does not answer (J19)", func() {
	DescribeTable("ends the run with an error", func(ctx SpecContext, after, users, exchanges int, says string) {
		s := dropRequests(func(s sent) bool { return s.number > after })
		r := prepareRunFor(s, threeUsers[:users], withVersions(schemas.V5))
		Expect(r.Execute(ctx, nil)).To(MatchError(ContainSubstring(says)))
		counts := r.Counts()
		Expect(counts.Requests - counts.Repeated).To(BeEquivalentTo(exchanges))
		for _, row := range r.Ledger.Rows() {
			Expect(row.Verdict() == ledger.Pass && after == 0).To(BeFalse(), row.Key.String())
		}
	},
		Entry("that says what to check, after five requests", 0, 3, 5,
			"can't be reached: no request was answered; e1 to http://127.0.0.1", NodeTimeout(limit)),
		Entry("also if fewer than five requests were planned, which asks for TLS if connections are closed", 0, 1, 4,
			"ended with: EOF; does the server there speak TLS? Then the URL begins with https://; "+
				"check the setting target.url (--target-url, AUTHN_TARGET_URL)", NodeTimeout(limit)),
		Entry("that says until when it answered, if it did, after seven controls", 3, 3, 11,
			"v5 answered until ", NodeTimeout(limit)),
	)

	It("ends the run also where requests are repeated", func(ctx SpecContext) {
		s := changeCreator(schemas.V6)
		s.before = dropRequests(func(now sent) bool {
			return len(slices.DeleteFunc(s.sentRequests(), func(other sent) bool {
				return other.path != now.path || strings.TrimSpace(other.body) != strings.TrimSpace(now.body)
			})) > 2
		}).before
		Expect(prepareRun(s).Execute(ctx, nil)).To(MatchError(ContainSubstring("answers nobody since")))
	}, NodeTimeout(limit))

	It("is named by the error of the deadline that ends the wait for it", func(ctx SpecContext) {
		r := prepareWaiting(time.Minute, dropRequests(func(s sent) bool { return s.number > 10 }), threeUsers,
			func(s *settings.Settings) { s.Deadline = time.Second })
		Expect(r.Execute(ctx, nil)).To(MatchError(MatchRegexp("^v[56] answered until .* answers nobody since: .*; " +
			`the deadline \(setting deadline\) ended the wait for it$`)))
	}, NodeTimeout(limit))
})

var _ = Describe("A run that can't be carried to its end", func() {
	DescribeTable("says why it was interrupted, keeps what was judged, and sends nothing more",
		func(ctx SpecContext, at int, s *stage, users []fixtures.User, rows ...string) {
			cause := errors.New("interrupted by SIGTERM")
			stoppable, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			r := prepareRunFor(s, users)
			selectRows(r, rows...)
			if at == last {
				at = len(r.Plan())
			}
			answers := s.before
			s.before = func(w http.ResponseWriter, now sent) bool {
				if now.number == at {
					cancel(cause)
				}
				return answers != nil && answers(w, now)
			}
			if at == 0 {
				cancel(cause)
			}
			Expect(r.Execute(stoppable, nil)).To(MatchError(cause))
			before := len(s.sentRequests())
			Expect(before).To(BeNumerically("<=", at))
			for _, row := range r.Ledger.Rows() {
				Expect(row.Reason == ledger.NotRun || at > 0).To(BeTrue(), row.Key.String())
			}
			if at == 40 { // the last of the reads is the 24th
				Expect(findRow(r, "2.1/Id", schemas.V5).Verdict()).To(Equal(ledger.Pass))
				Expect(findRow(r, "5.1/getUserAuth/token", schemas.V5).Reason).To(Equal(ledger.NotRun))
			}
			Expect(s.sentRequests()).To(HaveLen(before))
		},
		Entry("before the first request", 0, &stage{}, threeUsers),
		Entry("in the first request", 1, &stage{}, threeUsers),
		Entry("among the reads", 10, &stage{}, threeUsers),
		Entry("among the reads, if nobody is enrolled", 3, &stage{}, manyUsers(2, 0, 1)),
		Entry("in the search for a user who is served", 3, answerWith(func(s sent) bool {
			return s.user == "u-0"
		}, 404, ""), manyUsers(3), "4.1/Id/required v5"),
		Entry("among the mutations", 40, &stage{}, threeUsers),
		Entry("among what is repeated, before the bad tokens", last, changeRecords(
			func(s sent) bool { return s.version == schemas.V6 },
			func(s sent, record map[string]any) { record["CreatedBy"] = fmt.Sprint("call ", s.call) }), threeUsers),
		Entry("at the last", last, &stage{}, threeUsers),
	)
})

var _ = It("A panic of the suite ends the run with an error that calls it a defect and has its stack",
	func(ctx SpecContext) {
		for _, at := range []int{1, 30, last} {
			r := prepareRun(&stage{})
			if at == last {
				at = len(r.Plan())
			}
			err := r.Execute(ctx, func(done, _ int) {
				if done >= at {
					panic("a slip of the pen")
				}
			})
			var defect *bounded.Defect
			Expect(errors.As(err, &defect)).To(BeTrue(), "%v", err)
			Expect(defect.Panic).To(Equal("a slip of the pen"))
			Expect(string(defect.Stack)).To(ContainSubstring("faults_test.go"))
			Expect(err).To(MatchError(MatchRegexp("defect of the suite.*a slip of the pen")))
		}
	}, NodeTimeout(limit))

var _ = DescribeTable("Users with large answers that change at each call are compared like others, however many "+
	"they are (J20)",
	func(ctx SpecContext, users, size int) {
		last := fmt.Sprint("u-", users-1)
		r := prepareRunFor(changeRecords(anyRequest, func(s sent, record map[string]any) {
			record["Description"] = fmt.Sprint(s.version, s.call, strings.Repeat("x", size))
			if s.user == last && s.version == schemas.V6 && s.call > 1 {
				record["Flags"] = 7 // v6 is right at its first call only
			}
		}), manyUsers(users))
		Expect(r.Execute(ctx, nil)).To(Succeed())
		Expect(rowsNotPassing(r)).To(ConsistOf("9.3/getUserAuth/values v5=v6 fail"))
		row := findRow(r, "9.3/getUserAuth/values", schemas.Parity)
		Expect(row.Causes).To(HaveExactElements(HaveField("Pointer", "/Flags")))
		Expect(row.FailingUsers()).To(Equal(1))
	},
	Entry("answers that are judged one user after the other", 14, 300_000, NodeTimeout(limit)),
	Entry("answers that wait to be asked for again", 80, 230_000, NodeTimeout(limit)),
)
