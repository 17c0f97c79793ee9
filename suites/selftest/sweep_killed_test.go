package selftest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// befallen is a slow target in the middle of whose answers something happens to the process that asks.
type befallen struct {
	*httptest.Server
	requests atomic.Int64

	mu      sync.Mutex
	process *os.Process
	after   int64 // requests, counted from the process's beginning
	happen  func(p *os.Process)
}

// pause is how long each answer takes, so that a sweep has a middle.
const pause = 2 * time.Millisecond

func befall(right http.Handler) *befallen {
	b := &befallen{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.came()
		time.Sleep(pause)
		right.ServeHTTP(w, r)
	}))
	return b
}

func (b *befallen) came() {
	b.requests.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.process == nil {
		return
	}
	if b.after--; b.after <= 0 {
		b.happen(b.process)
		b.process = nil
	}
}

// strike calls the binary, and lets something happen to it once so many requests have come.
func (b *befallen) strike(r *rig, c command, after int64, happen func(p *os.Process)) *outcome {
	c.started = func(p *os.Process) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.process, b.after, b.happen = p, after, happen
	}
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.process = nil
	}()
	return r.call(c)
}

func sigkill(p *os.Process) { _ = p.Kill() } // it may have ended already

// killed is what became of a sweep with and without kills.
type killed struct {
	whole, resumed  *outcome
	kills           int
	direct, resumes int64 // requests
	wrong           string
}

// count looks at what a process left that may have been killed: no sweep that has not ended may look like one that has.
func (k *killed) count(o *outcome) {
	if o.err != nil || o.expired {
		k.wrong += fmt.Sprintf("%s; ", o.said())
		return
	}
	if o.code >= 0 {
		return // it was done before
	}
	k.kills++
	report, err := readSweep(o.reports())
	if os.IsNotExist(err) {
		return // it had not begun to write
	}
	if err != nil || !report.Complete && report.Verdict != "error" {
		k.wrong += fmt.Sprintf("after a kill %s says %v, %v; ", sweepJSON, report, err)
		return
	}
	if !report.Complete {
		return
	}
	// It had done all but end.
	if f, err := readFindings(o.reports()); err != nil || f.footer == nil || !f.footer.Complete {
		k.wrong += fmt.Sprintf("after a kill %s says that it is complete, and %s does not: %v; ", sweepJSON, findingsFile, err)
	}
}

func sweepKilledSpecs(r *rig) (begin func()) {
	town := townOf(1500, plants())
	sweeps := runAhead(r, func() killed {
		target := befall(town.target())
		defer target.Close()
		var k killed
		users := write(r.work(), "users.csv", []byte(town.csv()))
		k.whole = r.call(r.sweepOf(target.URL, users))
		k.direct = target.requests.Swap(0)

		random := rand.New(rand.NewPCG(3, 5))
		c := r.sweepOf(target.URL, users, "--resume=if-begun")
		c.folder = r.work()
		for i := range 20 {
			if i%4 == 3 {
				// Not at a request: also while the process begins, and while it waits for an answer.
				later := time.Duration(random.IntN(120)) * time.Millisecond
				soon := c
				soon.started = func(p *os.Process) { time.AfterFunc(later, func() { sigkill(p) }) }
				k.count(r.call(soon))
				continue
			}
			k.count(target.strike(r, c, 1+random.Int64N(600), sigkill))
		}
		k.resumed = r.call(c)
		k.resumes = target.requests.Load()
		return k
	})

	It("that is killed at twenty random moments, and gone on with, finds the same as without", func() {
		k := sweeps.result(0)
		direct, findings := swept(k.whole)
		town.matches(direct, findings)
		Expect(direct.Traffic.Requests).To(Equal(k.direct))

		Expect(k.wrong).To(BeEmpty())
		Expect(k.kills).To(BeNumerically(">=", 15), "kills that came before the end")
		resumed, same := whole(k.resumed)
		Expect(same.lines).To(Equal(findings.lines))
		Expect(counts(k.resumed)).To(Equal(counts(k.whole)))
		Expect(resumed.Traffic.Requests).To(And(BeNumerically("<=", k.resumes), BeNumerically(">=", k.direct)))
		AddReportEntry("killed sweep", fmt.Sprintf("%d requests without kills, %d with %d", k.direct, k.resumes, k.kills), ReportEntryVisibilityFailureOrVerbose)
	})

	It("that is killed leaves nothing behind, once it has been gone on with", func() {
		Expect(leftBehind(sweeps.result(0).resumed)).To(BeEmpty())
	})

	It("that has ended, and is gone on with, says the same again and sends nothing", func() {
		few := townOf(300, plants())
		target := befall(few.target())
		DeferCleanup(target.Close)
		users := write(r.work(), "users.csv", []byte(few.csv()))
		for _, more := range [][]string{nil, {"--shard", "1/3"}, {"--shard", "2/3"}, {"--shard", "3/3"}, {"--sample", "100", "--seed", "9"}} {
			c := r.sweepOf(target.URL, users, more...)
			c.folder = r.work()
			o := r.call(c)
			_, findings := swept(o)
			before, sent := counts(o), target.requests.Load()
			c.args = append(c.args, "--resume")
			o = r.call(c)
			_, again := swept(o)
			Expect(again.lines).To(Equal(findings.lines))
			Expect(counts(o)).To(Equal(before))
			Expect(target.requests.Load()).To(Equal(sent), "%v", more)
		}
	})
	return func() { sweeps.result(0) }
}
