package throttle_test

import (
	"net/http"
	"sync"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
)

var _ = Describe("A request without an answer", func() {
	itInBubble("fails alone if the target answers others", func() {
		p := throttleAfterAnswer(4)
		begin := time.Now()
		for range 3 {
			sendTimes(p, inARow-1, faultOf(exchange.Timeout))
			answerOnce(p)
		}
		Expect(time.Now()).To(Equal(begin), "nobody had to wait")
		Expect(p.Outages()).To(BeZero())
		Expect(p.State()).To(BeEmpty())
	})

	itInBubble("does not count as an outage if the target did answer something", func() {
		for _, kind := range []exchange.FaultKind{exchange.Bound, exchange.Encoding} {
			p := newThrottle(1)
			sendTimes(p, 3*inARow, faultOf(kind))
			Expect(p.Outages()).To(BeZero())
		}
	})
})

var _ = Describe("A target that falls silent", func() {
	itInBubble("is left alone, then tried by one request at a time, and asked by all once it answers", func() {
		const number = 4
		p := throttleAfterAnswer(number)
		fallSilent(p)
		Expect(p.Outages()).To(BeEquivalentTo(1))
		Expect(p.State()).To(Equal("the target does not answer: waiting"))
		permits := make(chan bool, number)
		for range number {
			go func() {
				defer GinkgoRecover()
				admitRequest(p)
				permits <- true
			}()
		}
		for attempt := 1; attempt <= 2; attempt++ {
			time.Sleep(2*time.Second - time.Nanosecond)
			synctest.Wait()
			Expect(permits).To(BeEmpty(), "it has its rest, trial %d", attempt)
			for _, wait := range []time.Duration{time.Second, 30 * time.Second} {
				time.Sleep(wait)
				synctest.Wait()
				Expect(permits).To(HaveLen(1), "the others wait for what comes of it, trial %d", attempt)
			}
			<-permits
			Expect(p.Done(faultOf(exchange.Timeout))).To(Succeed())
		}
		time.Sleep(3 * time.Second)
		<-permits
		Expect(p.Done(answeredWith(http.StatusOK))).To(Succeed())
		time.Sleep(time.Second)
		synctest.Wait()
		Expect(permits).To(HaveLen(number - 3))
		p.Cancel()
		Expect(p.Outages()).To(BeEquivalentTo(1), "it was one outage")
		Expect(p.State()).To(BeEmpty())
		fallSilent(p)
		Expect(p.Outages()).To(BeEquivalentTo(2), "it was another one")
	})

	itInBubble("is given up after the patience, by an error that says how to go on", func() {
		p := throttleAfterAnswer(1)
		fallSilent(p)
		begin := time.Now()
		var err error
		attempts := 0
		for ; err == nil && attempts < 1000; attempts++ {
			err = sendRequest(p, faultOf(exchange.Transport))
		}
		Expect(err).To(MatchError(And(ContainSubstring("has not answered for 3m"), ContainSubstring("u7.1"),
			ContainSubstring("connection refused"), ContainSubstring("--resume"))))
		Expect(attempts).To(BeNumerically(">", 10), "it was tried")
		Expect(time.Since(begin)).To(And(BeNumerically(">=", 3*time.Minute), BeNumerically("<", 4*time.Minute)))
	})

	itInBubble("is given up at the first trial if it never answered anything", func() {
		p := newThrottle(1)
		fallSilent(p)
		Expect(sendRequest(p, faultOf(exchange.Transport))).To(MatchError(And(ContainSubstring("no request at all"),
			ContainSubstring("J19"), ContainSubstring("u7.1"), ContainSubstring("connection refused"))))
	})

	itInBubble("is also one that answers 503 to everything, without Retry-After", func() {
		p, begin, unavailable := throttleAfterAnswer(1), time.Now(), answeredWith(http.StatusServiceUnavailable)
		sendTimes(p, inARow+1, unavailable)
		Expect(p.Outages()).To(BeEquivalentTo(1))
		Expect(time.Since(begin)).To(BeNumerically(">=", 2*time.Second), "it had its rest")
		p = newThrottle(1)
		sendTimes(p, inARow, unavailable)
		Expect(sendRequest(p, unavailable)).To(MatchError(And(ContainSubstring("no request at all"),
			ContainSubstring("status 503"))))
	})

	It("has one outage if many requests fail at the same time", func() {
		const atOnce = 4 // requests that are under way from the beginning on
		for range 20 {
			p := throttleAfterAnswer(atOnce)
			sendTimes(p, inARow-2, faultOf(exchange.Transport))
			var ready, all sync.WaitGroup
			ready.Add(atOnce)
			for range atOnce {
				admitRequest(p)
				all.Go(func() {
					defer GinkgoRecover()
					ready.Done()
					ready.Wait()
					Expect(p.Done(faultOf(exchange.Transport))).To(Succeed())
				})
			}
			all.Wait()
			Expect(p.Outages()).To(BeEquivalentTo(1))
		}
	})
})

var _ = Describe("An outage", func() {
	itInBubble("begins with its faults, not with a pause before them or with faults before an answer", func() {
		p := throttleAfterAnswer(1)
		time.Sleep(16 * time.Hour) // outside the hours of a window
		fallSilent(p)
		sendTimes(p, 1, faultOf(exchange.Transport)) // it has hardly been silent

		p = throttleAfterAnswer(1)
		for range 2 {
			sendTimes(p, 1, faultOf(exchange.Transport))
			time.Sleep(100 * time.Second)
		}
		answerOnce(p)
		fallSilent(p)
	})

	itInBubble("ends with an answer to the trial, not with a late answer to an earlier request", func() {
		p := throttleAfterAnswer(4)
		admitRequest(p) // it is answered late
		fallSilent(p)
		Expect(p.Done(answeredWith(http.StatusOK))).To(Succeed())
		answerOnce(p) // the trial
		Expect(p.State()).To(BeEmpty())
		begin := time.Now()
		sendTimes(p, 3, answeredWith(http.StatusOK))
		Expect(time.Now()).To(Equal(begin), "nobody had to wait")
	})

	itInBubble("holds back requests that waited for a place when it began", func() {
		p := throttleAfterAnswer(1)
		var sentWhen []time.Time
		w := &workers{throttle: p, number: 20, until: time.Now().Add(20 * time.Second)}
		w.send = func() *exchange.Exchange {
			sentWhen = append(sentWhen, time.Now()) // one at a time
			time.Sleep(10 * time.Millisecond)
			if len(sentWhen) > inARow+3 {
				return answeredWith(http.StatusOK)
			}
			return faultOf(exchange.Transport)
		}
		w.sendAll()
		for n := inARow; n < inARow+3; n++ {
			Expect(sentWhen[n].Sub(sentWhen[n-1])).To(BeNumerically(">=", 2*time.Second),
				"request %d came while the target had its rest", n+1)
		}
	})
})
