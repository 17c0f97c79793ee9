package selftest_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
)

// hostile is a target that means harm, or is out of order.
type hostile struct {
	name string
	// One of the three says what it does: a handler, a way to serve bare connections, or a way to start it that gives its
	// URL and more arguments of the run.
	handler http.Handler
	serve   func(net.Conn)
	start   func(folder string) (url string, args []string, end func(), err error)

	args []string
	// heavy tells that each answer is large: one user is then enough.
	heavy bool
	// codes are the exit codes that fit.
	codes []int
	// says is what the streams name; "" nothing certain.
	says string
}

// bound is within what every one of these runs has to end; no spec asks for more than that.
const bound = 90 * time.Second

// mostMemory is what no target may make the suite use, in bytes.
const mostMemory = 1 << 30

// fewUsers are enough for a target that answers all alike: one with a value in every field, and a second one.
func fewUsers() []fixtures.User {
	users := knownUsers()
	return []fixtures.User{users[0], users[len(users)-1]}
}

func hostileSpecs(r *rig) {
	list := slices.Concat(wireHostiles(), framingHostiles(), bodyHostiles(), valueHostiles(), tlsHostiles(), fickleHostiles())
	slices.SortFunc(list, func(a, b hostile) int { return strings.Compare(a.name, b.name) })
	var jobs []func() *outcome
	for _, h := range list {
		jobs = append(jobs, func() *outcome { return h.judged(r) })
	}
	results := runAhead(r, jobs...)

	Describe("A hostile target", Label(proof), func() {
		for i, h := range list {
			It(h.name, func() {
				o := results.result(i)
				report := sound(o)
				Expect(o.code).To(BeElementOf(h.codes), o.said())
				Expect(o.stdout + o.stderr).To(ContainSubstring(h.says))
				for _, text := range []string{o.stdout, o.stderr} {
					Expect(text).NotTo(ContainSubstring("panic"))
					Expect(text).NotTo(ContainSubstring("defect"))
					Expect(text).NotTo(ContainSubstring("goroutine"))
				}
				Expect(o.peak).To(BeNumerically("<", mostMemory), "the peak of its resident memory, in bytes")
				Expect(len(o.stdout)).To(BeNumerically("<", 4<<20), "what a person is to read")
				// The rest of the token is made of words, which stand in the reports anyway.
				Expect(tracesIn(o, fixtures.AccessToken[strings.LastIndex(fixtures.AccessToken, "-")+1:])).To(BeEmpty())
				for _, row := range report.Requirements {
					Expect(len(row.Findings)).To(BeNumerically("<=", 50))
					Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)))
				}
			})
		}

		It("uses no more memory than a small machine has", func() {
			largest, name := int64(0), ""
			for i, h := range list {
				if o := results.result(i); o.peak > largest {
					largest, name = o.peak, h.name
				}
			}
			AddReportEntry("the largest peak of resident memory", fmt.Sprintf("%d MiB: %s", largest>>20, name))
			Expect(largest).To(BeNumerically("<", mostMemory))
		})

		It("gets no token at another origin that it redirects to", func() {
			elsewhere := count(referenceOf(knownUsers()))
			for _, status := range []int{301, 302, 303, 307, 308} {
				server := count(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
					w.Header().Set("Location", elsewhere.URL+request.URL.Path)
					w.Header().Set("Refresh", "0; url="+elsewhere.URL)
					w.WriteHeader(status)
				}))
				o := r.call(r.certify(server.URL))
				report := sound(o)
				Expect(report.Verdict).To(Equal("fail"))
				Expect(report.rows("fail")).To(ContainElements("v5 4/getUserAuth/served", "v6 4/findByUserIds/served"))
				Expect(o.stdout).To(ContainSubstring("redirect"))
			}
			Expect(elsewhere.requests.Load()).To(BeZero())
		})
	})
}

// judged has the target judged, for few users.
func (h hostile) judged(r *rig) *outcome {
	folder := r.work()
	url, args, end, err := h.begin(folder)
	if err != nil {
		return &outcome{err: err}
	}
	defer end()
	users := fewUsers()
	if h.heavy {
		users = users[:1]
	}
	arguments := slices.Concat([]string{"run", "--target-url", url, "--users", usersFile(folder, users)}, args, h.args)
	return r.call(command{args: arguments, env: credentials(), folder: folder, within: bound})
}

func (h hostile) begin(folder string) (url string, args []string, end func(), err error) {
	switch {
	case h.start != nil:
		return h.start(folder)
	case h.serve != nil:
		url, end = listen(h.serve)
		return url, nil, end, nil
	}
	server := httptest.NewServer(h.handler)
	return server.URL, nil, server.Close, nil
}

// failing and erring are the codes of most targets: they break the document, or can't be judged.
func failing() []int { return []int{1} }
func erring() []int  { return []int{2} }
func either() []int  { return []int{1, 2} }

// quick is for targets that do not answer.
func quick() []string { return []string{"--timeout", "500ms"} }

// fickleHostiles change in the middle of the run.
func fickleHostiles() []hostile {
	right := referenceOf(knownUsers())
	counting := func(decide func(n int64, w http.ResponseWriter, request *http.Request)) http.Handler {
		var n counter
		return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) { decide(n.Add(1), w, request) })
	}
	return []hostile{
		{name: "dies in the middle", codes: erring(), says: "stopped answering", start: func(string) (string, []string, func(), error) {
			var server *httptest.Server
			server = httptest.NewServer(counting(func(n int64, w http.ResponseWriter, request *http.Request) {
				if n == 12 {
					_ = server.Listener.Close()
				}
				if n >= 12 {
					panic(http.ErrAbortHandler)
				}
				right.ServeHTTP(w, request)
			}))
			return server.URL, []string{"--concurrency", "1"}, server.Close, nil
		}},
		{name: "falls silent in the middle", codes: erring(), says: "stopped answering", args: append(quick(), "--concurrency", "1"), handler: counting(func(n int64, w http.ResponseWriter, request *http.Request) {
			if n > 8 {
				_, _ = io.Copy(io.Discard, request.Body) // without that the server does not notice that the client has gone
				<-request.Context().Done()
				return
			}
			right.ServeHTTP(w, request)
		})},
		{name: "breaks off every seventh answer", codes: failing(), says: "/served", handler: counting(func(n int64, w http.ResponseWriter, request *http.Request) {
			if n%7 == 0 {
				panic(http.ErrAbortHandler)
			}
			right.ServeHTTP(w, request)
		})},
		{name: "appears late", codes: failing(), handler: counting(func(n int64, w http.ResponseWriter, request *http.Request) {
			if n < 4 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			right.ServeHTTP(w, request)
		})},
		{name: "flips between right and wrong", codes: failing(), handler: counting(func(n int64, w http.ResponseWriter, request *http.Request) {
			if n%2 == 0 {
				_, _ = w.Write([]byte("[1]"))
				return
			}
			right.ServeHTTP(w, request)
		})},
		{name: "answers the more slowly the longer it takes", codes: []int{0, 2}, args: []string{"--deadline", "4s", "--concurrency", "2"}, handler: counting(func(n int64, w http.ResponseWriter, request *http.Request) {
			time.Sleep(time.Duration(n) * 2 * time.Millisecond)
			right.ServeHTTP(w, request)
		})},
	}
}
