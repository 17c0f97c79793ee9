package throttle_test

import (
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
)

// quota answers so many requests in each second of the clock, and refuses the rest.
type quota struct {
	mu     sync.Mutex
	second int64
	used   int
	most   int
}

func (q *quota) takeOne() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now := time.Now().Unix(); now != q.second {
		q.second, q.used = now, 0
	}
	q.used++
	return q.most == 0 || q.used <= q.most
}

func (q *quota) set(most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.most = most
}

// concurrencyBefore returns a simulation of concurrent requests to a target with a quota. Without the quota they would
// be 800 a second.
func (q *quota) concurrencyBefore(refusal func() *exchange.Exchange, duration time.Duration) *concurrency {
	return &concurrency{throttle: ordinaryThrottle(8), workers: 8, until: time.Now().Add(duration),
		send: func() *exchange.Exchange {
			time.Sleep(10 * time.Millisecond)
			if q.takeOne() {
				return answeredWith(200)
			}
			return refusal()
		}}
}

// refusalsByKind are how a target may say that it has too much to do.
func refusalsByKind() map[string]func() *exchange.Exchange {
	return map[string]func() *exchange.Exchange{
		"by 429, to come again at once":     func() *exchange.Exchange { return throttledFor("0") },
		"by 429, to come again in a second": func() *exchange.Exchange { return throttledFor("1") },
		"by 503, without a word of when":    func() *exchange.Exchange { return answeredWith(503) },
	}
}

func backOffSpecs(inBubble bubble) {
	Describe("A target that throttles past 200 requests a second", func() {
		for name, refusal := range refusalsByKind() {
			It("is sent nearly as much as it can serve, and refuses little, "+name, func() {
				inBubble(func() {
					const duration = 3 * time.Minute
					q := &quota{most: 200}
					c := q.concurrencyBefore(refusal, duration)
					c.run()
					Expect(c.errs).To(BeEmpty())
					Expect(float64(len(c.arrivals) - c.served)).To(BeNumerically("<=", 0.05*float64(len(c.arrivals))))
					Expect(float64(c.served)).To(BeNumerically(">=", 0.6*200*duration.Seconds()))
				})
			})
		}

		It("gets all again once it no longer throttles", func() {
			inBubble(func() {
				q := &quota{most: 200}
				begin := time.Now()
				time.AfterFunc(30*time.Second, func() { q.set(0) })
				c := q.concurrencyBefore(func() *exchange.Exchange { return throttledFor("0") }, 90*time.Second)
				c.run()
				Expect(c.errs).To(BeEmpty())
				Expect(c.countBetween(begin.Add(10*time.Second), begin.Add(30*time.Second))).To(
					BeNumerically("<=", 20*220))
				Expect(c.countBetween(begin.Add(70*time.Second), c.until)).To(BeNumerically(">=", 20*780))
				Expect(c.throttle.State()).To(BeEmpty())
			})
		})

		It("is heeded at once, also after hours in which it took everything", func() {
			inBubble(func() {
				q := &quota{most: 20}
				begin := time.Now()
				time.AfterFunc(time.Minute, func() { q.set(0) })
				time.AfterFunc(3*time.Hour, func() { q.set(20) })
				c := q.concurrencyBefore(func() *exchange.Exchange { return throttledFor("0") },
					3*time.Hour+2*time.Minute)
				c.until = begin.Add(2 * time.Minute)
				c.run()
				// What lies between is a trickle: hours, but few requests.
				c.until = begin.Add(3*time.Hour - time.Minute)
				fast := c.send
				c.send = func() *exchange.Exchange { time.Sleep(990 * time.Millisecond); return fast() }
				c.run()
				c.send, c.until = fast, begin.Add(3*time.Hour+2*time.Minute)
				c.run()
				Expect(c.errs).To(BeEmpty())
				Expect(c.countBetween(begin.Add(3*time.Hour+time.Minute), begin.Add(3*time.Hour+2*time.Minute))).To(
					BeNumerically("<=", 60*25))
			})
		})

		for name, refusal := range refusalsByKind() {
			It("is not sent more than before if its quota falls, "+name, func() {
				inBubble(func() {
					q := &quota{most: 200}
					begin := time.Now()
					time.AfterFunc(time.Minute, func() { q.set(20) })
					c := q.concurrencyBefore(refusal, 6*time.Minute)
					c.run()
					Expect(c.errs).To(BeEmpty())
					Expect(c.countBetween(begin.Add(time.Minute), c.until)).To(BeNumerically("<=", 5*60*20*5/4))
				})
			})
		}

		It("is shown as throttling for a while", func() {
			inBubble(func() {
				p := ordinaryThrottle(2)
				answerOnce(p)
				err := sendRequest(p, throttledFor("0"))
				Expect(err).NotTo(HaveOccurred())
				Expect(p.State()).To(Equal("throttled"))
				time.Sleep(time.Minute)
				Expect(p.State()).To(BeEmpty())
			})
		})

		It("costs little time if it throttles a single request", func() {
			inBubble(func() {
				q := &quota{}
				begin := time.Now()
				c := q.concurrencyBefore(nil, 100*time.Second)
				first := true
				inner := c.send
				c.send = func() *exchange.Exchange {
					c.mu.Lock()
					lastThrottled := first
					first = false
					c.mu.Unlock()
					if lastThrottled {
						return throttledFor("0") // before anything was served
					}
					return inner()
				}
				c.run()
				Expect(c.errs).To(BeEmpty())
				Expect(c.throttled).To(Equal(1))
				Expect(c.countBetween(begin.Add(90*time.Second), c.until)).To(BeNumerically(">=", 10*780))
			})
		})
	})

	Describe("A target that refuses each tenth request, however few they are", func() {
		It("is not slowed down further and further", func() {
			inBubble(func() {
				const duration = 5 * time.Minute
				n := 0
				c := (&quota{}).concurrencyBefore(nil, duration)
				inner := c.send
				c.send = func() *exchange.Exchange {
					ex := inner()
					c.mu.Lock()
					defer c.mu.Unlock()
					if n++; n%10 == 0 {
						return answeredWith(503) // for these users, always
					}
					return ex
				}
				c.run()
				Expect(c.errs).To(BeEmpty())
				Expect(c.served).To(BeNumerically(">=", int(duration.Seconds())*100))
			})
		})
	})
}
