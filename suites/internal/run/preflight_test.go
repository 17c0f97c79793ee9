package run_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/suites/internal/sanitize"
)

// refusingWith answers requests for which it is true with a status and a body.
func refusingWith(status int, body string, which func(s sent) bool) func(http.ResponseWriter, sent, int) bool {
	return func(w http.ResponseWriter, s sent, _ int) bool {
		if which(s) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
		return false
	}
}

func allUsers(sent) bool { return true }

// manyUsers are so many, of whom those with the given numbers are not enrolled.
func manyUsers(n int, unenrolled ...int) []fixtures.User {
	list := make([]fixtures.User, n)
	for i := range list {
		list[i] = fixtures.User{
			ID: fmt.Sprintf("3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b%04d", i), UserID: fmt.Sprintf("u-%d", i),
			Enrolled: !slices.Contains(unenrolled, i),
		}
	}
	return list
}

// usersAsked are those that the target saw requests for.
func usersAsked(s *stage) []string {
	var list []string
	for _, request := range s.requests() {
		if !slices.Contains(list, request.user()) {
			list = append(list, request.user())
		}
	}
	return list
}

var _ = Describe("The preflight of a run (J19)", func() {
	DescribeTable("ends the run of a target that refuses everything, and says what came and what to check first",
		func(ctx SpecContext, status int, body, answered, first string) {
			s := &stage{before: refusingWith(status, body, allUsers)}
			r := newRunFor(s, manyUsers(9))
			err := r.Execute(ctx)
			Expect(err).To(MatchError(And(
				ContainSubstring("none of 20 well-formed requests of getUserAuth for 5 enrolled users was served"),
				ContainSubstring("(20 times)"), ContainSubstring(answered),
				MatchRegexp(`e1 to http://127\.0\.0\.1:\d+/api/v5/authenticator/getUserAuth got `),
				ContainSubstring("check, in this order: "+first))))
			Expect(err.Error()).NotTo(ContainSubstring("\n"))
			Expect(usersAsked(s)).To(ConsistOf("u-0", "u-1", "u-2", "u-3", "u-4"))
			Expect(s.requests()).To(HaveLen(40), "nothing else is sent")
		},
		Entry("a wrong token", 401, `{"error":"no such token"}`, `401 Unauthorized: {"error":"no such token"}`,
			"the access token"),
		Entry("a wrong prefix", 404, "\n\n<h1>Not Found</h1>\n<p>x</p>", "404 Not Found: <h1>Not Found</h1>",
			"the base URL"),
		Entry("a wrong application", 400, "bad module", "400 Bad Request: bad module", "the application id"),
		Entry("a service that is down", 502, "<html>", "502 Bad Gateway: <html>", "whether the service works at all"),
		Entry("refusals in 200", 200, `{"success":false,"error":"invalid token"}`,
			`200 OK: {"success":false,"error":"invalid token"}`, "the access token"),
		Entry("a status that HTTP does not know", 599, "", "got 599;", "whether the service works at all"),
	)

	It("shows also a status that is no number of HTTP, such as 000", func(ctx SpecContext) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, req.Body) // or the close would be a reset
				}
				_, _ = conn.Write([]byte("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
				_ = conn.Close()
			}
		}()
		err = runAgainst("http://"+listener.Addr().String(), manyUsers(1)).Execute(ctx)
		Expect(err).To(MatchError(And(ContainSubstring("refuses everything"), ContainSubstring("000"))))
	}, NodeTimeout(limit))

	It("says where a redirect leads", func(ctx SpecContext) {
		r := readyRun(&stage{before: func(w http.ResponseWriter, _ sent, _ int) bool {
			w.Header().Set("Location", "https://login.example/")
			w.WriteHeader(http.StatusFound)
			return true
		}})
		Expect(r.Execute(ctx)).To(MatchError(ContainSubstring(
			"302 Found, a redirect to https://login.example/ (redirects are not followed)")))
	}, NodeTimeout(limit))

	It("shows neither the token nor control characters", func(ctx SpecContext) {
		r := readyRun(&stage{before: refusingWith(401, fixtures.AccessToken+"\x1b[2J", allUsers)})
		text := sanitize.New(r.Settings, r.Contract, "").Error(r.Execute(ctx))
		Expect(text).To(And(ContainSubstring("401"), Not(ContainSubstring(fixtures.AccessToken)),
			Not(ContainSubstring("\x1b"))))
	}, NodeTimeout(limit))

	It("counts how often each status came", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, s sent, _ int) bool {
			w.WriteHeader(map[string]int{"v5": 401, "v6": 404}[s.version()])
			return true
		}}
		Expect(newRunFor(s, manyUsers(2)).Execute(ctx)).To(
			MatchError(ContainSubstring("401 (4 times), 404 (4 times)")))
	}, NodeTimeout(limit))

	DescribeTable("lets a run go on",
		func(ctx SpecContext, which func(s sent) bool, status int, body string) {
			s := &stage{before: refusingWith(status, body, which)}
			r := newRunFor(s, manyUsers(9, 0))
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(usersAsked(s)).To(ContainElements("u-0", "u-6", "u-8"))
		},
		Entry("that serves the fifth enrolled user alone", func(s sent) bool { return s.user() != "u-5" }, 404, ""),
		Entry("that serves getUserAuth of one version alone",
			func(s sent) bool { return s.version() == "v5" || s.operation() == "findByUserIds" }, 404, ""),
		Entry("that answers 2xx with broken JSON", allUsers, 200, `{"error":`),
		Entry("that refuses with a record", allUsers, 500, `{"Flags":1,"IsLocked":false,"Description":"x"}`),
	)

	It("asks for the first five enrolled users before all others", func(ctx SpecContext) {
		s := &stage{}
		r := newRunFor(s, manyUsers(8, 0, 2))
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(usersAsked(s)[:8]).To(Equal([]string{"u-1", "u-3", "u-4", "u-5", "u-6", "u-0", "u-2", "u-7"}))
		planned := r.Plan()
		Expect(planned[0].User.UserID).To(Equal("u-1"))
		Expect(planned[len(planned)-1].User.UserID).To(Equal("u-1"))
	}, NodeTimeout(limit))

	It("ends with the first answer that is no refusal", func(ctx SpecContext) {
		others := make(chan struct{})
		var once sync.Once
		s := &stage{before: func(_ http.ResponseWriter, s sent, _ int) bool {
			switch {
			case s.user() == "u-7":
				once.Do(func() { close(others) })
			case s.user() == "u-4": // no answer before another user is asked for
				select {
				case <-others:
				case <-ctx.Done():
				}
			}
			return false
		}}
		Expect(newRunFor(s, manyUsers(8), withConcurrency(8)).Execute(ctx)).To(Succeed())
	}, NodeTimeout(limit))

	It("looks at getUserAuth only: identifiers of nobody do not save a run", func(ctx SpecContext) {
		s := &stage{before: func(w http.ResponseWriter, s sent, _ int) bool {
			if s.operation() == "findByUserIds" {
				_, _ = w.Write([]byte("[]"))
			} else {
				w.WriteHeader(http.StatusNotFound)
			}
			return true
		}}
		Expect(newRunFor(s, manyUsers(1)).Execute(ctx)).To(MatchError(ContainSubstring("4 well-formed requests of getUserAuth")))
	}, NodeTimeout(limit))

	It("looks at findByUserIds if a filter leaves nothing else", func(ctx SpecContext) {
		s := &stage{before: refusingWith(200, "[]", allUsers)}
		r := newRunFor(s, manyUsers(1))
		selectRows(r, "2.3/identifiers v5", "2.3/identifiers v6")
		Expect(r.Execute(ctx)).To(MatchError(ContainSubstring("4 well-formed requests of findByUserIds")))
	}, NodeTimeout(limit))

	DescribeTable("says what is wrong with a base URL that has what the suite appends", func(ctx SpecContext, path,
		named string) {
		server := httptest.NewServer(http.NotFoundHandler())
		DeferCleanup(server.Close)
		Expect(runAgainst(server.URL+path, manyUsers(1)).Execute(ctx)).To(MatchError(And(
			ContainSubstring("leave "+named+" out of the base URL"),
			ContainSubstring(server.URL+path+"/api/v5/authenticator/getUserAuth got 404"))))
	},
		Entry("a version", "/prefix/api/v5", "/api/v5"),
		Entry("the other version", "/api/v6", "/api/v6"),
		Entry("an operation", "/api/v5/authenticator/getUserAuth", "/api/v5/authenticator/getUserAuth"),
	)

	DescribeTable("suggests https if plain HTTP meets TLS", func(ctx SpecContext, handshake bool) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		DeferCleanup(server.Close)
		base := "http://" + server.Listener.Addr().String()
		if !handshake { // a server that closes at once, as many do
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(listener.Close)
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					_ = conn.Close()
				}
			}()
			base = "http://" + listener.Addr().String()
		}
		Expect(runAgainst(base, manyUsers(1)).Execute(ctx)).To(MatchError(ContainSubstring("https://")))
	},
		Entry("and the server says so", true),
		Entry("and the server closes the connection", false),
	)

	It("is left out if nobody is enrolled", func(ctx SpecContext) {
		s := &stage{before: refusingWith(404, "", allUsers)}
		Expect(newRunFor(s, manyUsers(2, 0, 1)).Execute(ctx)).To(Succeed())
	}, NodeTimeout(limit))

	It("ends a run that only looks for a user to refuse after five of them", func(ctx SpecContext) {
		s := &stage{before: refusingWith(401, "", allUsers)}
		r := newRunFor(s, manyUsers(9))
		selectRows(r, "4.1/Id/required v5", "4.1/Id/required v6")
		Expect(r.Execute(ctx)).To(MatchError(ContainSubstring("5 enrolled users")))
		Expect(usersAsked(s)).To(HaveLen(5))
	}, NodeTimeout(limit))
})
