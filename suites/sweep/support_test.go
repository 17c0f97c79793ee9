package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// testUser is a user of a population; enrolled is nil where the file does not say.
type testUser struct {
	ID       string `json:"id"`
	UserID   string `json:"userId"`
	Enrolled *bool  `json:"enrolled,omitempty"`
}

func enrolledMark(enrolled bool) *bool { return &enrolled }

// writeUsers puts a population into a users file.
func writeUsers(people []testUser) string {
	GinkgoHelper()
	var text bytes.Buffer
	for _, p := range people {
		text.Write(testkit.Must(json.Marshal(p)))
		text.WriteByte('\n')
	}
	path := filepath.Join(GinkgoT().TempDir(), "users.ndjson")
	Expect(os.WriteFile(path, text.Bytes(), 0o600)).To(Succeed())
	return path
}

// usersOf makes a population of the users of the fixtures. Where marked is false the file does not say who is enrolled.
func usersOf(users []fixtures.User, marked bool) []testUser {
	list := make([]testUser, len(users))
	for i, u := range users {
		list[i] = testUser{ID: u.ID, UserID: u.UserID}
		if marked {
			list[i].Enrolled = enrolledMark(u.Enrolled)
		}
	}
	return list
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

// limit ends a spec that would hang where the sweep is broken.
const limit = 60 * time.Second

// newSweep is a sweep of a population against a target, not carried out yet.
func newSweep(target string, population []testUser, changes ...change) *sweep.Sweep {
	GinkgoHelper()
	s := testkit.Settings(testkit.Must(url.Parse(target)), nil)
	s.Deadline, s.UsersFile, s.ReportDir = 0, writeUsers(population), GinkgoT().TempDir()
	o := sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}}
	for _, c := range changes {
		c(s, &o)
	}
	return sweep.New(s, testkit.Suite(), o, sweep.Input{})
}

// sweepRun is what a sweep came to.
type sweepRun struct {
	*stats.Summary
	lines  []stats.Finding // of findings.ndjson, in its order
	text   string          // of findings.ndjson
	footer checkpoint.Footer
}

// leftoversOf reads what a sweep left that was carried out.
func leftoversOf(w *sweep.Sweep, err error) *sweepRun {
	GinkgoHelper()
	out := &sweepRun{Summary: w.Summary(time.Now(), err)}
	Expect(err).NotTo(HaveOccurred())
	out.read(filepath.Join(w.Settings.ReportDir, stats.FindingsFile))
	return out
}

// finishSweep sweeps a population against a target.
func finishSweep(target string, population []testUser, changes ...change) *sweepRun {
	GinkgoHelper()
	w := newSweep(target, population, changes...)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return leftoversOf(w, w.Execute(ctx))
}

// sideBySide does n things, several at a time.
func sideBySide(n, atATime int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(atATime)
	for i := range n {
		group.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = group.Wait() // none of them fails
}

func (s *sweepRun) read(path string) {
	GinkgoHelper()
	s.text = string(testkit.Must(os.ReadFile(path)))
	kinds := []string{}
	for line := range strings.Lines(s.text) {
		var kind struct {
			Line string `json:"line"`
		}
		Expect(json.Unmarshal([]byte(line), &kind)).To(Succeed())
		kinds = append(kinds, kind.Line)
		switch kind.Line {
		case checkpoint.FindingLine:
			var f stats.Finding
			Expect(json.Unmarshal([]byte(line), &f)).To(Succeed())
			s.lines = append(s.lines, f)
		case checkpoint.FooterLine:
			Expect(json.Unmarshal([]byte(line), &s.footer)).To(Succeed())
		}
	}
	Expect(kinds).NotTo(BeEmpty())
	Expect(kinds[0]).To(Equal(checkpoint.HeaderLine))
	Expect(kinds[len(kinds)-1]).To(Equal(checkpoint.FooterLine))
	Expect(s.footer.Findings).To(BeEquivalentTo(len(s.lines)))
	Expect(s.footer.Users).To(Equal(s.Tally.Users))
}

// found lists the findings of one user and operation, as "version requirement: kind at pointer".
func (s *sweepRun) found(index int64, op schemas.Operation) []string {
	list := []string{}
	for _, f := range s.lines {
		if f.User.Index != index || f.Operation != op {
			continue
		}
		text := strings.TrimSpace(fmt.Sprintf("%s %s: %s at %s", f.Version, f.Requirement, f.Kind, f.Pointer))
		if f.Waived {
			text += " (waived)"
		}
		list = append(list, text)
	}
	return list
}

// counts are the outcomes of an operation that at least one user had.
func (s *sweepRun) counts(op schemas.Operation) map[stats.Outcome]int64 {
	counts := map[stats.Outcome]int64{}
	for o, share := range s.Tally.Outcomes[op] {
		if share.Count > 0 {
			counts[o] = share.Count
		}
	}
	return counts
}

// serveUntilEnd is a stage or a fixture on a socket, until the spec ends.
func serveUntilEnd(server *httptest.Server) string {
	DeferCleanup(server.Close)
	return server.URL
}
