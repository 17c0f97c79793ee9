package settings_test

import (
	"strings"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

// designed is the table of DESIGN section 4: flag, variable and key of each setting.
func designed() [][3]string {
	return [][3]string{
		{"--target-url", "AUTHN_TARGET_URL", "target.url"},
		{"--target-url-v5", "AUTHN_TARGET_URL_V5", "target.v5.url"},
		{"--target-url-v6", "AUTHN_TARGET_URL_V6", "target.v6.url"},
		{"", "AUTHN_ACCESS_TOKEN", ""},
		{"--access-token-file", "AUTHN_ACCESS_TOKEN_FILE", "target.accessTokenFile"},
		{"--application-id", "AUTHN_APPLICATION_ID", "target.applicationId"},
		{"--ca", "AUTHN_CA", "target.ca"},
		{"--client-cert", "AUTHN_CLIENT_CERT", "target.clientCert"},
		{"--client-key", "AUTHN_CLIENT_KEY", "target.clientKey"},
		{"", "", "target.headers"},
		{"--users", "AUTHN_USERS", "users"},
		{"--versions", "AUTHN_VERSIONS", "versions"},
		{"--report-dir", "AUTHN_REPORT_DIR", "reportDir"},
		{"--config", "AUTHN_CONFIG", ""},
		{"--concurrency", "AUTHN_CONCURRENCY", "concurrency"},
		{"--rate", "AUTHN_RATE", "rate"},
		{"--timeout", "AUTHN_TIMEOUT", "timeout"},
		{"--deadline", "AUTHN_DEADLINE", "deadline"},
		{"--parity", "AUTHN_PARITY", "parity.mode"},
		{"", "", "parity.ignore"},
		{"--divergence", "AUTHN_DIVERGENCE", "divergence"},
		{"--values", "AUTHN_VALUES", "values"},
		{"", "", "waivers"},
		{"--baseline", "AUTHN_BASELINE", "baseline"},
		{"--label-filter", "", ""},
		{"--focus", "", ""},
	}
}

var _ = Describe("The table of settings", func() {
	It("has the flags, variables and keys of the design, and no other, one row each", func() {
		rows := strings.Split(strings.TrimSpace(settings.Table()), "\n")
		Expect(rows[0]).To(Equal("| setting | flag | environment | key in the file | default | meaning |"))
		Expect(rows[1]).To(Equal("| --- | --- | --- | --- | --- | --- |"))
		var found [][3]string
		for _, row := range rows[2:] {
			cells := strings.Split(row, "|")
			Expect(cells).To(HaveLen(8), row)
			Expect(strings.TrimSpace(cells[1])).NotTo(BeEmpty())
			Expect(strings.TrimSpace(cells[6])).NotTo(BeEmpty())
			var names [3]string
			for i := range names {
				names[i] = strings.Trim(cells[i+2], " `")
			}
			found = append(found, names)
		}
		Expect(found).To(Equal(designed()))
	})

	It("gives the same flags to the command line, each naming its variable", func() {
		want := map[string]string{}
		for _, row := range designed() {
			if row[0] != "" {
				want[strings.TrimPrefix(row[0], "--")] = row[1]
			}
		}
		newFlags(settings.Run).VisitAll(func(f *pflag.Flag) {
			Expect(want).To(HaveKey(f.Name))
			if variable := want[f.Name]; variable != "" {
				Expect(f.Usage).To(HaveSuffix("(" + variable + ")"))
			}
			delete(want, f.Name)
		})
		Expect(want).To(BeEmpty())
	})

	It("shows the defaults in the flags' help", func() {
		usage := newFlags(settings.Run).FlagUsages()
		Expect(usage).To(MatchRegexp(`--concurrency NUMBER .*\(default 8\)`))
		Expect(usage).To(MatchRegexp(`--versions LIST .*\(default v5,v6\)`))
		Expect(usage).To(MatchRegexp(`--report-dir FOLDER .*\(default conformance-report\)`))
		Expect(usage).To(MatchRegexp(`(?m)--target-url URL .*\(AUTHN_TARGET_URL\)$`))
	})

	It("lists the effective settings in its order, each once, none without source", func() {
		s, err := resolve([]string{"AUTHN_ACCESS_TOKEN=" + token}, "--focus", "a", "--label-filter", "read")
		Expect(err).NotTo(HaveOccurred())
		rest := settings.Table()
		for _, e := range s.Effective {
			_, after, found := strings.Cut(rest, "| "+e.Name+" |")
			Expect(found).To(BeTrue(), "%q is missing or out of order", e.Name)
			Expect(e.Source).NotTo(BeEmpty())
			rest = after
		}
		Expect(s.Effective).To(HaveLen(15))
	})
})
