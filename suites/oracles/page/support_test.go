package page_test

import (
	"bytes"
	"context"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// ended is when the runs of these specs end.
var ended = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// executedRun is a run and its exchanges.
type executedRun struct {
	report *report.Report
	shelf  evidence.Store
}

func (e executedRun) page() string {
	GinkgoHelper()
	return pageOf(e.report, e.shelf)
}

// pageOf is the page of a report.
func pageOf(r *report.Report, shelf evidence.Store) string {
	GinkgoHelper()
	var out bytes.Buffer
	Expect(page.Write(&out, r, shelf)).To(Succeed())
	return out.String()
}

// runAgainst carries out a run against a target for users, and makes its report.
func runAgainst(target http.Handler, users []fixtures.User, change ...func(*settings.Settings)) executedRun {
	GinkgoHelper()
	s := testkit.Settings(testkit.Serve(target), users,
		append([]func(*settings.Settings){func(s *settings.Settings) { s.Concurrency = 8 }}, change...)...)
	kept := testkit.Must(evidence.NewWriter(GinkgoT().TempDir()))
	DeferCleanup(kept.Close)
	r := run.New(s, testkit.Suite(), "0.0.0", kept)
	out := sanitize.New(s, testkit.Contract(), report.Name)
	kept.ForRun(r.Requests, out)
	failure := r.Execute(context.Background())
	r.Finished = ended
	return executedRun{report.New(r, out, failure), kept}
}

// fixtureUsers are the users of the fixtures.
func fixtureUsers() []fixtures.User {
	GinkgoHelper()
	users, err := fixtures.Users()
	Expect(err).NotTo(HaveOccurred())
	return users
}

// referenceFor is the reference service.
func referenceFor(users []fixtures.User) http.Handler {
	return reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
}

// runMutant carries out a run against a service that breaks one thing.
func runMutant(name string, change ...func(*settings.Settings)) executedRun {
	GinkgoHelper()
	m, ok := mutants.Find(name)
	Expect(ok).To(BeTrue(), "there is no mutant %s", name)
	return runAgainst(m.Handler(referenceFor(fixtureUsers())), fixtureUsers(), change...)
}
