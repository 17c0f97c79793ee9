package control_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

func TestControl(t *testing.T) { testkit.Specs(t, "control") }

// script is a target: the status of its answer to each request, by its number from 1; the last one stays. 0 is no
// answer.
type script struct {
	mu     sync.Mutex
	status func(n int, p exchange.Probe) int
	log    []string // what was sent, such as "alice", "control", "null Id"
	renews int
}

func (s *script) send(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := p.User.UserID
	if p.Control || !p.WellFormed() {
		name = p.Name()
	}
	s.log = append(s.log, name)
	ex := &exchange.Exchange{Probe: p, Started: time.Now(), Status: s.status(len(s.log), p), Header: http.Header{}}
	if ex.Status == 0 {
		ex.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: "EOF", Plain: "EOF"}
	}
	return ex, nil
}

// newControls returns controls of a script that has served alice.
func newControls(s *script, concurrency int) *control.Controls {
	c := control.New(schemas.Versions(), control.Options{
		Send:        s.send,
		Refused:     func(ex *exchange.Exchange) bool { return ex.Status >= 400 },
		Served:      func(ex *exchange.Exchange) bool { return ex.Status == 200 },
		Judges:      func(p exchange.Probe) bool { return p.Kind != exchange.ExtraMember },
		Discloses:   func(ex *exchange.Exchange) bool { return ex.Status == 200 },
		Renew:       func() { s.renews++ },
		Waits:       []time.Duration{1, 1, 1, 1, 1, 1},
		Concurrency: concurrency,
		Errors:      words{},
		Again:       "go on",
	})
	c.NoteServed(&exchange.Exchange{Probe: wellFormed("alice")})
	return c
}

type words struct{}

func (words) RefusesEverybody(last *exchange.Exchange, asked int, _ time.Time) error {
	return fmt.Errorf("%d after %d controls", last.Status, asked)
}

func (words) RefusesNowAndThen(last *exchange.Exchange, refused, of int) error {
	return fmt.Errorf("%d for %d of %d controls", last.Status, refused, of)
}

func (words) ServedNothing(*exchange.Exchange) error { return errors.New("emptied") }

func wellFormed(user string) exchange.Probe {
	return exchange.Probe{ID: "e1", Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5", Round: 1,
		User: exchange.User{UserID: user, Enrolled: true}}
}

// answers lists the statuses of requests in turn; the last one stays.
func answers(list ...int) func(int, exchange.Probe) int {
	return func(n int, _ exchange.Probe) int { return list[min(n, len(list))-1] }
}

var _ = Describe("A refusal of a user among others who were served", func() {
	settle := func(ctx context.Context, s *script, concurrency int, user string) (int, error) {
		GinkgoHelper()
		c := newControls(s, concurrency)
		first, err := s.send(ctx, wellFormed(user))
		Expect(err).NotTo(HaveOccurred())
		ex, err := c.Settle(ctx, first, false)
		if err != nil {
			return 0, err
		}
		return ex.Status, nil
	}

	DescribeTable("is no interruption if the target refuses now and then, asked alone",
		func(ctx SpecContext, statuses []int, interruptions int, says string) {
			s := &script{status: answers(statuses...)}
			c := newControls(s, 1)
			c.Alone = 3
			ex, err := c.Settle(ctx, testkit.Must(s.send(ctx, wellFormed("bob"))), false)
			if says != "" {
				Expect(err).To(MatchError(says))
				return
			}
			Expect(err).NotTo(HaveOccurred())
			Expect(ex.Status).To(Equal(map[bool]int{true: 500, false: 200}[interruptions < 0]))
			_, spans := c.Counts()
			Expect(spans).To(BeEquivalentTo(max(0, interruptions)))
		},
		Entry("one of three", []int{500, 500, 200, 200, 403, 200}, 0, "403 for 1 of 3 controls; then go on"),
		Entry("two of three", []int{500, 200, 500, 200, 500, 502, 200}, 0, "502 for 2 of 3 controls; then go on"),
		Entry("by itself: its refusal stands", []int{500, 200, 500, 200, 500, 0, 200}, -1, ""),
		Entry("none", []int{500, 500, 200, 200, 200, 200}, 1, ""),
		Entry("none, once it is back for good", []int{500, 500, 200, 200, 500, 500, 200}, 1, ""),
		Entry("only throttled", []int{500, 429, 200, 500, 200, 200}, 0, ""),
		Entry("none is served any more", []int{500, 500, 200, 500}, 0, "500 after 7 controls; then go on"),
	)

	It("is an interruption if the target refuses in one row while it is asked alone", func(ctx SpecContext) {
		s := &script{status: answers(500, 500, 200, 200, 500, 500, 500, 200)}
		c := newControls(s, 1)
		c.Alone = 6
		ex, err := c.Settle(ctx, testkit.Must(s.send(ctx, wellFormed("bob"))), false)
		Expect(err).NotTo(HaveOccurred())
		Expect(ex.Status).To(Equal(200))
	})

	DescribeTable("is settled by controls", func(ctx SpecContext, concurrency int, statuses []int, counts int,
		sent string,
		interruptions int) {
		s := &script{status: answers(statuses...)}
		c := newControls(s, concurrency)
		first := testkit.Must(s.send(ctx, wellFormed("bob")))
		ex := testkit.Must(c.Settle(ctx, first, false))
		Expect(ex.Status).To(Equal(counts))
		Expect(strings.Join(s.log, " ")).To(Equal(sent))
		controls, spans := c.Counts()
		Expect(controls).To(BeEquivalentTo(strings.Count(sent, "control")))
		Expect(spans).To(BeEquivalentTo(interruptions))
	},
		Entry("it is served: nothing is asked", 1, []int{200}, 200, "bob", 0),
		Entry("it stands if the control is served", 1, []int{404, 200}, 404,
			"bob control control control control control", 0),
		Entry("it stands if as many are served as may be in flight", 3, []int{403, 200}, 403,
			"bob control control control control control control", 0),
		Entry("it is asked again once the control is served again", 1, []int{403, 403, 403, 200, 200}, 200,
			"bob control control control bob", 1),
		Entry("it stands if it comes again then, twice", 1, []int{500, 503, 200, 500, 200, 500, 200}, 500,
			"bob control control bob control bob control", 0),
		Entry("it is asked again as often as the control is refused after it", 1, []int{0, 0, 200, 0, 0, 200, 200}, 200,
			"bob control control bob control control bob", 2),
		Entry("a limit shows itself under the load", 3, []int{403, 200, 403, 200, 200}, 200,
			"bob control control control control bob", 1),
	)

	It("is asked again also if it came before the one that showed the interruption", func(ctx SpecContext) {
		s := &script{status: answers(401, 401, 401, 200)}
		c := newControls(s, 1)
		early, late := testkit.Must(s.send(ctx, wellFormed("bob"))), testkit.Must(s.send(ctx, wellFormed("carol")))
		Expect(testkit.Must(c.Settle(ctx, late, false)).Status).To(Equal(200))
		Expect(testkit.Must(c.Settle(ctx, early, false)).Status).To(Equal(200))
	})

	It("is asked again also if the interruption ends before its own control is asked", func(ctx SpecContext) {
		s := &script{}
		s.status = func(int, exchange.Probe) int { return map[bool]int{true: 200, false: 401}[s.renews > 0] }
		c := newControls(s, 1)
		probe := wellFormed("carol")
		probe.Operation = schemas.FindByUserIDs
		bob, carol := testkit.Must(s.send(ctx, wellFormed("bob"))), testkit.Must(s.send(ctx, probe))
		send, begun := c.Send, false
		c.Send = func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
			if s.renews > 0 && !begun { // the control of bob still waits for its answer
				begun = true
				carol = testkit.Must(c.Settle(ctx, carol, false))
			}
			return send(ctx, p)
		}
		Expect(testkit.Must(c.Settle(ctx, bob, false)).Status).To(Equal(200))
		Expect(carol.Status).To(Equal(200))
	})

	DescribeTable("ends the run if the target stays as it is", func(ctx SpecContext, status, asked, renews int) {
		s := &script{status: answers(status)}
		_, err := settle(ctx, s, 1, "bob")
		Expect(err).To(MatchError(fmt.Sprintf("%d after %d controls; then go on", status, asked)))
		var refusal *control.Refusal
		Expect(errors.As(err, &refusal)).To(BeTrue())
		Expect(refusal.Last.Status).To(Equal(status))
		Expect(s.renews).To(Equal(renews), "the token's file is read before each control")
	},
		Entry("after all waits", 404, 7, 6), Entry("without an answer", 0, 7, 6),
		Entry("after five controls, as 401 may lock out", 401, 5, 4), Entry("or 403", 403, 5, 4),
	)

	It("is settled by the user who was served last if that of the control is gone", func(ctx SpecContext) {
		s := &script{status: func(_ int, p exchange.Probe) int {
			return map[bool]int{true: 200, false: 404}[p.User.UserID == "carol"]
		}}
		c := newControls(s, 1)
		c.NoteUser(testkit.Must(s.send(ctx, wellFormed("carol"))))
		s.log = nil
		for _, user := range []string{"bob", "dave"} {
			ex := testkit.Must(c.Settle(ctx, testkit.Must(s.send(ctx, wellFormed(user))), false))
			Expect(ex.Status).To(Equal(404))
		}
		Expect(strings.Join(s.log, ", ")).To(Equal("bob, control, control, control, bob, control, bob, control, " +
			"dave, " + strings.TrimSuffix(strings.Repeat("control, ", 5), ", ")))
	})

	It("is believed where nobody was served yet, in the version", func(ctx SpecContext) {
		s := &script{status: answers(404)}
		c := newControls(s, 1)
		p := wellFormed("bob")
		p.Version, p.Segment = schemas.V6, "v6"
		ex := testkit.Must(c.Settle(ctx, testkit.Must(s.send(ctx, p)), false))
		Expect(ex.Status).To(Equal(404))
		Expect(s.log).To(HaveLen(1))
	})

	It("is early if it was sent before anybody was served, whichever is settled first", func(ctx SpecContext) {
		s := &script{status: answers(404, 404, 404, 404, 404, 200)}
		c := control.New(schemas.Versions(), newControls(s, 1).Options)
		var refused []*exchange.Exchange
		for i := range 5 {
			refused = append(refused, testkit.Must(s.send(ctx, wellFormed(fmt.Sprint("u", i%2)))))
			refused[i].Probe.Position = i
		}
		c.NoteServed(testkit.Must(s.send(ctx, wellFormed("alice"))))
		late := testkit.Must(s.send(ctx, wellFormed("late")))
		late.Status = 404
		for _, ex := range append(refused, late) {
			testkit.Must(c.Settle(ctx, ex, false))
		}
		Expect(c.IsEarly(refused[4].Probe)).To(BeTrue())
		Expect(c.IsEarly(late.Probe)).To(BeFalse())
		Expect(c.WasLate()).To(BeTrue())
	})

	It("counts in a row with those of other operations and versions", func(ctx SpecContext) {
		s := &script{}
		s.status = func(n int, p exchange.Probe) int {
			if n <= 5 && !p.Control {
				return 502
			}
			return 200
		}
		c := newControls(s, 8)
		v6 := wellFormed("alice")
		v6.Version, v6.Segment = schemas.V6, "v6"
		c.NoteServed(&exchange.Exchange{Probe: v6})
		var first []*exchange.Exchange
		for i := range 5 {
			p := wellFormed(fmt.Sprint("u", i/2))
			if i%2 == 1 {
				p.Version, p.Segment = schemas.V6, "v6"
			}
			first = append(first, testkit.Must(s.send(ctx, p)))
		}
		hold, sent := make(chan struct{}), c.Send
		c.Send = func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
			<-hold
			return sent(ctx, p)
		}
		var all sync.WaitGroup
		for _, ex := range first {
			all.Go(func() {
				defer GinkgoRecover()
				Expect(testkit.Must(c.Settle(ctx, ex, false)).Status).To(Equal(200))
			})
		}
		time.Sleep(100 * time.Millisecond)
		close(hold)
		all.Wait()
	})

	It("is settled by the control of the other operation if its own served nobody yet", func(ctx SpecContext) {
		s := &script{status: answers(403, 403, 200)}
		c := newControls(s, 1)
		p := wellFormed("bob")
		p.Operation = schemas.FindByUserIDs
		Expect(testkit.Must(c.Settle(ctx, testkit.Must(s.send(ctx, p)), false)).Status).To(Equal(200))
	})

	DescribeTable("is asked again with others at the same time, once in a run, although the control is served, and "+
		"the other version, too",
		func(ctx SpecContext, users, again int) {
			refused := map[string]bool{}
			s := &script{}
			s.status = func(_ int, p exchange.Probe) int {
				if !p.Control && !refused[p.User.UserID] {
					refused[p.User.UserID] = true
					return 500
				}
				return 200
			}
			c := newControls(s, 1)
			hold := make(chan struct{})
			sent := c.Send
			c.Send = func(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
				<-hold
				return sent(ctx, p)
			}
			v6 := wellFormed("alice")
			v6.Version, v6.Segment = schemas.V6, "v6"
			var all sync.WaitGroup
			statuses := make([]int, users+1)
			for i := range statuses { // the first asks the control, which waits for the others
				ex := testkit.Must(s.send(ctx, wellFormed(fmt.Sprint("u", i))))
				all.Go(func() {
					defer GinkgoRecover()
					statuses[i] = testkit.Must(c.Settle(ctx, ex, false)).Status
				})
				time.Sleep(20 * time.Millisecond)
				c.NoteUser(&exchange.Exchange{Probe: v6})
			}
			close(hold)
			all.Wait()
			Expect(slices.DeleteFunc(statuses, func(status int) bool { return status != 200 })).To(HaveLen(again))
		},
		Entry("three others", 3, 0), Entry("four others", 4, 5), Entry("five others", 5, 6),
	)
})
