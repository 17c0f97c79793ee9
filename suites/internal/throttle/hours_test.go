package throttle_test

import (
	"context"
	"errors"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/throttle"
)

// windowOfHours are a window from one time after now to another, in whole hours.
func windowOfHours(from, to int) throttle.Window {
	GinkgoHelper()
	layout := "15:04"
	now := time.Now()
	return parseWindow(now.Add(time.Duration(from)*time.Hour).Format(layout) + "-" +
		now.Add(time.Duration(to)*time.Hour).Format(layout))
}

func hoursSpecs(inBubble bubble) {
	Describe("Outside the hours of a sweep", func() {
		It("the target is not asked until they begin", func() {
			inBubble(func() {
				begin := time.Now()
				p := throttle.New(throttle.Options{Concurrency: 4, Window: windowOfHours(3, 5), Rest: time.Second,
					Patience: time.Minute})
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
		})

		It("a request that waited for a place is not sent", func() {
			inBubble(func() {
				begin := time.Now()
				p := throttle.New(throttle.Options{Concurrency: 1, Window: windowOfHours(-1, 1), Rest: time.Second,
					Patience: time.Minute})
				admitRequest(p)
				next := make(chan bool)
				go func() {
					defer GinkgoRecover()
					admitRequest(p)
					close(next)
				}()
				synctest.Wait()
				time.Sleep(90 * time.Minute)
				err := p.Done(answeredWith(200))
				Expect(err).NotTo(HaveOccurred())
				<-next
				p.Cancel()
				Expect(time.Since(begin)).To(BeNumerically(">=", 23*time.Hour))
			})
		})

		It("a request that waited for the rate is not sent", func() {
			inBubble(func() {
				begin := time.Now()
				p := throttle.New(throttle.Options{Concurrency: 4, Window: windowOfHours(-1, 1), Rest: time.Second,
					Patience: time.Minute})
				time.Sleep(time.Hour - 10*time.Second)
				err := sendRequest(p, throttledFor("0")) // one in a second from now on
				Expect(err).NotTo(HaveOccurred())
				arrivals := make(chan time.Duration, 100)
				for range 100 {
					go func() {
						defer GinkgoRecover()
						admitRequest(p)
						p.Cancel()
						arrivals <- time.Since(begin)
					}()
				}
				for range 100 {
					at := <-arrivals
					Expect(at < time.Hour || at >= 23*time.Hour).To(BeTrue(),
						"asked %s after the beginning, outside its hours", at)
				}
			})
		})
	})
}

func endSpecs(inBubble bubble) {
	cause := errors.New("interrupted")

	DescribeTable("The end of the sweep ends every wait at once",
		func(prepare func() *throttle.Throttle, state string) {
			for _, kind := range []string{"cancelled", "deadline", "ended before"} {
				inBubble(func() {
					p := prepare()
					Expect(p.State()).To(ContainSubstring(state))
					begin := time.Now()
					ctx, cancel := context.WithCancelCause(context.Background())
					want := cause
					switch kind {
					case "cancelled":
						time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
					case "deadline":
						var stop context.CancelFunc
						ctx, stop = context.WithTimeout(ctx, 100*time.Millisecond)
						defer stop()
						want = context.DeadlineExceeded
					case "ended before":
						cancel(cause)
					}
					err := p.Acquire(ctx, alwaysReady)
					Expect(err).To(MatchError(want), kind)
					Expect(time.Since(begin)).To(BeNumerically("<=", 100*time.Millisecond), kind)
					cancel(nil)
				})
			}
		},
		Entry("for the window", func() *throttle.Throttle {
			return throttle.New(throttle.Options{Concurrency: 1, Window: windowOfHours(3, 5), Rest: time.Second,
				Patience: time.Minute})
		}, "window"),
		Entry("for the target's rest", func() *throttle.Throttle {
			p := ordinaryThrottle(1)
			answerOnce(p)
			fallSilent(p)
			return p
		}, "does not answer"),
		Entry("for what comes of a trial", func() *throttle.Throttle {
			p := ordinaryThrottle(4)
			answerOnce(p)
			fallSilent(p)
			admitRequest(p)
			return p
		}, "does not answer"),
		Entry("for the rate", func() *throttle.Throttle {
			p := ordinaryThrottle(4)
			for range 2 {
				err := sendRequest(p, throttledFor("0"))
				Expect(err).NotTo(HaveOccurred())
			}
			return p
		}, "throttled"),
		Entry("for a place", func() *throttle.Throttle {
			p := ordinaryThrottle(1)
			admitRequest(p)
			return p
		}, ""),
	)
}
