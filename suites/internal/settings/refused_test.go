package settings_test

import (
	"maps"
	"path/filepath"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const refusedFile = "testdata/refused.yaml"

// refusal is a case of refusedFile.
type refusal struct {
	Name, Command, Config, Says string
	Given, Environment, Flags   []string
	Files                       map[string]string
}

var _ = Describe("Settings are refused in words that name their place, what was expected, and nothing of a secret",
	func() {
		commands := map[string]settings.Command{"": settings.Run, "plan": settings.Plan, "sweep": settings.Sweep,
			"judge": settings.Judge, "openapi": settings.OpenAPI}
		given := map[string]string{"url": "AUTHN_TARGET_URL=https://auth.example",
			"token":       "AUTHN_ACCESS_TOKEN=" + token,
			"application": "AUTHN_APPLICATION_ID=app", "users": "AUTHN_USERS=users.csv"}

		for _, c := range testkit.Cases[refusal](refusedFile) {
			It(c.Name, func() {
				certificate, key := selfSigned()
				_, other := selfSigned()
				files := map[string]string{"users.csv": joinLines("id,userId", firstID+",a"), "token": token + "\n",
					"cert.pem": certificate, "key.pem": key, "other.pem": other}
				if c.Config != "" {
					files["conformance.yaml"] = c.Config
					c.Flags = append(c.Flags, "--config", "conformance.yaml")
				}
				maps.Copy(files, c.Files)
				var pairs []string
				for name, content := range files {
					pairs = append(pairs, name, content)
				}
				for _, what := range c.Given {
					c.Environment = append(c.Environment, given[what])
				}
				Expect(commands).To(HaveKey(c.Command))
				golden := testkit.Must(filepath.Abs(refusedFile))
				GinkgoT().Chdir(writeFiles(pairs...))
				_, err := resolveFor(commands[c.Command], c.Environment, c.Flags...)
				testkit.Says(golden, c.Name, c.Says, err)
				expectFault(err)
				Expect(err.Error()).NotTo(ContainSubstring(key))
			})
		}
	})
