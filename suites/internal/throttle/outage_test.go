package throttle_test

import (
	"sync"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
)

func outageSpecs(inBubble bubble) {
	Describe("An outage", func() {
		It("begins with its faults, however long nothing was sent before", func() {
			inBubble(func() {
				p := ordinaryThrottle(1)
				answerOnce(p)
				time.Sleep(16 * time.Hour) // outside the hours of a window
				fallSilent(p)
				err := sendRequest(p, faultOf(exchange.Transport))
				Expect(err).NotTo(HaveOccurred(), "it has hardly been silent")
			})
		})

		It("ends with an answer to the trial, not with a late answer to an earlier request", func() {
			inBubble(func() {
				p := ordinaryThrottle(4)
				answerOnce(p)
				admitRequest(p) // it is answered late
				fallSilent(p)
				Expect(p.Done(answeredWith(200))).To(Succeed())
				answerOnce(p) // the trial
				Expect(p.State()).To(BeEmpty())
				begin := time.Now()
				for range 3 {
					answerOnce(p)
				}
				Expect(time.Now()).To(Equal(begin), "nobody had to wait")
			})
		})

		It("does not begin with a failed request after which the target answered", func() {
			inBubble(func() {
				p := ordinaryThrottle(1)
				answerOnce(p)
				err := sendRequest(p, faultOf(exchange.Transport))
				Expect(err).NotTo(HaveOccurred())
				time.Sleep(time.Hour)
				answerOnce(p)
				fallSilent(p)
			})
		})

		It("holds back requests that waited for a place when it began", func() {
			inBubble(func() {
				const waiting = 20
				p := ordinaryThrottle(1)
				answerOnce(p)
				var mu sync.Mutex
				sentWhen := []time.Time{}
				var all sync.WaitGroup
				for range waiting {
					all.Go(func() {
						defer GinkgoRecover()
						for attempt := 1; ; attempt++ {
							admitRequest(p)
							mu.Lock()
							sentWhen = append(sentWhen, time.Now())
							n := len(sentWhen)
							mu.Unlock()
							ex := faultOf(exchange.Transport)
							if n > inARow+3 {
								ex = answeredWith(200)
							}
							time.Sleep(10 * time.Millisecond)
							if err := p.Done(ex); ex.Answered() || err != nil {
								Expect(err).NotTo(HaveOccurred())
								return
							}
						}
					})
				}
				synctest.Wait()
				all.Wait()
				for n := inARow; n < inARow+3; n++ {
					Expect(sentWhen[n].Sub(sentWhen[n-1])).To(BeNumerically(">=", 2*time.Second),
						"request %d came while the target had its rest", n+1)
				}
			})
		})
	})
}
