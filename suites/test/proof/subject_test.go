package proof_test

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

var _ = Describe("A certificate names its subject", func() {
	users, _ := fixtures.Users()
	right := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})

	// secured runs against a service over TLS with a Server header.
	secured := func(server string, subject settings.Subject) *settings.Settings {
		service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Server", server)
			right.ServeHTTP(w, r)
		}))
		DeferCleanup(service.Close)
		base := testkit.Must(url.Parse(service.URL))
		s := settingsFor(base, testkit.Contract().Versions...)
		pool := x509.NewCertPool()
		pool.AddCert(service.Certificate())
		testkit.EachTarget(func(t *settings.Target) { t.CA = pool })(s)
		s.Subject, s.Secrets = subject, []string{fixtures.AccessToken}
		return s
	}
	named := settings.Subject{Product: "<b>Access</b>", Version: "9.2", Build: "b1147", Owner: "Example AG",
		ValidFor: 90}

	It("in each report, as its owner names it and as it showed itself, also with hidden values", func(ctx SpecContext) {
		for _, values := range []string{settings.ValuesShow, settings.ValuesHide} {
			s := secured("example/1.0", named)
			s.Values = values
			r, dir := testkit.RunAndReport(ctx, s, testkit.Suite())
			Expect(r.Certifies).To(BeTrue())
			Expect(*r.ValidUntil).To(Equal(time.Now().UTC().AddDate(0, 0, 90).Format(time.DateOnly)))
			for _, v := range testkit.Contract().Versions {
				observed := r.Subject.Observed[v]
				if values == settings.ValuesShow {
					Expect(observed.Server).To(Equal("example/1.0"))
				} else { // it may have a user's value
					Expect(observed.Server).NotTo(Or(BeEmpty(), ContainSubstring("example")))
				}
				Expect(observed.TLS.Key).To(MatchRegexp("^sha256:[0-9a-f]{64}$"))
				Expect(observed.TLS.Issuer).To(ContainSubstring("Acme"))
				Expect(observed.TLS.Until).To(BeTemporally(">", time.Now()))
			}
			for name, text := range map[string]string{
				report.JSONFile: `"build":"b1147"`, report.SummaryFile: "b1147",
				report.PageFile:      "&lt;b&gt;Access&lt;/b&gt;, version 9.2, build b1147, of Example AG",
				report.StatementFile: "valid until " + *r.ValidUntil,
			} {
				content := testkit.Must(os.ReadFile(filepath.Join(dir, name)))
				Expect(strings.ReplaceAll(string(content), `": "`, `":"`)).To(ContainSubstring(text), name)
			}
		}
	})

	It("also if its evidence is judged again, but then it certifies nothing and has no end", func(ctx SpecContext) {
		r, dir := testkit.RunAndReport(ctx, secured("example/1.0", named), testkit.Suite())
		again, _ := testkit.JudgeAgain(ctx, dir, testkit.Suite())
		Expect(again.Subject).To(Equal(r.Subject))
		Expect(again.Fingerprints).To(Equal(r.Fingerprints))
		Expect(again.ValidUntil).To(BeNil())
	})

	It("without a secret that the target or the configuration puts there", func(ctx SpecContext) {
		r, dir := testkit.RunAndReport(ctx, secured("of "+fixtures.AccessToken,
			settings.Subject{Product: fixtures.AccessToken}),
			testkit.Suite())
		Expect(r.Subject.Product + r.Subject.Observed["v5"].Server).NotTo(ContainSubstring(fixtures.AccessToken))
		files := testkit.Must(os.ReadDir(dir))
		for _, f := range files {
			content := testkit.Must(os.ReadFile(filepath.Join(dir, f.Name())))
			Expect(string(content)).NotTo(ContainSubstring(fixtures.AccessToken), f.Name())
		}
	})

	It("and reports of other users or settings have another fingerprint", func(ctx SpecContext) {
		target := secured("example/1.0", named)
		prints := func(change func(*settings.Settings)) string {
			s := *target
			change(&s)
			r, _ := testkit.RunAndReport(ctx, &s, testkit.Suite())
			return r.Fingerprints.String()
		}
		same := prints(func(*settings.Settings) {})
		Expect(prints(func(s *settings.Settings) { s.Subject.Build, s.Rate = "b2", 1000 })).To(Equal(same))
		Expect(prints(func(s *settings.Settings) { s.Users = s.Users[:5] })).NotTo(Equal(same))
		Expect(prints(func(s *settings.Settings) { s.ParityMode = settings.ParityShape })).NotTo(Equal(same))
	})
})

var _ = Describe("A sweep names its subject", func() {
	It("in its summary and its heading", func(ctx SpecContext) {
		s := settingsFor(serveEdition(testkit.Contract(), deviation{}), testkit.Contract().Versions...)
		s.Subject = settings.Subject{Product: "Access", Build: "b7"}
		s.UsersFile = testkit.Write(GinkgoT().TempDir(), "users.ndjson", testkit.UsersNDJSON())
		w := sweep.New(s, testkit.Suite(), sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}},
			sweep.Input{Out: sanitize.New(s, testkit.Contract(), report.Name)})
		Expect(w.Heading()).To(MatchRegexp("fingerprint: contract [0-9a-f]{8}, settings [0-9a-f]{8}\n"))
		Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
		summary := w.Summary(time.Now(), nil)
		Expect(summary.Subject.String()).To(Equal("Access, build b7"))
		Expect(summary.Subject.Observed).To(HaveLen(2))
		Expect(summary.Document().Head).To(ContainElements(report.Fact{Name: "Product", Value: "Access, build b7"},
			HaveField("Name", "Fingerprint")))
	})
})
