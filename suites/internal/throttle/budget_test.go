package throttle_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/throttle"
)

func throttleWithBudget(concurrency int, budget int64) *throttle.Throttle {
	return newThrottle(concurrency, func(o *throttle.Options) { o.Budget = budget })
}

// beginUser keeps a part of the budget for a user.
func beginUser(p *throttle.Throttle) (context.Context, func()) {
	GinkgoHelper()
	ctx, end, err := p.Begin(context.Background())
	Expect(err).NotTo(HaveOccurred())
	return ctx, end
}

// askTimes sends requests of a user, and returns how many of them the budget had.
func askTimes(ctx context.Context, p *throttle.Throttle, times int) (sent int) {
	GinkgoHelper()
	for ; sent < times; sent++ {
		if err := p.Acquire(ctx, alwaysReady); err != nil {
			Expect(err).To(MatchError(throttle.ErrBudget))
			return sent
		}
		Expect(p.Done(answeredWith(http.StatusOK))).To(Succeed())
	}
	return sent
}

var _ = Describe("A budget of requests", func() {
	DescribeTable("is never exceeded, and each user who was begun gets four requests:", func(budget int64) {
		const number, concurrency = 64, 16
		p := throttleWithBudget(concurrency, budget)
		var sent, inFlight atomic.Int64
		var all sync.WaitGroup
		for worker := range number {
			all.Go(func() {
				defer GinkgoRecover()
				for {
					ctx, end, err := p.Begin(context.Background())
					if err != nil {
						Expect(err).To(MatchError(throttle.ErrBudget))
						return
					}
					for range 4 {
						Expect(p.Acquire(ctx, alwaysReady)).To(Succeed())
						sent.Add(1)
						Expect(inFlight.Add(1)).To(BeNumerically("<=", concurrency))
						inFlight.Add(-1)
						if worker%4 == 0 {
							p.Cancel() // it was sent all the same
						} else {
							Expect(p.Done(answeredWith(http.StatusOK))).To(Succeed())
						}
					}
					end()
				}
			})
		}
		all.Wait()
		Expect(sent.Load()).To(And(BeNumerically("<=", budget), BeNumerically(">", budget-4)),
			"and spent as far as it is of use")
	},
		Entry(nil, int64(1)), Entry(nil, int64(3)), Entry(nil, int64(4)), Entry(nil, int64(18)),
		Entry(nil, int64(2000)),
	)

	It("ends the sweep with a hint how to go on if it is too small for one user", func() {
		_, _, err := throttleWithBudget(1, 3).Begin(context.Background())
		Expect(err).To(MatchError(throttle.ErrBudget))
		Expect(err).To(MatchError(And(ContainSubstring("--budget"), ContainSubstring("--resume"))))
	})

	DescribeTable("is used up by a user who needs more than all of it,", func(sent, again int) {
		p := throttleWithBudget(1, int64(sent+again))
		ctx, end := beginUser(p)
		Expect(askTimes(ctx, p, sent)).To(Equal(sent))
		for range again {
			Expect(p.AcquireRepeat(ctx)).To(BeTrue())
		}
		Expect(askTimes(ctx, p, 1)).To(BeZero())
		Expect(p.AcquireRepeat(ctx)).To(BeFalse())
		Expect(askTimes(ctx, p, 1)).To(BeZero(), "its place was let go of")
		end()
		_, _, err := p.Begin(context.Background())
		Expect(err).To(MatchError(throttle.ErrBudget))
	},
		Entry("by a few requests", 7, 0), Entry("by many requests", 30, 0),
		Entry("by one that is sent again because its connection was closed", 4, 1),
	)

	itInBubble("makes users wait only while others may need what is left", func() {
		p := throttleWithBudget(2, 22)
		ctx, end := beginUser(p)
		isSecondBegun := make(chan bool, 1)
		go func() {
			defer GinkgoRecover()
			with, end := beginUser(p)
			defer end()
			isSecondBegun <- askTimes(with, p, 1) == 1
		}()
		synctest.Wait()
		Expect(isSecondBegun).To(BeEmpty())
		Expect(askTimes(ctx, p, 4)).To(Equal(4))
		end()
		synctest.Wait()
		Expect(isSecondBegun).To(Receive(BeTrue()))
	})

	itInBubble("releases whoever waits for it when the sweep ends", func() {
		p := throttleWithBudget(2, 10)
		_, end := beginUser(p)
		defer end()
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		_, _, err := p.Begin(ctx)
		Expect(err).To(MatchError(cause))
	})

	It("is unlimited if none is given", func() {
		p := newThrottle(1)
		ctx, end := beginUser(p)
		Expect(askTimes(ctx, p, 100)).To(Equal(100))
		Expect(p.AcquireRepeat(context.Background())).To(BeTrue())
		end()
	})
})

var _ = It("A turn to send that is abandoned makes room for the next, and counts as neither answer nor fault", func() {
	p := newThrottle(1)
	for range 20 {
		admitRequest(p)
		p.Cancel()
	}
	answerOnce(p)
	Expect(p.Outages()).To(BeZero())
	Expect(p.State()).To(BeEmpty())
})

// throttleInHours has a window from one time after now to another, in whole hours.
func throttleInHours(concurrency, from, to int) *throttle.Throttle {
	GinkgoHelper()
	const layout = "15:04"
	now := time.Now()
	return newThrottle(concurrency, func(o *throttle.Options) {
		o.Window = parseWindow(now.Add(time.Duration(from)*time.Hour).Format(layout) + "-" +
			now.Add(time.Duration(to)*time.Hour).Format(layout))
	})
}

var _ = Describe("Outside the hours of a sweep", func() {
	itInBubble("the target is not asked until they begin", func() {
		begin := time.Now()
		p := throttleInHours(4, 3, 5)
		Expect(p.State()).To(Equal("waiting for the window to open"))
		for range 3 {
			answerOnce(p)
			Expect(time.Since(begin)).To(Equal(3*time.Hour), "as soon as it opens, and not before")
		}
		Expect(p.State()).To(BeEmpty())
		time.Sleep(2 * time.Hour)
		answerOnce(p)
		Expect(time.Since(begin)).To(Equal(27*time.Hour), "on the next day")
	})

	DescribeTable("no request is sent that waited", func(prepare func(*throttle.Throttle), number int,
		latest time.Duration) {
		inBubble(func() {
			begin, p, arrivals := time.Now(), throttleInHours(4, -1, 1), make(chan time.Duration, number)
			prepare(p)
			for range number {
				go func() {
					defer GinkgoRecover()
					admitRequest(p)
					p.Cancel()
					arrivals <- time.Since(begin)
				}()
			}
			for range number {
				at := <-arrivals
				Expect(at < latest || at >= 23*time.Hour).To(BeTrue(), "asked %s after the beginning", at)
			}
		})
	},
		Entry("for a place", func(p *throttle.Throttle) {
			for range 4 {
				admitRequest(p)
			}
			time.AfterFunc(90*time.Minute, p.Cancel)
		}, 1, time.Duration(0)),
		Entry("for the rate", func(p *throttle.Throttle) {
			time.Sleep(time.Hour - 10*time.Second)
			sendTimes(p, 1, throttledFor("0")) // one in a second from now on
		}, 100, time.Hour),
	)
})

var _ = DescribeTable("The end of the sweep ends every wait at once:",
	func(prepare func(*throttle.Throttle), state string) {
		for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
			for _, end := range []error{errors.New("interrupted"), context.DeadlineExceeded} {
				inBubble(func() {
					p := throttleInHours(4, 0, 1)
					prepare(p)
					Expect(p.State()).To(ContainSubstring(state))
					ctx, stop := context.WithTimeout(context.Background(), wait)
					defer stop()
					if end != context.DeadlineExceeded {
						interruptible, cancel := context.WithCancelCause(context.Background())
						time.AfterFunc(wait, func() { cancel(end) })
						ctx = interruptible
					}
					begin := time.Now()
					Expect(p.Acquire(ctx, alwaysReady)).To(MatchError(end))
					Expect(time.Since(begin)).To(BeNumerically("<=", wait))
				})
			}
		}
	},
	Entry("for the window", func(*throttle.Throttle) { time.Sleep(time.Hour) }, "window"),
	Entry("for the target's rest", func(p *throttle.Throttle) {
		answerOnce(p)
		fallSilent(p)
	}, "does not answer"),
	Entry("for what comes of a trial", func(p *throttle.Throttle) {
		answerOnce(p)
		fallSilent(p)
		admitRequest(p)
	}, "does not answer"),
	Entry("for the rate", func(p *throttle.Throttle) { sendTimes(p, 2, throttledFor("0")) }, "throttled"),
	Entry("for a place", func(p *throttle.Throttle) {
		for range 4 {
			admitRequest(p)
		}
	}, ""),
)
