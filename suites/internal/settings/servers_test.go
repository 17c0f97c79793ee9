package settings_test

import (
	"path/filepath"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

var _ = Describe("The servers of the settings", func() {
	servers := func(environ []string, args ...string) (*settings.Settings, error) {
		GinkgoHelper()
		fs := pflag.NewFlagSet("openapi", pflag.ContinueOnError)
		settings.AddFlags(settings.OpenAPI, fs)
		Expect(fs.Parse(args)).To(Succeed())
		return settings.Read(settings.OpenAPI, fs, args, environ).Resolve(settings.Defaults{}, testkit.Contract(),
			noonOf(today))
	}
	urls := func(s *settings.Settings) map[schemas.Version]string {
		shown := map[schemas.Version]string{}
		for v, base := range s.URLs {
			shown[v] = base.String()
		}
		return shown
	}

	It("need nothing else that a target needs", func() {
		s, err := servers(nil, "--target-url", "https://auth.example/x/")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeFalse())
		Expect(urls(s)).To(Equal(map[schemas.Version]string{"v5": "https://auth.example/x",
			"v6": "https://auth.example/x"}))
	})

	It("may be given for each version, in the file and in the environment", func() {
		folder := writeFiles("c.yaml", "target: {v5: {url: 'https://five.example'}}\nusers: none.csv\nrate: 5\n")
		s, err := servers([]string{"AUTHN_TARGET_URL_V6=https://six.example", "AUTHN_USERS=none.csv"},
			"--config", filepath.Join(folder, "c.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(urls(s)).To(Equal(map[schemas.Version]string{"v5": "https://five.example", "v6": "https://six.example"}))
	})

	It("are none without a URL", func() {
		s, err := servers(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeTrue())
		Expect(s.Versions).To(Equal(schemas.Versions()))
	})

	It("are those of the versions under test", func() {
		s, err := servers(nil, "--versions", "v6", "--target-url-v6", "https://six.example")
		Expect(err).NotTo(HaveOccurred())
		Expect(urls(s)).To(Equal(map[schemas.Version]string{"v6": "https://six.example"}))
	})
})
