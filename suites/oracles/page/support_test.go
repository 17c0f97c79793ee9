package page_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
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

// contract is loaded once, as that takes longer than most specs.
var contract = sync.OnceValues(schemas.Load)

// runAgainst carries out a run against a target for users, and makes its report.
func runAgainst(target http.Handler, users []fixtures.User, change ...func(*settings.Settings)) executedRun {
	GinkgoHelper()
	server := httptest.NewServer(target)
	DeferCleanup(server.Close)
	contract, err := contract()
	Expect(err).NotTo(HaveOccurred())
	base, err := url.Parse(server.URL)
	Expect(err).NotTo(HaveOccurred())
	s := &settings.Settings{
		URLs:        map[schemas.Version]*url.URL{schemas.V5: base, schemas.V6: base},
		AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID,
		Versions: schemas.Versions(), Concurrency: 8, Timeout: 10 * time.Second, Deadline: time.Minute,
		ParityMode: settings.ParityValue, Divergence: settings.DivergenceReport,
		Secrets: []string{fixtures.AccessToken},
	}
	for _, u := range users {
		s.Users = append(s.Users, settings.User(u))
	}
	for _, c := range change {
		c(s)
	}
	kept, err := evidence.NewWriter(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(kept.Close)
	suite, err := conformance.Specification(contract)
	Expect(err).NotTo(HaveOccurred())
	r := run.New(s, suite, "0.0.0", kept)
	out := sanitize.New(s, contract, report.Name)
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
