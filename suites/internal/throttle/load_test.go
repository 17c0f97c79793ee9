package throttle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

const unlimited = math.MaxInt

// workersBefore are eight workers before a target that answers so many requests in each second of the clock from a time
// on, and refuses the rest. They would send 800 in a second.
func workersBefore(quotas map[time.Duration]int, refusal func() *exchange.Exchange, duration time.Duration) *workers {
	var mu sync.Mutex
	var second int64
	var used, quota int
	for after, most := range quotas {
		time.AfterFunc(after, func() {
			mu.Lock()
			defer mu.Unlock()
			quota = most
		})
	}
	return &workers{throttle: newThrottle(8), number: 8, until: time.Now().Add(duration),
		send: func() *exchange.Exchange {
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			if now := time.Now().Unix(); now != second {
				second, used = now, 0
			}
			if used++; used <= quota {
				return answeredWith(http.StatusOK)
			}
			return refusal()
		}}
}

func throttledAtOnce() *exchange.Exchange { return throttledFor("0") }

var _ = Describe("A target that throttles", func() {
	for name, refusal := range map[string]func() *exchange.Exchange{
		"by 429, to come again at once":     throttledAtOnce,
		"by 429, to come again in a second": func() *exchange.Exchange { return throttledFor("1") },
		"by 503, without a word of when":    func() *exchange.Exchange { return answeredWith(503) },
	} {
		itInBubble("is sent nearly as much as it can serve, and no more if its quota falls, "+name, func() {
			begin := time.Now()
			w := workersBefore(map[time.Duration]int{0: 200, 2 * time.Minute: 20}, refusal, 2*time.Minute)
			w.sendAll()
			Expect(float64(len(w.arrivals) - w.served)).To(BeNumerically("<=", 0.05*float64(len(w.arrivals))))
			Expect(float64(w.served)).To(BeNumerically(">=", 0.6*200*120))
			w.until = begin.Add(6 * time.Minute)
			w.sendAll()
			Expect(w.countBetween(begin.Add(2*time.Minute), w.until)).To(BeNumerically("<=", 4*60*20*5/4))
		})
	}

	itInBubble("gets all again once it no longer throttles", func() {
		begin := time.Now()
		w := workersBefore(map[time.Duration]int{0: 200, 30 * time.Second: unlimited}, throttledAtOnce, 90*time.Second)
		w.sendAll()
		Expect(w.countBetween(begin.Add(10*time.Second), begin.Add(30*time.Second))).To(BeNumerically("<=", 20*220))
		Expect(w.countBetween(begin.Add(70*time.Second), w.until)).To(BeNumerically(">=", 20*780))
		Expect(w.throttle.State()).To(BeEmpty())
	})

	itInBubble("is heeded at once, also after hours in which it took everything", func() {
		begin := time.Now()
		w := workersBefore(map[time.Duration]int{0: 20, time.Minute: unlimited, 3 * time.Hour: 20}, throttledAtOnce,
			2*time.Minute)
		w.sendAll()
		// What lies between is a trickle: hours, but few requests.
		fast := w.send
		w.send = func() *exchange.Exchange { time.Sleep(990 * time.Millisecond); return fast() }
		w.until = begin.Add(3*time.Hour - time.Minute)
		w.sendAll()
		w.send, w.until = fast, begin.Add(3*time.Hour+2*time.Minute)
		w.sendAll()
		Expect(w.countBetween(begin.Add(3*time.Hour+time.Minute), w.until)).To(BeNumerically("<=", 60*25))
	})

	itInBubble("is shown as throttling for a while", func() {
		p := throttleAfterAnswer(2)
		sendTimes(p, 1, throttledFor("0"))
		Expect(p.State()).To(Equal("throttled"))
		time.Sleep(time.Minute)
		Expect(p.State()).To(BeEmpty())
	})

	itInBubble("is given up if it throttles every request for longer than the patience", func() {
		p := newThrottle(8)
		Expect(p.State()).To(Equal("4 at a time"))
		begin := time.Now()
		var err error
		for ; err == nil && time.Since(begin) < time.Hour; time.Sleep(10 * time.Second) {
			err = sendRequest(p, throttledFor("0"))
		}
		Expect(err).To(MatchError(And(ContainSubstring("has throttled every request for 3m10s, with status 429"),
			ContainSubstring("--resume"))))
	})

	itInBubble("a single request before anything was served costs little time", func() {
		begin := time.Now()
		w := workersBefore(map[time.Duration]int{0: unlimited}, nil, 100*time.Second)
		inner, isLater := w.send, atomic.Bool{}
		w.send = func() *exchange.Exchange {
			if isLater.CompareAndSwap(false, true) {
				return throttledFor("0")
			}
			return inner()
		}
		w.sendAll()
		Expect(w.throttled).To(Equal(1))
		Expect(w.countBetween(begin.Add(90*time.Second), w.until)).To(BeNumerically(">=", 10*780))
	})

	itInBubble("each tenth request, however few they are, is not slowed down further and further", func() {
		w := workersBefore(map[time.Duration]int{0: unlimited}, nil, 5*time.Minute)
		inner, n := w.send, atomic.Int64{}
		w.send = func() *exchange.Exchange {
			ex := inner()
			if n.Add(1)%10 == 0 {
				return answeredWith(503) // for these users, always
			}
			return ex
		}
		w.sendAll()
		Expect(w.served).To(BeNumerically(">=", 5*60*100))
	})

	It("over HTTP serves every request of a client at last, and each refusal is counted", func(ctx SpecContext) {
		const requests, number = 256, 8
		var answers atomic.Int64
		base := testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			// By number, not by rate: how fast a client is depends on the machine.
			if n := answers.Add(1); 100 < n && n <= 120 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		}))
		s := testkit.Settings(base, nil, func(s *settings.Settings) { s.Concurrency = number })
		client := target.New(s, testkit.Contract(), "1.2.3", "run-17")
		DeferCleanup(client.Close)
		client.Pacer = newThrottle(number)
		user := settings.User(testkit.Must(fixtures.Users())[0])
		var all sync.WaitGroup
		for worker := range number {
			all.Go(func() {
				defer GinkgoRecover()
				for n := range requests / number {
					ex := testkit.Must(client.Do(ctx, exchange.Probe{ID: fmt.Sprintf("u%d.%d", worker, n),
						Version: schemas.V5, Operation: schemas.FindByUserIDs, Segment: "v5", Round: 1, User: user}))
					Expect(ex.Status).To(Equal(http.StatusOK))
				}
			})
		}
		all.Wait()
		Expect(client.Counts().Throttled).To(BeEquivalentTo(20))
		Expect(answers.Load()).To(BeEquivalentTo(requests + 20))
	}, SpecTimeout(time.Minute))
})

var _ = Describe("A target whose latency varies", func() {
	for _, number := range []int{8, 64} {
		itInBubble(fmt.Sprintf("gets all of %d requests in flight, fewer while it is slower with more, and all again",
			number), func() {
			const begun, ended, duration = 30 * time.Second, 105 * time.Second, 170 * time.Second
			random, begin, inFlight := rand.New(rand.NewPCG(7, 11)), time.Now(), 0
			var mu sync.Mutex
			w := &workers{throttle: newThrottle(number), number: number, until: begin.Add(duration)}
			w.send = func() *exchange.Exchange {
				mu.Lock()
				inFlight++
				latency := 80*time.Millisecond + time.Duration(random.Int64N(int64(40*time.Millisecond)))
				if since := time.Since(begin); since >= begun && since <= ended {
					part := float64(inFlight) / float64(number)
					latency += time.Duration(8 * part * part * float64(latency))
				}
				mu.Unlock()
				time.Sleep(latency)
				mu.Lock()
				inFlight--
				mu.Unlock()
				return answeredWith(http.StatusOK)
			}
			var before, slow atomic.Int64
			time.AfterFunc(begun, func() { before.Store(int64(w.throttle.InFlight())) })
			time.AfterFunc(ended, func() { slow.Store(int64(w.throttle.InFlight())) })
			w.sendAll()
			possible := float64(number) * 10 / 0.1
			Expect(float64(w.countBetween(begin.Add(20*time.Second), begin.Add(begun)))).To(
				BeNumerically(">=", 0.9*possible))
			Expect(before.Load()).To(BeNumerically(">=", number*9/10))
			Expect(slow.Load()).To(And(BeNumerically(">=", 1), BeNumerically("<=", number/2)))
			Expect(w.throttle.InFlight()).To(BeNumerically(">=", number*9/10))
		})
	}
})
