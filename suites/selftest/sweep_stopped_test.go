package selftest_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sweepStoppedSpecs end sweeps in good order before they have looked at everybody.
func sweepStoppedSpecs(r *rig) {
	sound := townOf(200, nil)
	spoilt := townOf(200, plants())

	DescribeTable("that is stopped by a signal ends in good order, and can be gone on with", func(signal syscall.Signal, after int64, of *town) {
		target := befall(of.target())
		DeferCleanup(target.Close)
		c := r.sweepOf(target.URL, write(r.work(), "users.csv", []byte(of.csv())))
		c.folder = r.work()
		report, findings := swept(target.strike(r, c, after, func(p *os.Process) { _ = p.Signal(signal) }))
		Expect(report.Complete).To(BeFalse())
		Expect(report.Verdict).To(Equal(verdictOf(findings)))
		Expect(report.Tally.Users).To(BeNumerically("<", len(of.people)))
		Expect(report.Traffic.Requests).To(BeNumerically("~", target.requests.Load(), 8), "but for those that were stopped on their way")

		c.args = append(c.args, "--resume")
		o := r.call(c)
		report, findings = swept(o)
		Expect(report.Complete).To(BeTrue())
		of.matches(report, findings)
		Expect(report.Traffic.Requests-report.Tally.Requests).To(BeNumerically("<=", 8*11), "asked again of users who were under way")
	},
		Entry("SIGINT at the first request", syscall.SIGINT, int64(1), &sound),
		Entry("SIGTERM in the middle", syscall.SIGTERM, int64(350), &sound),
		Entry("SIGINT in the middle, where something was found", syscall.SIGINT, int64(500), &spoilt),
	)

	Describe("that has a budget", func() {
		It("never sends more, and goes on from one budget to the next", func() {
			target := befall(spoilt.target())
			DeferCleanup(target.Close)
			c := r.sweepOf(target.URL, write(r.work(), "users.csv", []byte(spoilt.csv())), "--resume=if-begun", "--budget", "350")
			c.folder = r.work()
			processes, before := 0, int64(0)
			for complete := false; !complete && processes < 7; processes++ {
				o := r.call(c)
				report, findings := swept(o)
				Expect(target.requests.Load() - before).To(BeNumerically("<=", 350))
				before = target.requests.Load()
				Expect(report.Traffic.Requests).To(BeNumerically("~", before, 8*(processes+1)))
				if complete = report.Complete; complete {
					spoilt.matches(report, findings)
				} else {
					Expect(report.Verdict).To(Equal(verdictOf(findings)))
				}
			}
			Expect(processes).To(BeNumerically("~", 5, 1), "800 requests, those of differences again, and those of users who were under way")
		})

		DescribeTable("looks at somebody wherever the budget is enough for one", func(budget, concurrency int) {
			target := befall(sound.target())
			DeferCleanup(target.Close)
			users := write(r.work(), "users.csv", []byte(sound.csv()))
			report, _ := swept(r.call(r.sweepOf(target.URL, users, "--budget", fmt.Sprint(budget), "--concurrency", fmt.Sprint(concurrency))))
			Expect(target.requests.Load()).To(BeNumerically("<=", budget))
			Expect(report.Verdict).To(Equal("inconclusive"))
			Expect(report.Tally.Users).To(BeNumerically(">", 0), "a sweep in such steps would never end")
		},
			Entry("4 requests, one at a time", 4, 1),
			Entry("31 requests, one at a time", 31, 1),
			Entry("4 requests, 8 at a time", 4, 8),
			Entry("20 requests, 8 at a time", 20, 8),
			Entry("31 requests, 8 at a time", 31, 8),
		)

		It("never sends more where the target hangs up on its requests", func() {
			// Each second request of a connection is taken, and brings no answer but the connection's end.
			var requests atomic.Int64
			known := sound.target()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				requests.Add(1)
				if request.Context().Value(calls{}).(*atomic.Int64).Add(1) == 2 {
					panic(http.ErrAbortHandler)
				}
				known.ServeHTTP(w, request)
			}))
			server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
				return context.WithValue(ctx, calls{}, new(atomic.Int64))
			}
			server.Start()
			DeferCleanup(server.Close)
			users := write(r.work(), "users.csv", []byte(sound.csv()))
			for _, budget := range []int64{1, 2, 9, 40} {
				requests.Store(0)
				r.call(r.sweepOf(server.URL, users, "--budget", fmt.Sprint(budget), "--concurrency", "1"))
				Expect(requests.Load()).To(BeNumerically("<=", budget))
			}
		})
	})

	Describe("that has its hours", func() {
		at := func(d time.Duration) string { return time.Now().UTC().Add(d).Format("15:04") }
		hours := func(from, to time.Duration, more ...string) (*outcome, int64) {
			target := befall(sound.target())
			defer target.Close()
			c := r.sweepOf(target.URL, write(r.work(), "users.csv", []byte(sound.people[:20].csv())), append(more, "--window", at(from)+"-"+at(to))...)
			c.env = append(c.env, "TZ=UTC")
			return r.call(c), target.requests.Load()
		}

		It("sends nothing outside of them", func() {
			o, requests := hours(2*time.Hour, 3*time.Hour, "--deadline", "700ms")
			report, _ := swept(o)
			Expect(requests).To(BeZero())
			Expect(report.Verdict).To(Equal("inconclusive"))
			Expect(report.Complete).To(BeFalse())
		})

		It("sends within them, over midnight too", func() {
			o, requests := hours(-2*time.Hour, 20*time.Hour)
			report, _ := swept(o)
			Expect(report.Verdict).To(Equal("pass"))
			Expect(requests).To(BeNumerically("==", 80))
		})
	})

	Describe("that something befalls", func() {
		for name, happen := range map[string]func(reports string){
			"its folder is removed":               func(reports string) { mustDo(os.RemoveAll(reports)) },
			"its folder is removed and made anew": func(reports string) { mustDo(os.RemoveAll(reports)); mustDo(os.Mkdir(reports, 0o755)) },
			"its folder is moved away":            func(reports string) { mustDo(os.Rename(reports, reports+"-old")) },
			"a folder takes the place of its summary": func(reports string) {
				mustDo(os.Remove(filepath.Join(reports, sweepJSON)))
				mustDo(os.MkdirAll(filepath.Join(reports, sweepJSON, "x"), 0o755))
			},
			"its findings are removed": func(reports string) { mustDo(os.Remove(filepath.Join(reports, findingsFile))) },
			"its findings are cut":     func(reports string) { mustDo(os.Truncate(filepath.Join(reports, findingsFile), 0)) },
		} {
			It("ends in an error: "+name, func() {
				target := befall(spoilt.target())
				DeferCleanup(target.Close)
				c := r.sweepOf(target.URL, write(r.work(), "users.csv", []byte(spoilt.csv())))
				c.folder = r.work()
				o := target.strike(r, c, 500, func(*os.Process) { happen(filepath.Join(c.folder, defaultReports)) })
				Expect(o.err).NotTo(HaveOccurred())
				Expect(o.code).To(Equal(2), o.said())
				Expect(o.stdout + o.stderr).NotTo(Or(ContainSubstring("panic"), ContainSubstring("defect")))
				report, err := readSweep(o.reports())
				if err == nil {
					Expect(report.Verdict).To(Equal("error"))
				}
			})
		}

		It("is another sweep in the same folder: neither spoils the findings of the other", func() {
			target := befall(spoilt.target())
			DeferCleanup(target.Close)
			c := r.sweepOf(target.URL, write(r.work(), "users.csv", []byte(spoilt.csv())))
			c.folder = r.work()
			second := make(chan *outcome, 1)
			first := target.strike(r, c, 400, func(*os.Process) { r.jobs.Go(func() { second <- r.call(c) }) })
			both := []*outcome{first, <-second}
			refused := 0
			for _, o := range both {
				if o.code == 2 {
					refused++
				}
			}
			Expect(refused).To(Equal(1), "%s\n\n%s", first.said(), both[1].said())
			report, findings := swept(both[map[bool]int{true: 1, false: 0}[first.code == 2]])
			spoilt.matches(report, findings)
		})
	})
}

// calls is the key of how many requests came over a connection.
type calls struct{}

// verdictOf is the verdict of a sweep that has not ended, by what it found so far.
func verdictOf(f *sweepFindings) string {
	for _, one := range f.findings {
		if one.Requirement != "" {
			return "fail"
		}
	}
	return "inconclusive"
}

func mustDo(err error) {
	if err != nil {
		panic(err)
	}
}
