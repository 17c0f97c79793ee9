package asker_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("A version that answers nothing (J19)", func() {
	// read reads users, one call each, and returns how many were asked, and the error.
	read := func(ctx context.Context, s *script) (int64, error) {
		a := newAsker(s)
		for i := range 8 {
			if _, err := a.Read(ctx, []exchange.Probe{wellFormed(fmt.Sprint("e", i), "bob")}, nil); err != nil {
				return a.Counts().Requests, err
			}
		}
		return a.Counts().Requests, nil
	}

	It("can't be reached after five requests in a row", func(ctx SpecContext) {
		asked, err := read(ctx, byNumber(0))
		Expect(err).To(MatchError(ContainSubstring("the target can't be reached: no request was answered; e0 to ")))
		Expect(asked).To(BeEquivalentTo(5))
	})

	It("has stopped if it answered before, without serving anybody", func(ctx SpecContext) {
		asked, err := read(ctx, byNumber(500, 0, 0, 500, 0))
		Expect(err).To(BeNil(), "eight requests, of which the last four got no answer")
		Expect(asked).To(BeEquivalentTo(8))
		_, err = read(ctx, byNumber(500, 0))
		Expect(err).To(MatchError(HavePrefix("v5 stopped answering: 5 well-formed requests in a row " +
			"brought no answer")))
	})

	It("has stopped if another request was answered before, and that begins the count anew", func(ctx SpecContext) {
		a := newAsker(byNumber(0))
		readOne := func() error {
			_, err := a.Read(ctx, []exchange.Probe{wellFormed("e1", "bob")}, nil)
			return err
		}
		for range 4 {
			Expect(readOne()).To(Succeed())
		}
		a.NoteAnswered(schemas.V5)
		for range 4 {
			Expect(readOne()).To(Succeed())
		}
		Expect(readOne()).To(MatchError(HavePrefix("v5 stopped answering: 5 well-formed requests")))
	})

	It("is named if the other one answers, with the first request that got a status", func(ctx SpecContext) {
		s := &script{answer: func(h http.Header, r request) int {
			if r.number == 3 || r.number == 4 {
				h.Set("Content-Length", "9") // of which none comes
				return 200
			}
			return map[bool]int{true: 404, false: 0}[r.number == 1]
		}}
		a := newAsker(s)
		Expect(a.Unreachable(schemas.V6)).To(Succeed(), "it was not asked")
		testkit.Must(a.Read(ctx, []exchange.Probe{wellFormed("e0", "bob")}, nil))
		for i := range 4 {
			p := wellFormed(fmt.Sprint("e", i+1), "bob")
			p.Version, p.Segment = schemas.V6, "v6"
			testkit.Must(a.Read(ctx, []exchange.Probe{p}, nil))
		}
		Expect(a.Unreachable(schemas.V6)).To(MatchError(HavePrefix("v6 gave no whole answer: e2 to ")))
		a.NoteAnswered(schemas.V6)
		Expect(a.Unreachable(schemas.V6)).To(Succeed(), "it answers")
	})

	It("is no reason to end once it has served anybody", func(ctx SpecContext) {
		s := byID(map[string][]int{})
		s.answer = func(_ http.Header, r request) int {
			return map[bool]int{true: 200, false: 0}[r.control || r.number == 1]
		}
		_, err := read(ctx, s)
		Expect(err).NotTo(HaveOccurred())
	})
})

var _ = Describe("The first users (J19)", func() {
	// askFirst asks both versions for users, and returns the error.
	askFirst := func(ctx context.Context, s *script, users int, enrolled bool) error {
		a := newAsker(s)
		_, err := a.AskFirst(ctx, func(n int, v schemas.Version) (exchange.Probe, bool, bool) {
			p := wellFormed(fmt.Sprintf("%s-%d", v, n), fmt.Sprint("u", n))
			p.Version, p.Segment = v, string(v)
			return p, enrolled, n < users
		}, schemas.Versions(), "user")
		return err
	}
	refused := BeAssignableToTypeOf(&asker.Refused{})

	DescribeTable("are asked until one is not refused", func(ctx SpecContext, s *script, enrolled bool, asked int,
		says string) {
		err := askFirst(ctx, s, 30, enrolled)
		if says == "" {
			Expect(err).NotTo(HaveOccurred())
		} else {
			Expect(err).To(And(refused, MatchError(MatchRegexp(says))))
		}
		Expect(s.ids()).To(HaveLen(asked))
	},
		Entry("served at once", byNumber(200), true, 2, ""),
		Entry("the fifth is served", byNumber(404, 404, 404, 404, 200), true, 6, ""),
		Entry("five are refused", byNumber(401), true, 10,
			"the target refuses everything: none of 10 well-formed requests of getUserAuth for 5 users was served"),
		Entry("five by one version", byNumber(200, 403), true, 6,
			"v6 refuses everything: none of 5 well-formed .*; v5 serves one of these users, so check .* of v6"),
		Entry("five by one version, and the other one sends data with an error", &script{
			answer: func(h http.Header, r request) int {
				if r.number > 1 {
					return 403
				}
				h.Set("With", "data")
				return 500
			}}, true, 6,
			"v6 refuses everything: none of 5 well-formed .*; check, in this order"),
		Entry("five have nothing, and are known to be enrolled", byNumber(404), true, 10, "for 5 users"),
		Entry("twenty have nothing, of whom that is not known", byNumber(404), false, 40, "for 20 users"),
		Entry("the twentieth is served", func() *script {
			s := &script{}
			s.answer = func(_ http.Header, r request) int {
				return map[bool]int{true: 404, false: 200}[r.number < 20 || r.number > 20 && r.number < 40]
			}
			return s
		}(), false, 40, ""),
		Entry("five if one answer says more than nothing", byNumber(404, 404, 403, 404), false, 25,
			"for 20 users"),
		Entry("one answer is none, which says nothing about settings", byNumber(404, 0, 404), true, 10,
			"v6 refuses everything"),
	)

	DescribeTable("are known by their answers, and are controls if they were served",
		func(ctx SpecContext, status int, controls ...string) {
			a := newAsker(&script{answer: func(h http.Header, _ request) int {
				h.Set("With", "data")
				return status
			}})
			given, err := a.AskFirst(ctx, func(n int, v schemas.Version) (exchange.Probe, bool, bool) {
				return wellFormed("e1", "alice"), true, n == 0
			}, []schemas.Version{schemas.V5}, "user")
			Expect(err).NotTo(HaveOccurred())
			Expect(given).To(HaveKeyWithValue("e1", HaveField("Status", status)))
			var users []string
			a.Controls(func(p exchange.Probe, _ time.Time) { users = append(users, p.User.UserID) })
			Expect(users).To(ConsistOf(controls))
		},
		Entry("one who was served", 200, "alice"), Entry("one whose data came with an error", 500),
	)

	It("are not asked after the deadline", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		a := newAsker(byNumber(200))
		a.Pause(time.Hour)
		_, err := a.AskFirst(bounded, func(int, schemas.Version) (exchange.Probe, bool, bool) {
			return e1, true, true
		}, schemas.Versions(), "user")
		Expect(err).To(MatchError(client.ErrDeadline))
	})

	It("may be fewer", func(ctx SpecContext) {
		s := byNumber(401)
		Expect(askFirst(ctx, s, 2, true)).To(And(refused, MatchError(ContainSubstring("for 2 users"))))
		Expect(s.ids()).To(HaveLen(4))
	})

	It("end with five requests in a row without an answer", func(ctx SpecContext) {
		s := byNumber(0)
		Expect(askFirst(ctx, s, 30, true)).To(And(Not(refused), MatchError(ContainSubstring("can't be reached"))))
		Expect(s.ids()).To(HaveLen(5))
	})
})
