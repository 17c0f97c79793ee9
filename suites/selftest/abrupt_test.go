package selftest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// abrupt is a run in which something happens when so many requests have come.
type abrupt struct {
	name   string
	after  int64         // requests
	later  time.Duration // and so much later
	happen func(p *os.Process, reports string)
	// passes tells that the run may pass all the same; else it must end in an error.
	passes bool
	// gone tells that there may be no reports at all.
	gone bool
}

// abruptSpecs break runs off in the middle, or take their folder from under them: never half a file, never a pass.
func abruptSpecs(r *rig) {
	list := slices.Concat(interrupts(), withdrawals())
	slices.SortFunc(list, func(a, b abrupt) int { return strings.Compare(a.name, b.name) })
	var jobs []func() *outcome
	for _, a := range list {
		jobs = append(jobs, func() *outcome { return a.make(r) })
	}
	results := runAhead(r, jobs...)

	Describe("A run that something befalls", func() {
		for i, a := range list {
			It(a.name, func() {
				o := results.result(i)
				Expect(o.err).NotTo(HaveOccurred())
				Expect(o.expired).To(BeFalse(), o.said())
				if a.passes && o.code == 0 {
					Expect(sound(o).Verdict).To(Equal("pass"))
				} else {
					Expect(o.code).To(Equal(2), o.said())
				}
				Expect(o.stderr + o.stdout).NotTo(ContainSubstring("panic"))
				unbroken(o, a.gone)
			})
		}
	})
	fullDiskSpecs(r)
}

// interrupts are signals at moments that are spread over a run, and over the time in which it judges and writes.
func interrupts() []abrupt {
	random := rand.New(rand.NewPCG(7, 8))
	var list []abrupt
	for i := range 14 {
		signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
		a := abrupt{after: 1 + random.Int64N(200), later: time.Duration(random.IntN(8)) * time.Millisecond, passes: true}
		if i >= 8 {
			a.after, a.later = 212, time.Duration(random.IntN(80))*time.Millisecond // all requests have come: it is judged and written
		}
		a.name = fmt.Sprintf("%02d: %s after %d requests and %s", i, signal, a.after, a.later)
		a.happen = func(p *os.Process, _ string) { _ = p.Signal(signal) } // it may have ended already
		list = append(list, a)
	}
	return list
}

// withdrawals take away the report folder, or parts of it.
func withdrawals() []abrupt {
	in := func(name string, happen func(reports string)) abrupt {
		return abrupt{name: name, after: 100, happen: func(_ *os.Process, reports string) { happen(reports) }}
	}
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	list := []abrupt{
		in("the folder is removed", func(reports string) { must(os.RemoveAll(reports)) }),
		in("the folder is removed and made anew", func(reports string) {
			must(os.RemoveAll(reports))
			must(os.Mkdir(reports, 0o755))
		}),
		in("the folder is moved away", func(reports string) { must(os.Rename(reports, reports+"-old")) }),
		in("a file takes the folder's place", func(reports string) {
			must(os.RemoveAll(reports))
			must(os.WriteFile(reports, nil, 0o600))
		}),
		in("the folder and all above it are removed", func(reports string) { must(os.RemoveAll(filepath.Dir(reports))) }),
	}
	list[3].gone, list[4].gone = true, true
	for _, name := range reportFiles() {
		list = append(list, in("a folder takes the place of "+name, func(reports string) {
			must(os.RemoveAll(filepath.Join(reports, name)))
			must(os.MkdirAll(filepath.Join(reports, name, "x"), 0o755))
		}))
	}
	return list
}

// make carries out a run against a slow target, in a folder where an earlier one passed.
func (a abrupt) make(r *rig) *outcome {
	folder := r.work()
	reports := filepath.Join(folder, "deep", "reports")
	if err := leavePass(reports); err != nil {
		return &outcome{err: err}
	}
	var requests atomic.Int64
	reached, ended := make(chan struct{}), make(chan struct{})
	var once, acted sync.Once
	right := referenceOf(knownUsers())
	process := make(chan *os.Process, 1)
	var act func()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if requests.Add(1) >= a.after {
			once.Do(func() { close(reached) })
			if a.later == 0 {
				act() // in the middle of an answer: the run goes on only afterwards
			}
		}
		time.Sleep(3 * time.Millisecond) // so that there is a middle
		right.ServeHTTP(w, request)
	}))
	defer server.Close()
	p := sync.OnceValue(func() *os.Process { return <-process })
	act = func() { acted.Do(func() { a.happen(p(), reports) }) }

	c := r.certify(server.URL, "--report-dir", reports)
	c.folder = folder
	c.started = func(started *os.Process) {
		process <- started
		r.jobs.Go(func() {
			select {
			case <-reached:
				time.Sleep(a.later)
				act()
			case <-ended:
			}
		})
	}
	o := r.call(c)
	close(ended)
	o.folder = filepath.Dir(reports)
	if err := os.Rename(reports, filepath.Join(o.folder, defaultReports)); err != nil && !a.gone && !strings.Contains(a.name, "moved") {
		o.err = err
	}
	return o
}

var (
	summaryVerdict = regexp.MustCompile(`^## \S+ (pass|fail|inconclusive|error)\b`)
	pageVerdict    = regexp.MustCompile(`<section class="certificate (\w+)"`)
)

// unbroken asserts that what stands in a report folder is whole, that its files tell one story, and that nothing else is
// left. Files that could not be replaced still tell of the run's beginning.
func unbroken(o *outcome, gone bool) {
	GinkgoHelper()
	files := filesOf(o.reports())
	if gone && len(files) == 0 {
		return
	}
	pass := o.code == 0
	for name, content := range files {
		Expect(reportFiles()).To(ContainElement(name), "left behind")
		if info, err := os.Stat(filepath.Join(o.reports(), name)); err == nil && info.IsDir() {
			continue
		}
		Expect(readable(name, []byte(content))).To(Succeed(), name)
		switch name {
		case "report.json":
			var r struct{ Verdict string }
			Expect(json.Unmarshal([]byte(content), &r)).To(Succeed())
			Expect(r.Verdict == "pass").To(Equal(pass), name)
			Expect(r.Verdict).To(Or(Equal("pass"), Equal("error")))
		case "junit.xml":
			j, err := readJUnit(o.reports())
			Expect(err).NotTo(HaveOccurred())
			_, errors, _, _ := j.count()
			Expect(errors == 0).To(Equal(pass), name)
		case "summary.md":
			Expect(summaryVerdict.FindStringSubmatch(content)).To(HaveExactElements(Not(BeEmpty()), BeElementOf("pass", "error")))
			Expect(summaryVerdict.FindStringSubmatch(content)[1] == "pass").To(Equal(pass), name)
		case "statement.json":
			Expect(strings.Contains(content, "PASSED")).To(Equal(pass), name)
		case "report.html":
			Expect(pageVerdict.FindStringSubmatch(content)).To(HaveLen(2))
			Expect(pageVerdict.FindStringSubmatch(content)[1] == "pass").To(Equal(pass), name)
		case "evidence.har":
			var h struct {
				Log struct {
					Run struct{ Error *string } `json:"_run"`
				}
			}
			Expect(json.Unmarshal([]byte(content), &h)).To(Succeed())
			Expect(h.Log.Run.Error == nil).To(Equal(pass), name)
		}
	}
}
