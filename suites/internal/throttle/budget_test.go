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
	return throttle.New(throttle.Options{Concurrency: concurrency, Budget: budget, Rest: 2 * time.Second,
		Patience: 3 * time.Minute})
}

// beginUser keeps a part of the budget for a user.
func beginUser(p *throttle.Throttle) (context.Context, func()) {
	GinkgoHelper()
	ctx, end, err := p.Begin(context.Background())
	Expect(err).NotTo(HaveOccurred())
	return ctx, end
}

// askOnce sends a request of a user, and reports whether the budget had one more.
func askOnce(ctx context.Context, p *throttle.Throttle) bool {
	GinkgoHelper()
	err := p.Acquire(ctx, alwaysReady)
	if err != nil {
		Expect(err).To(MatchError(throttle.ErrBudget))
		return false
	}
	err = p.Done(answeredWith(http.StatusOK))
	Expect(err).NotTo(HaveOccurred())
	return true
}

func budgetSpecs(inBubble bubble) {
	Describe("A budget of requests", func() {
		for _, budget := range []int64{1, 3, 4, 18, 2000} {
			It("is never exceeded, and each user who was begun gets four requests", func() {
				const workers, concurrency = 64, 16
				p := throttleWithBudget(concurrency, budget)
				var sent, inFlight, most, unfinished, otherUsers atomic.Int64
				var all sync.WaitGroup
				for worker := range workers {
					all.Go(func() {
						for {
							ctx, end, err := p.Begin(context.Background())
							if err != nil {
								if !errors.Is(err, throttle.ErrBudget) {
									otherUsers.Add(1)
								}
								return
							}
							for range 4 {
								if err := p.Acquire(ctx, alwaysReady); err != nil {
									unfinished.Add(1)
									break
								}
								sent.Add(1)
								n := inFlight.Add(1)
								for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
								}
								inFlight.Add(-1)
								if worker%4 == 0 {
									p.Cancel() // it was sent all the same
								} else if err := p.Done(answeredWith(http.StatusOK)); err != nil {
									otherUsers.Add(1)
								}
							}
							end()
						}
					})
				}
				all.Wait()
				Expect(sent.Load()).To(And(BeNumerically("<=", budget), BeNumerically(">", budget-4)),
					"and spent as far as it is of use")
				Expect(unfinished.Load()).To(BeZero())
				Expect(otherUsers.Load()).To(BeZero())
				Expect(most.Load()).To(BeNumerically("<=", concurrency))
			})
		}

		It("ends the sweep with a hint how to go on if it is too small for one user", func() {
			_, _, err := throttleWithBudget(1, 3).Begin(context.Background())
			Expect(err).To(MatchError(throttle.ErrBudget))
			Expect(err).To(MatchError(And(ContainSubstring("--budget"), ContainSubstring("--resume"))))
		})

		for _, budget := range []int{7, 30} {
			It("is used up by a user who needs more than all of it", func() {
				p := throttleWithBudget(1, int64(budget))
				ctx, end := beginUser(p)
				for range budget {
					Expect(askOnce(ctx, p)).To(BeTrue())
				}
				Expect(askOnce(ctx, p)).To(BeFalse())
				Expect(p.AcquireRepeat(ctx)).To(BeFalse())
				Expect(askOnce(ctx, p)).To(BeFalse(), "its place was let go of")
				end()
				_, _, err := p.Begin(context.Background())
				Expect(err).To(MatchError(throttle.ErrBudget))
			})
		}

		It("counts a request that is sent again because its connection was closed", func() {
			p := throttleWithBudget(1, 5)
			ctx, end := beginUser(p)
			defer end()
			for range 4 {
				Expect(askOnce(ctx, p)).To(BeTrue())
			}
			Expect(p.AcquireRepeat(ctx)).To(BeTrue())
			Expect(p.AcquireRepeat(ctx)).To(BeFalse())
			Expect(askOnce(ctx, p)).To(BeFalse())
		})

		It("makes users wait only while others may need what is left", func() {
			inBubble(func() {
				p := throttleWithBudget(2, 22)
				ctx, end := beginUser(p)
				second := make(chan error, 1)
				go func() {
					with, end, err := p.Begin(context.Background())
					if err == nil {
						defer end()
						err = p.Acquire(with, alwaysReady)
					}
					second <- err
				}()
				synctest.Wait()
				Expect(second).To(BeEmpty())
				for range 4 {
					Expect(askOnce(ctx, p)).To(BeTrue())
				}
				end()
				synctest.Wait()
				Expect(second).To(Receive(Not(HaveOccurred())))
			})
		})

		It("releases whoever waits for it when the sweep ends", func() {
			inBubble(func() {
				p := throttleWithBudget(2, 10)
				_, end := beginUser(p)
				defer end()
				cause := errors.New("interrupted")
				ctx, cancel := context.WithCancelCause(context.Background())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				_, _, err := p.Begin(ctx)
				Expect(err).To(MatchError(cause))
			})
		})

		It("is unlimited if none is given", func() {
			p := ordinaryThrottle(1)
			for range 5000 {
				answerOnce(p)
			}
			Expect(p.AcquireRepeat(context.Background())).To(BeTrue())
			ctx, end := beginUser(p)
			Expect(askOnce(ctx, p)).To(BeTrue())
			end()
		})

		It("is not spent by one user who is throttled", func() {
			inBubble(func() {
				p := throttleWithBudget(1, 1000)
				ctx, end := beginUser(p)
				defer end()
				for range 100 {
					err := p.Acquire(ctx, alwaysReady)
					Expect(err).NotTo(HaveOccurred())
					err = p.Done(throttledFor("0"))
					Expect(err).NotTo(HaveOccurred())
				}
			})
		})
	})

	Describe("A turn to send", func() {
		It("makes room for the next if it is abandoned, and counts as neither answer nor fault", func() {
			p := ordinaryThrottle(1)
			for range 20 {
				admitRequest(p)
				p.Cancel()
			}
			answerOnce(p)
			Expect(p.Outages()).To(BeZero())
			Expect(p.State()).To(BeEmpty())
		})
	})
}
