package settings_test

import (
	"crypto/tls"
	"fmt"
	"math"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	programToken  = "token-of-a-program-4Kd8Wq2Zx"
	programSecret = "header-value-of-a-program-7Tz3"
)

// config is the Config of a Go program, with the fields of conformance.Config.
type config struct {
	TargetURL, TargetURLV5, TargetURLV6 string
	AccessToken, ApplicationID          string
	Users                               []settings.User
	Versions                            []string
	TLS                                 *tls.Config
	Header                              http.Header
	Concurrency                         int
	Rate                                float64
	Timeout, Deadline                   time.Duration
	ReportDir, Values                   string
	Parity, Divergence, Baseline        string
	Ignore                              []settings.Ignore
	Waivers                             []settings.Waiver
}

// programConfig is one that is right, changed where a spec needs it.
func programConfig(changes ...func(*config)) config {
	p := config{
		TargetURL: "https://auth.example/iam", AccessToken: programToken, ApplicationID: "calling-module",
		Users: []settings.User{{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

// withHeader gives a program a header.
func withHeader(name string, values ...string) func(*config) {
	return func(p *config) { p.Header[name] = values }
}

func resolveProgram(p config, environ ...string) (*settings.Settings, error) {
	GinkgoHelper()
	return settings.Program{Config: p, AccessToken: p.AccessToken, ApplicationID: p.ApplicationID, Users: p.Users,
		TLS: p.TLS, Header: p.Header}.Resolve(environ, testkit.Contract(), time.Now())
}

var _ = Describe("The settings of a Go program", func() {
	It("have defaults for all that need not be given, and keep nothing on disk", func() {
		s, err := resolveProgram(programConfig())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Versions).To(Equal(schemas.Versions()))
		Expect(s.Concurrency).To(Equal(8))
		Expect(s.Rate).To(BeZero())
		Expect(s.Timeout).To(Equal(10 * time.Second))
		Expect(s.Deadline).To(Equal(10 * time.Minute))
		Expect(s.ParityMode).To(Equal(settings.ParityValue))
		Expect(s.Divergence).To(Equal(settings.DivergenceReport))
		Expect(s.ReportDir).To(BeEmpty())
		Expect(s.Embedded).To(BeFalse())
		Expect(s.Secrets).To(ConsistOf(programToken))
		Expect(fmt.Sprint(s.Effective)).NotTo(ContainSubstring(programToken))
	})

	It("are taken as given", func() {
		secured := &tls.Config{ServerName: "auth.example"}
		s, err := resolveProgram(programConfig(func(p *config) {
			p.TargetURLV6, p.TLS, p.Header = "https://six.example", secured, http.Header{"X-Gateway": {programSecret}}
			p.Concurrency, p.Rate, p.Timeout, p.Deadline, p.ReportDir = 3, 0.5, time.Second, time.Minute, "reports"
		}), "HTTPS_PROXY=http://proxy.example:3128", "AUTHN_RATE=7", "AUTHN_NOT_KNOWN=1")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].String()).To(Equal("https://auth.example/iam"))
		Expect(s.URLs[schemas.V6].String()).To(Equal("https://six.example"))
		Expect(s.TLS.ServerName).To(Equal("auth.example"))
		Expect(s.TLS).NotTo(BeIdenticalTo(secured))
		Expect(s.Headers).To(Equal([]settings.Header{{Name: "X-Gateway", Value: programSecret}}))
		Expect(s.Secrets).To(ContainElement(programSecret))
		Expect([]any{s.Concurrency, s.Rate, s.Timeout, s.Deadline, s.ReportDir}).To(
			Equal([]any{3, 0.5, time.Second, time.Minute, "reports"}))
		Expect(s.Proxies[schemas.V5].Variable).To(Equal("HTTPS_PROXY"))
		Expect(s.Effective).To(ContainElement(settings.Effective{Name: "rate", Value: "0.5", Source: "Config.Rate"}))
	})

	It("need no URL that holds for all versions, and none of a version that is not under test", func() {
		_, err := resolveProgram(programConfig(func(p *config) {
			p.TargetURL, p.TargetURLV5, p.Versions = "", "http://127.0.0.1:1", []string{"v5"}
		}))
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("are refused with the name of the field", func(change func(*config), sentences ...string) {
		s, err := resolveProgram(programConfig(
			func(p *config) { p.Header = http.Header{"X-Gateway": {programSecret}} }, change))
		Expect(s).To(BeNil())
		for _, sentence := range sentences {
			Expect(err).To(MatchError(MatchRegexp("(?m)^" + sentence)))
		}
		Expect(err.Error()).NotTo(Or(ContainSubstring(programToken), ContainSubstring(programSecret)))
	},
		Entry("nothing at all", func(p *config) { *p = config{} },
			`Config\.TargetURL: is empty`, `Config\.AccessToken: is empty`, `Config\.ApplicationID: is empty`,
			`Config\.Users: is empty`),
		Entry("a URL without a scheme", func(p *config) { p.TargetURL = "auth.example" },
			`Config\.TargetURL: does not begin with http`),
		Entry("a blank URL", func(p *config) { p.TargetURLV6 = " " }, `Config\.TargetURLV6: is empty`),
		Entry("a version without a URL", func(p *config) { p.TargetURL, p.TargetURLV5 = "", p.TargetURL },
			`Config\.TargetURLV6: is empty, and v6 is under test`),
		Entry("a token of two lines", func(p *config) { p.AccessToken += "\n" + p.AccessToken },
			`Config\.AccessToken: .*line break`),
		Entry("a blank token", func(p *config) { p.AccessToken = " " }, `Config\.AccessToken: has no token`),
		Entry("a token that is no text", func(p *config) { p.AccessToken = "a\xff" },
			`Config\.AccessToken: the token is not valid UTF-8`),
		Entry("an application of two lines", func(p *config) { p.ApplicationID = "a\nb" },
			`Config\.ApplicationID: .*line break`),
		Entry("no users", func(p *config) { p.Users = nil }, `Config\.Users: is empty`),
		Entry("a user without a GUID", func(p *config) { p.Users[0].ID = "17" },
			`Config\.Users\[0\]\.ID: expected .*GUID.*, got "17"`),
		Entry("a user without an identifier", func(p *config) { p.Users[0].UserID = "" },
			`Config\.Users\[0\]\.UserID: is empty`),
		Entry("a user twice", func(p *config) { p.Users = append(p.Users, p.Users[0]) },
			`Config\.Users\[1\]: the user with ID .* is the same as Config\.Users\[0\]`),
		Entry("nobody enrolled", func(p *config) { p.Users[0].Enrolled = false },
			`Config\.Users: every user is marked NotEnrolled`),
		Entry("an unknown version", func(p *config) { p.Versions = []string{"v5", "v7"} },
			`Config\.Versions: "v7" is not a version`),
		Entry("a version twice", func(p *config) { p.Versions = []string{"v5", "v5"} },
			`Config\.Versions: v5 occurs twice`),
		Entry("two versions in one entry", func(p *config) { p.Versions = []string{"v5,v6"} },
			`Config\.Versions\[0\]: "v5,v6" is not a version`),
		Entry("an empty version", func(p *config) { p.Versions = []string{""} },
			`Config\.Versions\[0\]: "" is not a version`),
		Entry("TLS that is not verified", func(p *config) { p.TLS = &tls.Config{InsecureSkipVerify: true} },
			`Config\.TLS: InsecureSkipVerify is set`),
		Entry("a header with two values", withHeader("X-Gateway", programSecret, "b"),
			`Config\.Header: header X-Gateway has 2 values`),
		Entry("a header with a line break", withHeader("X-Gateway", programSecret+"\n"),
			`Config\.Header: header X-Gateway: its value contains a control character`),
		Entry("a header that stands twice", withHeader("x-gateway", programSecret),
			`Config\.Header: header x-gateway occurs twice`),
		Entry("a header that is no token", withHeader("X "+programSecret, "b"),
			`Config\.Header: a header name that begins with "X" is no token`),
		Entry("a header of the suite", withHeader("Content-Type", "text/plain"),
			`Config\.Header: header Content-Type is set by the suite itself`),
		Entry("a negative concurrency", func(p *config) { p.Concurrency = -1 },
			`Config\.Concurrency: expected a whole number from 1`),
		Entry("a negative rate", func(p *config) { p.Rate = -1 }, `Config\.Rate: expected 0`),
		Entry("a rate that is no number", func(p *config) { p.Rate = math.NaN() },
			`Config\.Rate: expected 0`),
		Entry("a negative timeout", func(p *config) { p.Timeout = -time.Second },
			`Config\.Timeout: expected a duration over 0`),
		Entry("a timeout beyond the bound", func(p *config) { p.Timeout = time.Hour },
			`Config\.Timeout: expected a duration over 0`),
		Entry("a negative deadline", func(p *config) { p.Deadline = -time.Second },
			`Config\.Deadline: expected a duration over 0`),
		Entry("a blank report folder", func(p *config) { p.ReportDir = " " }, `Config\.ReportDir: is empty`),
	)
})
