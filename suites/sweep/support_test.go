package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// TestPackage runs the specs of the package.
func TestPackage(t *testing.T) { testkit.Specs(t, "sweep") }

// testUser is a user of a population; Enrolled is nil if the users file does not say.
type testUser struct {
	ID       string `json:"id"`
	UserID   string `json:"userId"`
	Enrolled *bool  `json:"enrolled,omitempty"`
}

// inventedUsers are user-0, user-1 and so on.
func inventedUsers(n int) []testUser {
	list := make([]testUser, n)
	for i := range list {
		list[i] = testUser{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: fmt.Sprintf("user-%d", i)}
	}
	return list
}

// validFor is the reference for so many of them.
func validFor(n int) http.Handler {
	var users []fixtures.User
	for _, p := range inventedUsers(n) {
		users = append(users, fixtures.User{ID: p.ID, UserID: p.UserID, Enrolled: true})
	}
	return reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
}

// fakeTarget is a target on a socket, and how many requests it got.
type fakeTarget struct {
	*url.URL
	requests atomic.Int64
	most     atomic.Int64 // after so many requests stop is called; 0: never
	stop     context.CancelFunc
}

// stopAfter executes a sweep that is stopped after so many requests.
func (t *fakeTarget) stopAfter(ctx context.Context, w *sweep.Sweep, requests int64) {
	GinkgoHelper()
	stoppable, stop := context.WithCancel(ctx)
	defer stop()
	t.stop = stop
	t.most.Store(t.requests.Load() + requests)
	Expect(w.Execute(stoppable, sweep.Watch{Progress: func(sweep.Progress) {}})).To(Succeed()) // it counts the users
	t.most.Store(0)
	Expect(w.Ended).To(BeFalse())
}

// serveAll serves a service.
func serveAll(service http.Handler) *fakeTarget {
	GinkgoHelper()
	return serveExcept(service, func(http.ResponseWriter, *http.Request, int, int64) bool { return false })
}

// answering answers a request, the n-th from 1, for the user with a number. It returns false if it leaves that to the
// service.
type answering func(w http.ResponseWriter, r *http.Request, user int, n int64) bool

// serveExcept serves a service, but for the requests that another one answers.
func serveExcept(service http.Handler, other answering) *fakeTarget {
	GinkgoHelper()
	t := &fakeTarget{}
	t.URL = testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // what can't be read is refused by the reference
		r.Body = io.NopCloser(bytes.NewReader(text))
		var body struct{ UserID string }
		user := -1
		if json.Unmarshal(text, &body) == nil {
			_, _ = fmt.Sscanf(body.UserID, "user-%d", &user)
		}
		n := t.requests.Add(1)
		if most := t.most.Load(); most > 0 && n > most {
			t.stop()
		}
		if !other(w, r, user, n) {
			service.ServeHTTP(w, r)
		}
	}))
	return t
}

// refuseIf answers with a status and a body the requests of which when says so.
func refuseIf(status int, body string, when func(user int, n int64) bool) answering {
	return func(w http.ResponseWriter, _ *http.Request, user int, n int64) bool {
		refuses := when(user, n)
		if refuses {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) // a client that went away has no use for the error
		}
		return refuses
	}
}

// change is what a spec has otherwise than most.
type change func(*settings.Settings, *sweep.Options)

func withConcurrency(n int) change {
	return func(s *settings.Settings, _ *sweep.Options) { s.Concurrency = n }
}

// resumeSweep continues an earlier sweep, with its users.
func resumeSweep(first *sweep.Sweep) change {
	return func(s *settings.Settings, o *sweep.Options) {
		s.ReportDir, s.UsersFile, o.Resume = first.Settings.ReportDir, first.Settings.UsersFile, true
	}
}

// newSweep is a sweep of a population against a target, not carried out yet.
func newSweep(target *url.URL, people []testUser, changes ...change) *sweep.Sweep {
	GinkgoHelper()
	return newWaiting(time.Millisecond, target, people, changes...)
}

// newWaiting is a sweep whose first pause is so long.
func newWaiting(wait time.Duration, target *url.URL, people []testUser, changes ...change) *sweep.Sweep {
	GinkgoHelper()
	var text bytes.Buffer
	for _, p := range people {
		text.Write(append(testkit.Must(json.Marshal(p)), '\n'))
	}
	s := testkit.Settings(target, nil)
	s.Deadline, s.ReportDir = 0, GinkgoT().TempDir()
	s.UsersFile = testkit.Write(GinkgoT().TempDir(), "users.ndjson", text.Bytes())
	o := sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}}
	for _, c := range changes {
		c(s, &o)
	}
	in := sweep.Input{Record: testkit.Must(sweep.OpenRecord(s, testkit.Contract())), FirstWait: wait}
	if s.Record != "" || s.Values == settings.ValuesHide { // the answers of users leave the process
		in.Out = sanitize.New(s, testkit.Contract(), report.Name)
	}
	return sweep.New(s, testkit.Suite(), o, in)
}

// sweepRun is what a sweep came to.
type sweepRun struct {
	*stats.Summary
	findings []stats.Finding // of findings.ndjson, in its order
}

// carryOut carries a sweep out.
func carryOut(w *sweep.Sweep) *sweepRun {
	GinkgoHelper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // for a sweep that is broken
	defer cancel()
	err := w.Execute(ctx, sweep.Watch{})
	Expect(err).NotTo(HaveOccurred())
	run := &sweepRun{Summary: w.Summary(time.Now(), err)}
	for line := range strings.Lines(string(testkit.Read(w.Settings.ReportDir, stats.FindingsFile))) {
		if strings.HasPrefix(line, `{"line":"finding"`) {
			var f stats.Finding
			Expect(json.Unmarshal([]byte(line), &f)).To(Succeed())
			run.findings = append(run.findings, f)
		}
	}
	return run
}

// listOutcomes returns the outcomes of getUserAuth that at least one user had.
func (s *sweepRun) listOutcomes() map[stats.Outcome]int64 {
	counts := map[stats.Outcome]int64{}
	for o, share := range s.Tally.Outcomes[schemas.GetUserAuth] {
		if share.Count > 0 {
			counts[o] = share.Count
		}
	}
	return counts
}
