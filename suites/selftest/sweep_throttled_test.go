package selftest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// throttling is a target that serves so many requests in each second, and tells the others to come again later.
type throttling struct {
	right  http.Handler
	most   int
	status int
	again  string // Retry-After; "": none

	mu       sync.Mutex
	second   int64
	taken    int
	refusals int64
}

func (t *throttling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	if now := time.Now().Unix(); now != t.second {
		t.second, t.taken = now, 0
	}
	t.taken++
	over := t.taken > t.most
	if over {
		t.refusals++
	}
	t.mu.Unlock()
	if !over {
		t.right.ServeHTTP(w, r)
		return
	}
	if t.again != "" {
		w.Header().Set("Retry-After", t.again)
	}
	w.WriteHeader(t.status)
	_, _ = io.WriteString(w, "later")
}

func sweepThrottledSpecs(r *rig) (begin func()) {
	type throttled struct {
		*outcome
		target *throttling
	}
	town := townOf(140, restless())
	kinds := []struct {
		name   string
		status int
		again  string
		more   []string
	}{
		{name: "429 with a Retry-After", status: http.StatusTooManyRequests, again: "1"},
		{name: "429 without one", status: http.StatusTooManyRequests},
		{name: "503 with a Retry-After of now", status: http.StatusServiceUnavailable, again: "0"},
	}
	var jobs []func() throttled
	for _, k := range kinds {
		jobs = append(jobs, func() throttled {
			target := &throttling{right: town.target(), most: 200, status: k.status, again: k.again}
			return throttled{r.sweepUsers(target, town.people), target}
		})
	}
	jobs = append(jobs, func() throttled {
		target := &throttling{right: town.target(), most: 50, status: http.StatusTooManyRequests, again: "0"}
		return throttled{r.sweepUsers(target, town.people, "--deadline", "2500ms"), target}
	})
	sweeps := runAhead(r, jobs...)

	Describe("of a target that throttles", func() {
		for i, k := range kinds {
			It("by "+k.name+" loses nobody, and accuses nobody", func() {
				s := sweeps.result(i)
				report, findings := swept(s.outcome)
				Expect(report.Verdict).To(Equal("pass"), s.said())
				town.matches(report, findings)
				Expect(s.target.refusals).To(BeNumerically(">", 0))
				Expect(report.Traffic.Throttled).To(Equal(s.target.refusals))
				Expect(report.Traffic.Requests).To(Equal(report.Tally.Requests + report.Traffic.Throttled))
				Expect(s.stdout).To(ContainSubstring("throttled"))
			})
		}

		It("and is stopped by its deadline can be gone on with", func() {
			s := sweeps.result(len(kinds))
			report, findings := swept(s.outcome)
			Expect(report.Verdict).To(Equal("inconclusive"))
			Expect(report.Complete).To(BeFalse())
			Expect(report.Tally.Users).To(BeNumerically(">", 0))
			Expect(findings.findings).To(BeEmpty())
		})
	})

	Describe("of a target that goes away for a while", func() {
		It("waits for it, and accuses nobody", func() {
			town := townOf(200, nil)
			right := town.known()
			var requests, faults atomic.Int64
			var gone atomic.Int64 // since when, in nanoseconds
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				if requests.Add(1) == 300 {
					gone.Store(time.Now().UnixNano())
				}
				if at := gone.Load(); at > 0 && time.Since(time.Unix(0, at)) < time.Second {
					faults.Add(1)
					panic(http.ErrAbortHandler)
				}
				right.ServeHTTP(w, request)
			}))
			DeferCleanup(server.Close)
			users := write(r.work(), "users.csv", []byte(town.csv()))
			o := r.call(r.sweepOf(server.URL, users))
			report, findings := swept(o)
			Expect(report.Complete).To(BeTrue())
			Expect(report.Tally.Users).To(BeNumerically("==", 200))
			Expect(report.Traffic.Outages).To(BeNumerically(">", 0))
			Expect(faults.Load()).To(BeNumerically("<", 40), "it was not left alone")
			// The first faults, of requests that were under way, might be those of single users.
			Expect(len(findings.findings)).To(BeNumerically("<=", 8))
			for _, one := range findings.findings {
				Expect(one.Kind).To(Equal("not-comparable"))
			}
			Expect(report.Verdict == "pass").To(Equal(len(findings.findings) == 0))
			Expect(o.stdout).To(ContainSubstring("left alone"))
			AddReportEntry("outage", fmt.Sprint(findings.lines), ReportEntryVisibilityFailureOrVerbose)
		})
	})
	return func() { sweeps.result(0) }
}
