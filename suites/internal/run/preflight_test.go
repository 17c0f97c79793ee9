package run_test

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
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

// pseudonym is what a secret is replaced with, which is another one in each run.
var pseudonym = regexp.MustCompile("redacted-[a-zA-Z]{16}")

var _ = Describe("The preflight of a run (J19)", func() {
	for _, c := range testkit.Cases[refusal](refusals) {
		It("ends the run of a target that refuses everything, and says what came and what to check first: "+c.Name,
			func(ctx SpecContext) {
				s := answerWith(anyRequest, c.Status, strings.ReplaceAll(c.Body, "$TOKEN", fixtures.AccessToken),
					"Location", c.Location)
				var host string
				r := prepareRunFor(s, manyUsers(9), func(to *settings.Settings) {
					base := to.URLs[schemas.V5]
					host, base.Path = base.Host, c.Path
				})
				text := sanitize.New(r.Settings, r.Contract, "").Error(r.Execute(ctx))
				text = pseudonym.ReplaceAllString(strings.ReplaceAll(text, host, "$HOST"), "$$PSEUDONYM")
				Expect(text).NotTo(Or(ContainSubstring("\x1b"), ContainSubstring(fixtures.AccessToken)))
				testkit.Says(refusals, c.Name, c.Says, errors.New(text))
				Expect(usersAsked(s)).To(ConsistOf("u-0", "u-1", "u-2", "u-3", "u-4"))
				Expect(s.sentRequests()).To(HaveLen(40), "nothing else is sent")
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
		Expect(prepareRunFor(s, manyUsers(2)).Execute(ctx)).To(
			MatchError(ContainSubstring("answered with 000 (4 times), 404 (4 times)")))
	}, NodeTimeout(limit))

	DescribeTable("lets a run go on",
		func(ctx SpecContext, which func(s sent) bool, status int, body string) {
			s := answerWith(which, status, body)
			Expect(prepareRunFor(s, manyUsers(9, 0)).Execute(ctx)).To(Succeed())
			Expect(usersAsked(s)).To(ContainElements("u-0", "u-6", "u-8"))
		},
		Entry("that serves the fifth enrolled user alone", func(s sent) bool { return s.user != "u-5" }, 404, ""),
		Entry("that serves getUserAuth of one version alone",
			func(s sent) bool { return s.version == schemas.V5 || s.operation == schemas.FindByUserIDs }, 404, ""),
		Entry("that answers 2xx with broken JSON", anyRequest, 200, `{"error":`),
		Entry("that refuses with a record", anyRequest, 500, `{"Flags":1,"IsLocked":false,"Description":"x"}`),
	)

	It("asks for the first five enrolled users before all others", func(ctx SpecContext) {
		s := &stage{}
		r := prepareRunFor(s, manyUsers(8, 0, 2))
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(usersAsked(s)[:8]).To(Equal([]string{"u-1", "u-3", "u-4", "u-5", "u-6", "u-0", "u-2", "u-7"}))
		planned := r.Plan()
		Expect(planned[0].User.UserID).To(Equal("u-1"))
		Expect(planned[len(planned)-1].User.UserID).To(Equal("u-1"))
	}, NodeTimeout(limit))

	It("ends with the first answer that is no refusal", func(ctx SpecContext) {
		others := make(chan struct{})
		var once sync.Once
		s := &stage{before: func(_ http.ResponseWriter, s sent) bool {
			switch {
			case s.user == "u-7":
				once.Do(func() { close(others) })
			case s.user == "u-4": // no answer before another user is asked for
				select {
				case <-others:
				case <-ctx.Done():
				}
			}
			return false
		}}
		Expect(prepareRunFor(s, manyUsers(8), withConcurrency(8)).Execute(ctx)).To(Succeed())
	}, NodeTimeout(limit))

	DescribeTable("looks at", func(ctx SpecContext, users []fixtures.User, body string, rows []string, asked int,
		says string) {
		s := &stage{before: func(w http.ResponseWriter, s sent) bool {
			if s.operation == schemas.FindByUserIDs && body != "" {
				_, _ = io.WriteString(w, body)
			} else {
				w.WriteHeader(http.StatusNotFound)
			}
			return true
		}}
		r := prepareRunFor(s, users)
		selectRows(r, rows...)
		err := r.Execute(ctx)
		Expect(usersAsked(s)).To(HaveLen(asked))
		if says == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("getUserAuth only: identifiers of nobody do not save a run", manyUsers(1), "[]", nil, 1,
			"4 well-formed requests of getUserAuth"),
		Entry("findByUserIds if a filter leaves nothing else", manyUsers(1), "[]",
			[]string{"2.3/identifiers v5", "2.3/identifiers v6"}, 1, "4 well-formed requests of findByUserIds"),
		Entry("nothing if nobody is enrolled", manyUsers(2, 0, 1), "", nil, 2, ""),
		Entry("five users, if the run only looks for one to refuse", manyUsers(9), "",
			[]string{"4.1/Id/required v5", "4.1/Id/required v6"}, 5, "5 enrolled users"),
	)
})
