package run_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
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

var _ = Describe("The preflight of a run (J19)", func() {
	DescribeTable("ends the run of a target that refuses everything, and says what came and what to check first",
		func(ctx SpecContext, status int, body, answered, first string) {
			s := answerWith(anyRequest, status, body, "Location", "https://login.example/")
			if status != http.StatusFound {
				s = answerWith(anyRequest, status, body)
			}
			r := prepareRunFor(s, manyUsers(9))
			text := sanitize.New(r.Settings, r.Contract, "").Error(r.Execute(ctx))
			Expect(text).To(And(
				ContainSubstring("none of 20 well-formed requests of getUserAuth for 5 enrolled users was served"),
				ContainSubstring("(20 times)"),
				MatchRegexp(`e1 to http://127\.0\.0\.1:\d+/api/v5/authenticator/getUserAuth got `+answered),
				ContainSubstring("check, in this order: "+first)))
			Expect(text).NotTo(Or(ContainSubstring("\n"), ContainSubstring("\x1b"),
				ContainSubstring(fixtures.AccessToken)))
			Expect(usersAsked(s)).To(ConsistOf("u-0", "u-1", "u-2", "u-3", "u-4"))
			Expect(s.sentRequests()).To(HaveLen(40), "nothing else is sent")
		},
		Entry("a wrong token", 401, `{"error":"no such token"}`, `401 Unauthorized: {"error":"no such token"}`,
			"the access token"),
		Entry("the token and control characters", 401, fixtures.AccessToken+"\x1b[2J", "401 Unauthorized: redacted-",
			"the access token"),
		Entry("a wrong prefix", 404, "\n\n<h1>Not Found</h1>\n<p>x</p>", "404 Not Found: <h1>Not Found</h1>;",
			"the base URL"),
		Entry("a wrong application", 400, "bad module", "400 Bad Request: bad module", "the application id"),
		Entry("a service that is down", 502, "<html>", "502 Bad Gateway: <html>", "whether the service works at all"),
		Entry("refusals in 200", 200, `{"success":false,"error":"invalid token"}`,
			`200 OK: {"success":false,"error":"invalid token"}`, "the access token"),
		Entry("a status that HTTP does not know", 599, "", "599;", "whether the service works at all"),
		Entry("a redirect", 302, "", `302 Found, a redirect to https://login\.example/ \(redirects are not followed\)`,
			""),
	)

	It("shows also a status that is no number of HTTP, such as 000", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, _ sent) bool {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				_ = conn.Close()
			}
			return true
		}}
		Expect(prepareRunFor(s, manyUsers(1)).Execute(ctx)).To(
			MatchError(MatchRegexp(`refuses everything.*answered with 000 \(4 times\)`)))
	}, NodeTimeout(limit))

	It("counts how often each status came", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, s sent) bool {
			w.WriteHeader(map[schemas.Version]int{schemas.V5: 401, schemas.V6: 404}[s.version])
			return true
		}}
		Expect(prepareRunFor(s, manyUsers(2)).Execute(ctx)).To(
			MatchError(ContainSubstring("401 (4 times), 404 (4 times)")))
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

	DescribeTable("says what is wrong with a base URL that has what the suite appends",
		func(ctx SpecContext, path, named string) {
			base := testkit.Serve(http.NotFoundHandler()).String() + path
			Expect(prepareRunAgainst(base, manyUsers(1)).Execute(ctx)).To(MatchError(And(
				ContainSubstring("leave "+named+" out of the base URL"),
				ContainSubstring(base+"/api/v5/authenticator/getUserAuth got 404"))))
		},
		Entry("a version", "/prefix/api/v5", "/api/v5"),
		Entry("the other version", "/api/v6", "/api/v6"),
		Entry("an operation", "/api/v5/authenticator/getUserAuth", "/api/v5/authenticator/getUserAuth"),
	)

	It("suggests https if plain HTTP meets TLS, and the server says so or closes", func(ctx SpecContext) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		DeferCleanup(server.Close)
		for _, r := range []*run.Run{prepareRunAgainst("http://"+server.Listener.Addr().String(), manyUsers(1)),
			prepareRunFor(dropRequests(anyRequest), manyUsers(1))} {
			Expect(r.Execute(ctx)).To(MatchError(ContainSubstring("https://")))
		}
	})
})
