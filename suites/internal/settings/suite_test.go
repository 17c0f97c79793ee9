package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

func TestSettings(t *testing.T) { testkit.Specs(t, "Settings") }

// token stands in every place where a token may be given; no error may repeat any long part of it.
const token = "tok-7f3a9c51d2e84b60"

const firstID = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01"

func referenceDefaults() settings.Defaults {
	return settings.Defaults{AccessToken: "default-token-of-the-reference", ApplicationID: "default-application",
		Users: []exchange.User{{ID: firstID, UserID: "reference-user", Enrolled: true}}}
}

// noonOfToday is a moment inside the day on which all settings are resolved.
func noonOfToday() time.Time { return time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC) }

// writeFiles puts files, given as name and content in turn, into a folder of the spec's own and returns the folder.
func writeFiles(namesAndContents ...string) string {
	folder := GinkgoT().TempDir()
	for pair := range slices.Chunk(namesAndContents, 2) {
		path := filepath.Join(folder, pair[0])
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(pair[1]), 0o600)).To(Succeed())
	}
	return folder
}

// writeFile puts a file into a folder of its own and returns its path.
func writeFile(name, content string) string { return filepath.Join(writeFiles(name, content), name) }

func newFlags(c settings.Command) *pflag.FlagSet {
	fs := pflag.NewFlagSet("command", pflag.ContinueOnError)
	settings.AddFlags(c, fs)
	return fs
}

// resolveFor resolves the settings of a command whose flags can be parsed.
func resolveFor(c settings.Command, environ []string, args ...string) (*settings.Settings, error) {
	GinkgoHelper()
	fs := newFlags(c)
	Expect(fs.Parse(args)).To(Succeed())
	return settings.Read(c, fs, args, environ).Resolve(referenceDefaults(), testkit.Contract(), noonOfToday())
}

// resolveRun resolves the settings of a run.
func resolveRun(environ []string, args ...string) (*settings.Settings, error) {
	GinkgoHelper()
	return resolveFor(settings.Run, environ, args...)
}

// resolveDeployed resolves the settings of a run against a deployed target.
func resolveDeployed(args ...string) (*settings.Settings, error) {
	GinkgoHelper()
	users := writeFile("users.csv", "id,userId\n"+firstID+",a\n")
	return resolveRun([]string{"AUTHN_TARGET_URL=https://auth.example", "AUTHN_ACCESS_TOKEN=" + token,
		"AUTHN_APPLICATION_ID=app", "AUTHN_USERS=" + users}, args...)
}

// expectFault expects an error that has every part, and nothing of the token.
func expectFault(err error, parts ...string) {
	GinkgoHelper()
	Expect(err).To(HaveOccurred())
	for _, part := range parts {
		Expect(err.Error()).To(ContainSubstring(part))
	}
	for at := range len(token) - 5 {
		Expect(strings.Contains(err.Error(), token[at:at+6])).To(BeFalse(), "a part of the token in %s", err)
	}
}
