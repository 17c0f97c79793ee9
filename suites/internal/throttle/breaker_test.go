package throttle_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/throttle"
)

const (
	inARow = 5 // faults that are an outage (J19)
	atOnce = 4 // requests that are under way from the beginning on
)

// fallSilent makes a target that worked fall silent.
func fallSilent(p *throttle.Throttle) {
	for range inARow {
		err := sendRequest(p, faultOf(exchange.Transport))
		ExpectWithOffset(1, err).NotTo(HaveOccurred())
	}
}

func breakerSpecs(inBubble bubble) {
	Describe("A request without an answer", func() {
		It("fails alone if the target answers others", func() {
			inBubble(func() {
				p := ordinaryThrottle(4)
				answerOnce(p)
				begin := time.Now()
				for range 50 {
					for range inARow - 1 {
						err := sendRequest(p, faultOf(exchange.Timeout))
						Expect(err).NotTo(HaveOccurred())
					}
					answerOnce(p)
				}
				Expect(time.Now()).To(Equal(begin), "nobody had to wait")
				Expect(p.Outages()).To(BeZero())
				Expect(p.State()).To(BeEmpty())
			})
		})

		DescribeTable("does not count as an outage if the target did answer something", func(kind exchange.FaultKind) {
			inBubble(func() {
				p := ordinaryThrottle(1)
				for range 3 * inARow {
					err := sendRequest(p, faultOf(kind))
					Expect(err).NotTo(HaveOccurred())
				}
				Expect(p.Outages()).To(BeZero())
			})
		}, Entry("a bound", exchange.Bound), Entry("an encoding", exchange.Encoding))
	})

	Describe("A target that falls silent", func() {
		It("is left alone, then tried by one request at a time, and asked by all once it answers", func() {
			inBubble(func() {
				const workers = atOnce
				p := ordinaryThrottle(workers)
				answerOnce(p)
				fallSilent(p)
				Expect(p.Outages()).To(BeEquivalentTo(1))
				Expect(p.State()).To(Equal("the target does not answer: waiting"))
				unansweredSince := time.Now()

				permits := make(chan bool, workers)
				for range workers {
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
					time.Sleep(time.Second)
					synctest.Wait()
					Expect(permits).To(HaveLen(1), "trial %d", attempt)
					time.Sleep(30 * time.Second)
					synctest.Wait()
					Expect(permits).To(HaveLen(1), "the others wait for what comes of it, trial %d", attempt)
					<-permits
					err := p.Done(faultOf(exchange.Timeout))
					Expect(err).NotTo(HaveOccurred())
				}
				Expect(time.Since(unansweredSince)).To(BeNumerically("<", 3*time.Minute))
				time.Sleep(3 * time.Second)
				<-permits
				err := p.Done(answeredWith(http.StatusOK))
				Expect(err).NotTo(HaveOccurred())
				time.Sleep(time.Second)
				synctest.Wait()
				Expect(permits).To(HaveLen(workers - 3))
				for range workers - 3 {
					<-permits
					p.Cancel()
				}
				Expect(p.Outages()).To(BeEquivalentTo(1), "it was one outage")
				Expect(p.State()).To(BeEmpty())
			})
		})

		It("is given up after the patience, by an error that says how to go on", func() {
			inBubble(func() {
				p := ordinaryThrottle(1)
				answerOnce(p)
				fallSilent(p)
				begin := time.Now()
				for attempts := 1; ; attempts++ {
					err := sendRequest(p, faultOf(exchange.Transport))
					if err == nil {
						Expect(attempts).To(BeNumerically("<", 1000), "it is never given up")
						continue
					}
					Expect(err).To(MatchError(And(ContainSubstring("has not answered for 3m"), ContainSubstring("u7.1"),
						ContainSubstring("connection refused"), ContainSubstring("--resume"))))
					Expect(attempts).To(BeNumerically(">", 10), "it was tried")
					break
				}
				Expect(time.Since(begin)).To(And(BeNumerically(">=", 3*time.Minute), BeNumerically("<", 4*time.Minute)))
			})
		})

		It("is given up at the first trial if it never answered anything", func() {
			inBubble(func() {
				p := ordinaryThrottle(1)
				fallSilent(p)
				err := sendRequest(p, faultOf(exchange.Transport))
				Expect(err).To(MatchError(And(ContainSubstring("no request at all"), ContainSubstring("J19"),
					ContainSubstring("u7.1"), ContainSubstring("connection refused"))))
			})
		})

		It("is also one that answers 503 to everything, without Retry-After", func() {
			inBubble(func() {
				p := ordinaryThrottle(1)
				answerOnce(p)
				begin := time.Now()
				for range inARow + 1 {
					Expect(sendRequest(p, answeredWith(http.StatusServiceUnavailable))).To(Succeed())
				}
				Expect(p.Outages()).To(BeEquivalentTo(1))
				Expect(time.Since(begin)).To(BeNumerically(">=", 2*time.Second), "it had its rest")
				p = ordinaryThrottle(1)
				for range inARow {
					Expect(sendRequest(p, answeredWith(http.StatusServiceUnavailable))).To(Succeed())
				}
				Expect(sendRequest(p, answeredWith(http.StatusServiceUnavailable))).To(
					MatchError(And(ContainSubstring("no request at all"), ContainSubstring("status 503"))))
			})
		})

		It("has its outages counted", func() {
			inBubble(func() {
				p := ordinaryThrottle(1)
				for outage := 1; outage <= 4; outage++ {
					answerOnce(p)
					fallSilent(p)
					for attempt := 2; attempt <= 4; attempt++ {
						err := sendRequest(p, faultOf(exchange.Transport))
						Expect(err).NotTo(HaveOccurred())
					}
					Expect(p.Outages()).To(BeEquivalentTo(outage))
				}
			})
		})

		It("has one outage if many requests fail at the same time", func() {
			for range 100 {
				p := ordinaryThrottle(atOnce)
				answerOnce(p)
				for range inARow - 2 {
					err := sendRequest(p, faultOf(exchange.Transport))
					Expect(err).NotTo(HaveOccurred())
				}
				var ready, all sync.WaitGroup
				ready.Add(atOnce)
				var given atomic.Int64
				for range atOnce {
					admitRequest(p)
					all.Go(func() {
						ready.Done()
						ready.Wait()
						if err := p.Done(faultOf(exchange.Transport)); err != nil {
							given.Add(1)
						}
					})
				}
				all.Wait()
				Expect(p.Outages()).To(BeEquivalentTo(1))
				Expect(given.Load()).To(BeZero())
			}
		})
	})
}
