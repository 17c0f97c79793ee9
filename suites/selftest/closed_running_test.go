package selftest_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// broken is a run that begins and can't be carried out.
type broken struct {
	name   string
	target http.Handler
	listen func(net.Conn) // serves connections instead of a handler
	closed bool           // nothing listens at the URL
	args   []string
	defect bool // the binary with a defect
	// signals are sent one after the other once the first request has come.
	signals []syscall.Signal
	says    []string
}

// runningSpecs shows that a run that breaks off says so: by its exit code, its streams and its reports.
func runningSpecs(r *rig) {
	slow := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		select {
		case <-time.After(500 * time.Millisecond):
			referenceOf(knownUsers()).ServeHTTP(w, request)
		case <-request.Context().Done():
		}
	})
	throttling := func(status int, after string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(status)
		})
	}
	list := []broken{
		{name: "nothing listens", closed: true, says: []string{"can't be reached", "--target-url", "refused"}},
		{name: "the target is silent", listen: func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<20)); hold(c) }, args: []string{"--timeout", "200ms"}, says: []string{"can't be reached", "timeout"}},
		{name: "the target closes each connection", listen: func(net.Conn) {}, says: []string{"can't be reached"}},
		{name: "the target is slower than a request may be", target: slow, args: []string{"--timeout", "100ms"}, says: []string{"can't be reached", "timeout"}},
		{name: "the run has too little time", target: slow, args: []string{"--deadline", "1s"}, says: []string{"deadline"}},
		{name: "the run has no time at all", target: slow, args: []string{"--deadline", "1ms"}, says: []string{"deadline"}},
		{name: "the rate leaves too little time", target: referenceOf(knownUsers()), args: []string{"--rate", "1", "--deadline", "2s"}, says: []string{"deadline"}},
		{name: "429 without end", target: throttling(429, "0"), args: []string{"--deadline", "1s"}, says: []string{"deadline"}},
		{name: "429 without a time", target: throttling(429, ""), args: []string{"--deadline", "500ms"}, says: []string{"429", "deadline"}},
		{name: "429 for a day", target: throttling(429, "86400"), says: []string{"429", "deadline"}},
		{name: "429 for longer than there are numbers", target: throttling(429, strings.Repeat("9", 400)), says: []string{"429", "deadline"}},
		{name: "503 for a day", target: throttling(503, "86400"), says: []string{"503", "deadline"}},
		{name: "429 until a far day", target: throttling(429, "Thu, 31 Dec 2037 23:59:59 GMT"), says: []string{"429", "deadline"}},
		{name: "a panic in the suite", target: referenceOf(knownUsers()), defect: true, says: []string{"defect of the suite", "panic"}},
		{name: "an interrupt", target: slow, signals: []syscall.Signal{syscall.SIGINT}, says: []string{"interrupt"}},
		{name: "a termination", target: slow, signals: []syscall.Signal{syscall.SIGTERM}, says: []string{"terminated"}},
		{name: "an interrupt while it waits", target: throttling(429, "60"), signals: []syscall.Signal{syscall.SIGINT}, says: []string{"interrupt"}},
	}
	slices.SortFunc(list, func(a, b broken) int { return strings.Compare(a.name, b.name) })
	var jobs []func() *outcome
	for _, b := range list {
		jobs = append(jobs, func() *outcome { return b.make(r) })
	}
	results := runAhead(r, jobs...)

	Describe("A run that can't go on", func() {
		for i, b := range list {
			It(b.name, func() {
				o := results.result(i)
				report := sound(o)
				Expect(report.Verdict).To(Equal("error"), o.said())
				for _, words := range b.says {
					Expect(*report.Error).To(ContainSubstring(words))
					Expect(o.stdout + o.stderr).To(ContainSubstring(words))
				}
				if !b.defect {
					Expect(*report.Error).NotTo(ContainSubstring("panic"))
					Expect(*report.Error).NotTo(ContainSubstring("defect"))
					Expect(*report.Error).NotTo(ContainSubstring("\n"), "one sentence")
				}
			})
		}

		It("is killed: the report of its beginning stands", func() {
			killed := broken{target: slow, signals: []syscall.Signal{syscall.SIGKILL}}
			o := killed.make(r)
			Expect(o.code).To(Equal(-1), o.said())
			replaced(o.reports(), []string{"unfinished"})
		})

		It("is interrupted twice: it ends at once, and the report of its beginning stands", func() {
			// Requests that do not end would hold up a run that waits for them; the second signal does not.
			stuck := broken{target: slow, signals: []syscall.Signal{syscall.SIGINT, syscall.SIGINT}}
			o := stuck.make(r)
			Expect(o.code).NotTo(BeZero())
			report, err := readReport(o.reports())
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal("error"))
		})
	})
}

// make has a target judged by a run that is to break off.
func (b broken) make(r *rig) *outcome {
	reached := make(chan struct{})
	var once sync.Once
	url, end := b.serve(func() { once.Do(func() { close(reached) }) })
	defer end()
	folder := r.work()
	if err := leavePass(filepath.Join(folder, defaultReports)); err != nil {
		return &outcome{err: err}
	}
	c := r.certify(url, b.args...)
	c.folder = folder
	if b.defect {
		c.binary = r.defective
	}
	ended := make(chan struct{})
	defer close(ended)
	c.started = func(p *os.Process) {
		r.jobs.Go(func() {
			select {
			case <-reached:
			case <-ended:
			}
			for _, signal := range b.signals {
				_ = p.Signal(signal) // it may have ended already
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	return r.call(c)
}

// serve lets the target listen, if it does at all, and tells of each request or connection.
func (b broken) serve(reached func()) (url string, end func()) {
	if b.listen != nil {
		return listen(func(c net.Conn) {
			reached()
			b.listen(c)
		})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		reached()
		b.target.ServeHTTP(w, request)
	}))
	if b.closed {
		server.Close()
	}
	return server.URL, server.Close
}
