package settings_test

import (
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

var _ = Describe("Precedence", func() {
	It("lets the environment beat the file, and a flag beat both, and tells the source", func() {
		folder := writeFiles("conformance.yaml", joinLines("concurrency: 2", "rate: 3", "timeout: 4s"))
		config := filepath.Join(folder, "conformance.yaml")
		s, err := resolveRun([]string{"AUTHN_CONFIG=" + config, "AUTHN_RATE=5", "AUTHN_TIMEOUT=6s"}, "--timeout", "7s")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Concurrency).To(Equal(2))
		Expect(s.Rate).To(Equal(5.0))
		Expect(s.Timeout.String()).To(Equal("7s"))
		Expect(s.Effective).To(ContainElements(
			settings.Effective{Name: "concurrency", Value: "2", Source: "file " + config + ":1"},
			settings.Effective{Name: "rate", Value: "5", Source: "environment AUTHN_RATE"},
			settings.Effective{Name: "timeout", Value: "7s", Source: "flag --timeout"},
			settings.Effective{Name: "deadline", Value: "10m", Source: "default"},
			settings.Effective{Name: "configuration file", Value: config, Source: "environment AUTHN_CONFIG"},
		))
	})

	It("does not judge what a stronger source covers", func() {
		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_RATE=much", "AUTHN_USERS=no-such.csv"},
			"--rate", "1",
			"--users", filepath.Join(writeFiles("u.csv", joinLines("id,userId", firstID+",a")), "u.csv"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Rate).To(Equal(1.0))
	})

	It("takes the later of two variables of one name, as a child process would", func() {
		s, err := resolveRun([]string{"AUTHN_RATE=1", "AUTHN_RATE=2"})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Rate).To(Equal(2.0))
	})

	It("resolves relative paths of the file against its folder, others against the working folder", func() {
		folder := writeFiles("ci/conformance.yaml", joinLines("reportDir: out", "baseline: ../base.json",
			"users: users.csv"),
			"ci/users.csv", joinLines("id,userId", firstID+",a"))
		deployed := []string{"AUTHN_TARGET_URL=https://auth.example", "AUTHN_ACCESS_TOKEN=" + token,
			"AUTHN_APPLICATION_ID=app"}
		s, err := resolveRun(deployed, "--config", filepath.Join(folder, "ci/conformance.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.ReportDir).To(Equal(filepath.Join(folder, "ci/out")))
		Expect(s.Baseline).To(Equal(filepath.Join(folder, "base.json")))
		Expect(s.Users).To(HaveLen(1))

		s, err = resolveRun(append(deployed, "AUTHN_BASELINE=base.json"), "--config", filepath.Join(folder,
			"ci/conformance.yaml"),
			"--report-dir", "here")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.ReportDir).To(Equal("here"))
		Expect(s.Baseline).To(Equal("base.json"))
	})

	It("keeps an absolute path of the file as it is", func() {
		s, err := resolveFile("reportDir: /var/reports\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.ReportDir).To(Equal("/var/reports"))
	})

	It("names every unknown variable once, in order", func() {
		_, err := resolveRun([]string{"AUTHN_ZZZ=1", "AUTHN_AAA=1", "AUTHN_AAA=2"})
		Expect(err).To(MatchError(MatchRegexp(`(?s)^the variable AUTHN_AAA .*\nthe variable AUTHN_ZZZ [^\n]*$`)))
	})

	It("leaves variables of others alone", func() {
		_, err := resolveRun([]string{"AUTH_TOKEN=x", "AUTHNX=1", "PATH=/bin", "=C:=x", "broken", "MY_AUTHN_RATE=-"})
		Expect(err).NotTo(HaveOccurred())
	})

	It("refuses a setting given as nothing, whatever its source", func() {
		_, err := resolveRun([]string{"AUTHN_ACCESS_TOKEN="})
		expectFault(err, "AUTHN_ACCESS_TOKEN: is empty: leave it out or give a value")
		newFlags(settings.Run).VisitAll(func(f *pflag.Flag) {
			_, variable, _ := strings.Cut(strings.TrimSuffix(f.Usage, ")"), "(AUTHN_")
			for _, nothing := range []string{"", "  ", "\t"} {
				_, err := resolveRun(nil, "--"+f.Name+"="+nothing)
				expectFault(err, "--"+f.Name+": is empty: leave it out or give a value")
				if variable != "" {
					_, err = resolveRun([]string{"AUTHN_" + variable + "=" + nothing})
					expectFault(err, "AUTHN_"+variable+": is empty: leave it out or give a value")
				}
			}
		})
	})
})
