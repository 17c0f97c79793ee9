package settings_test

import (
	"crypto/tls"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

const (
	programToken  = "token-of-a-program-4Kd8Wq2Zx"
	programSecret = "header-value-of-a-program-7Tz3"
)

// programTarget is the target of one version, with the fields of conformance.Target.
type programTarget struct {
	URL, AccessToken, ApplicationID string
	TLS                             *tls.Config
	Header                          http.Header
	Proxy                           string
	Recorded                        string
	SubjectVersion, SubjectBuild    string
}

// config is the Config of a Go program, with the fields of conformance.Config.
type config struct {
	Targets                             map[string]programTarget
	TargetURL, TargetURLV5, TargetURLV6 string
	AccessToken, ApplicationID          string
	Users                               []exchange.User
	Versions                            []string
	TLS                                 *tls.Config
	Header                              http.Header
	Concurrency                         int
	Rate                                float64
	Timeout, Deadline                   time.Duration
	ReportDir, Values                   string
	Parity, Divergence, Baseline        string
	Ignore                              []settings.Ignore
	Waivers                             []ledger.Waiver
}

// rightConfig has no more than is needed.
func rightConfig() config {
	return config{TargetURL: "https://auth.example/iam", AccessToken: programToken, ApplicationID: "calling-module",
		Users: []exchange.User{{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}}}
}

func resolveProgram(c config, environ ...string) (*settings.Settings, error) {
	return settings.Program{Config: c, Users: c.Users}.Resolve(environ, testkit.Contract(), noonOfToday())
}

var _ = Describe("The settings of a Go program", func() {
	It("have defaults for all that need not be given, and keep nothing on disk", func() {
		s := testkit.Must(resolveProgram(rightConfig()))
		testkit.ExpectGolden("testdata/program-defaults.txt", describeSettings(s, &settings.Settings{}))
	})

	It("may name the record of a version, which then needs no target", func() {
		c := rightConfig()
		c.TargetURL, c.Targets = "", map[string]programTarget{"v5": {Recorded: "v5.ndjson.gz"},
			"v6": {URL: "https://six.example"}}
		s := testkit.Must(resolveProgram(c))
		Expect(s.Recorded["v5"].From).To(Equal("v5.ndjson.gz"))
		Expect(s.Asked()).To(Equal([]schemas.Version{"v6"}))
		Expect(s.Targets["v5"].URL).To(BeNil())
		c.Targets["v6"] = programTarget{URL: "https://six.example", Recorded: "v6.ndjson.gz"}
		_, err := resolveProgram(c)
		Expect(err).To(MatchError(ContainSubstring("conformance judge")))
	})

	It("are taken as given, with the proxy of the environment and none of its settings", func() {
		c := rightConfig()
		c.TargetURLV6, c.Header = "https://six.example", http.Header{"X-Gateway": {programSecret}}
		c.Concurrency, c.Rate, c.Timeout, c.Deadline, c.ReportDir = 3, 0.5, time.Second, time.Minute, "reports"
		until := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
		c.Waivers = []ledger.Waiver{{Requirement: "2.1/Id", Version: "v5", Reason: "r", Until: until}}
		c.Ignore = []settings.Ignore{{Pointer: "/a", Reason: "r"}}
		s := testkit.Must(resolveProgram(c, "HTTPS_PROXY=http://proxy.example:3128", "AUTHN_RATE=7", "AUTHN_NO=1"))
		least := testkit.Must(resolveProgram(rightConfig()))
		testkit.ExpectGolden("testdata/program-given.txt", describeSettings(s, least))
		for _, e := range s.Effective {
			Expect(e.Value).NotTo(Or(ContainSubstring(programToken), ContainSubstring(programSecret)))
		}
	})

	It("are a copy of its TLS configuration, which the program can't change after it was checked", func() {
		c := rightConfig()
		c.TLS = &tls.Config{ServerName: "auth.example"}
		s := testkit.Must(resolveProgram(c))
		Expect(s.Targets["v6"].TLS.ServerName).To(Equal("auth.example"))
		Expect(s.Targets["v6"].TLS).NotTo(BeIdenticalTo(c.TLS))
	})

	It("need no URL that holds for all versions, and none of a version that is not under test", func() {
		c := rightConfig()
		c.TargetURL, c.TargetURLV5, c.Versions = "", "http://127.0.0.1:1", []string{"v5"}
		Expect(testkit.Must(resolveProgram(c)).Targets).To(HaveLen(1))
	})

	const refusedPrograms = "testdata/program.yaml"
	for _, r := range testkit.Cases[struct {
		Name, Says string
		Config     yaml.Node
	}](refusedPrograms) {
		It("are refused with the name of the field and no secret: "+r.Name, func() {
			c := rightConfig()
			c.Header = http.Header{"X-Gateway": {programSecret}}
			Expect(r.Config.Load(&c)).To(Succeed())
			s, err := resolveProgram(c)
			Expect(s).To(BeNil())
			testkit.Says(refusedPrograms, r.Name, r.Says, err)
			Expect(err.Error()).NotTo(Or(ContainSubstring(programToken), ContainSubstring(programSecret)))
		})
	}
})
