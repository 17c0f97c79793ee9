package engine_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/engine"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// upTo gives the numbers below n as jobs.
func upTo(n int) func(context.Context) (int, error) {
	next := 0
	return func(context.Context) (int, error) {
		if next == n {
			return 0, io.EOF
		}
		next++
		return next - 1, nil
	}
}

func doJob(_ context.Context, job int) (int, error) { return job, nil }

var _ = Describe("Jobs that are done side by side", func() {
	var collected []int
	collect := func(_ context.Context, _, result int) error {
		collected = append(collected, result)
		return nil
	}
	BeforeEach(func() { collected = nil })

	It("are collected in their order, however long each takes", func(ctx SpecContext) {
		var now, most atomic.Int64
		Expect(engine.Ordered[int, int]{
			Workers: 4, Backlog: 8, Next: upTo(40), Collector: collect,
			Do: func(_ context.Context, job int) (int, error) {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				time.Sleep(time.Duration((job*7)%5) * time.Millisecond)
				return job, nil
			},
		}.Run(ctx)).To(Succeed())
		Expect(collected).To(HaveLen(40))
		for i, n := range collected {
			Expect(n).To(Equal(i))
		}
		Expect(most.Load()).To(BeNumerically("<=", 4))
	}, NodeTimeout(10*time.Second))

	It("are begun no further ahead than is allowed", func(ctx SpecContext) {
		var begun atomic.Int64
		first := make(chan struct{})
		go func() {
			defer GinkgoRecover()
			Eventually(begun.Load).Should(BeEquivalentTo(6))
			Consistently(begun.Load, "50ms").Should(BeEquivalentTo(6))
			close(first)
		}()
		Expect(engine.Ordered[int, int]{
			Workers: 2, Backlog: 6, Next: upTo(20), Collector: collect,
			Do: func(_ context.Context, job int) (int, error) {
				begun.Add(1)
				if job == 0 {
					<-first
				}
				return job, nil
			},
		}.Run(ctx)).To(Succeed())
		Expect(collected).To(HaveLen(20))
	}, NodeTimeout(10*time.Second))

	DescribeTable("end with the first error,", func(ctx SpecContext, place, words string) {
		failAt := func(here string, job int) error {
			if job == 5 && here == place {
				return errors.New(words)
			}
			return nil
		}
		next := upTo(1000)
		Expect(engine.Ordered[int, int]{
			Workers: 2, Backlog: 4,
			Next: func(ctx context.Context) (int, error) {
				job, err := next(ctx)
				return job, cmp.Or(err, failAt("next", job))
			},
			Do: func(_ context.Context, job int) (int, error) {
				if job == 5 && place == "panic" {
					panic("a slip")
				}
				return job, failAt("do", job)
			},
			Collector: func(ctx context.Context, job, result int) error {
				if err := failAt("collect", job); err != nil {
					return err
				}
				return collect(ctx, job, result)
			},
		}.Run(ctx)).To(MatchError(ContainSubstring(words)))
		Expect(len(collected)).To(BeNumerically("<=", 10))
		for i, n := range collected {
			Expect(n).To(Equal(i), "what is collected has no gap")
		}
	},
		Entry("of a job", "do", "no such job", NodeTimeout(10*time.Second)),
		Entry("of asking for the next", "next", "unreadable", NodeTimeout(10*time.Second)),
		Entry("of collecting", "collect", "the disk is full", NodeTimeout(10*time.Second)),
		Entry("or panic", "panic", "defect of the suite, not of the target: panic: a slip",
			NodeTimeout(10*time.Second)),
	)

	It("end with what went wrong in collecting, also after the context ended", func(ctx SpecContext) {
		stoppable, stop := context.WithCancel(ctx)
		Expect(engine.Ordered[int, int]{
			Workers: 1, Backlog: 1, Next: upTo(1), Do: doJob,
			Collector: func(context.Context, int, int) error {
				stop()
				return errors.New("the disk is full")
			},
		}.Run(stoppable)).To(MatchError("the disk is full"))
	}, NodeTimeout(10*time.Second))

	It("end when the context does, also if the next job never comes", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeoutCause(ctx, 20*time.Millisecond, errors.New("somebody stopped it"))
		defer cancel()
		Expect(engine.Ordered[int, int]{
			Workers: 2, Backlog: 4, Collector: collect, Do: doJob,
			Next: func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, context.Cause(ctx) },
		}.Run(bounded)).To(MatchError("somebody stopped it"))
		Expect(collected).To(BeEmpty())
	}, NodeTimeout(10*time.Second))
})

var _ = Describe("Faults in a row", func() {
	var faults *engine.Faults
	ex := func(id string) *exchange.Exchange { return &exchange.Exchange{Probe: exchange.Probe{ID: id}} }
	BeforeEach(func() { faults = &engine.Faults{} })

	It("are counted in the order sent, whatever the order in which the requests end", func() {
		var numbers []int
		for range 6 {
			numbers = append(numbers, faults.Begin())
		}
		Expect(faults.Faulted(numbers[5], ex("e6"))).To(Equal(1))
		Expect(faults.Faulted(numbers[3], ex("e4"))).To(Equal(1))
		Expect(faults.Faulted(numbers[4], ex("e5"))).To(Equal(3))
		Expect(faults.Unanswered().Probe.ID).To(Equal("e4"), "the first one sent so far")
		Expect(faults.Faulted(numbers[1], ex("e2"))).To(Equal(1))
		Expect(faults.Unanswered().Probe.ID).To(Equal("e2"), "the first one sent")
		begun := ex("e4 again")
		begun.Status = 200
		Expect(faults.Faulted(numbers[3], begun)).To(Equal(3))
		Expect(faults.Unanswered()).To(BeIdenticalTo(begun), "the first one whose answer began")
		faults.Answered(numbers[2])
		Expect(faults.Faulted(numbers[0], ex("e1"))).To(Equal(2), "an answer ends the row")
		Expect(faults.Unanswered()).To(BeNil())
	})

	It("go on over any number of requests", func() {
		for range 1000 {
			first, second := faults.Begin(), faults.Begin()
			Expect(faults.Faulted(first, ex("a"))).To(Equal(1))
			faults.Answered(second)
		}
		for i := range 5 {
			Expect(faults.Faulted(faults.Begin(), ex("b"))).To(Equal(i + 1))
		}
	})

	It("are counted on from those that ended before an earlier request was answered, and are none before that", func() {
		first, second, third := faults.Begin(), faults.Begin(), faults.Begin()
		Expect(faults.Unanswered()).To(BeNil())
		Expect(faults.Faulted(second, ex("e2"))).To(Equal(1))
		faults.Answered(first)
		Expect(faults.Faulted(third, ex("e3"))).To(Equal(2))
	})
})

var _ = It("Work that heeds nothing is given up after its grace, if it has one", func(spec SpecContext) {
	cause := errors.New("somebody ended it")
	ctx, cancel := context.WithCancelCause(spec)
	forever := make(chan struct{})
	defer close(forever)
	blocked := func() error {
		cancel(cause)
		<-forever
		return nil
	}
	Expect(engine.Within(ctx, time.Millisecond, blocked)).To(And(MatchError(cause), MatchError(engine.ErrGivenUp)))
	Expect(engine.Within(ctx, 0, blocked)).To(And(MatchError(cause), Not(MatchError(engine.ErrGivenUp))),
		"without a grace nothing is given up")
})

var _ = It("Work that ends is taken as it is, also after the context ended", func(spec SpecContext) {
	value, err := engine.Value(spec, 0, func() (string, error) { return "done", nil })
	Expect(value, err).To(Equal("done"))

	ended, cancel := context.WithCancel(spec)
	own := errors.New("its own end")
	Expect(engine.Within(ended, time.Minute, func() error { cancel(); return own })).To(MatchError(own))
})
