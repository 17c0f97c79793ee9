package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

// token stands in every place where a token may be given; no error may repeat any long part of it.
const token = "tok-7f3a9c51d2e84b60"

const (
	firstID  = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01"
	secondID = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f02"
	today    = "2027-01-31"
)

func referenceDefaults() settings.Defaults {
	return settings.Defaults{
		AccessToken:   "default-token-of-the-reference",
		ApplicationID: "default-application",
		Users:         []settings.User{{ID: firstID, UserID: "reference-user", Enrolled: true}},
	}
}

// noonOf is a moment inside a day, in UTC.
func noonOf(day string) time.Time {
	t, err := time.Parse(time.RFC3339, day+"T12:00:00Z")
	Expect(err).NotTo(HaveOccurred())
	return t
}

// writeFiles puts files, given as name and content in turn, into a folder of the spec's own and yields the folder.
func writeFiles(namesAndContents ...string) string {
	folder := GinkgoT().TempDir()
	for pair := range slices.Chunk(namesAndContents, 2) {
		path := filepath.Join(folder, pair[0])
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(pair[1]), 0o600)).To(Succeed())
	}
	return folder
}

func newFlags(c settings.Command) *pflag.FlagSet {
	fs := pflag.NewFlagSet("command", pflag.ContinueOnError)
	settings.AddFlags(c, fs)
	return fs
}

// resolveFor resolves the settings of a command whose flags can be parsed.
func resolveFor(c settings.Command, environ []string, args ...string) (*settings.Settings, error) {
	fs := newFlags(c)
	Expect(fs.Parse(args)).To(Succeed())
	return settings.Read(c, fs, args, environ).Resolve(referenceDefaults(), testkit.Contract(), noonOf(today))
}

func resolveRun(environ []string, args ...string) (*settings.Settings, error) {
	return resolveFor(settings.Run, environ, args...)
}

// resolveWithURL resolves the settings of a run against a deployed target. What is not given of the URL, the
// application id and the users comes from variables.
func resolveWithURL(environ []string, args ...string) (*settings.Settings, error) {
	users := filepath.Join(writeFiles("users.csv", joinLines("id,userId", firstID+",a")), "users.csv")
	return resolveRun(append([]string{"AUTHN_TARGET_URL=https://auth.example", "AUTHN_USERS=" + users,
		"AUTHN_APPLICATION_ID=app"}, environ...), args...)
}

// resolveFileWithURL resolves a configuration file of its own for a deployed target. What the file does not have of the
// URL, the token, the application id and the users comes from variables.
func resolveFileWithURL(content string, relativeTo ...string) (*settings.Settings, error) {
	folder := writeFiles(append([]string{"conformance.yaml", content}, relativeTo...)...)
	return resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token}, "--config", filepath.Join(folder,
		"conformance.yaml"))
}

// resolveFile resolves a configuration file of its own, conformance.yaml, and whatever stands beside it.
func resolveFile(content string, relativeTo ...string) (*settings.Settings, error) {
	folder := writeFiles(append([]string{"conformance.yaml", content}, relativeTo...)...)
	return resolveRun(nil, "--config", filepath.Join(folder, "conformance.yaml"))
}

// expectFault expects an error that has every part, and nothing of the token.
func expectFault(err error, parts ...string) {
	GinkgoHelper()
	Expect(err).To(HaveOccurred())
	for _, part := range parts {
		Expect(err.Error()).To(ContainSubstring(part))
	}
	for at := range len(token) - 5 {
		Expect(err.Error()).NotTo(ContainSubstring(token[at : at+6]))
	}
}

// effectiveSetting finds a setting among those in effect.
func effectiveSetting(s *settings.Settings, name string) settings.Effective {
	GinkgoHelper()
	at := slices.IndexFunc(s.Effective, func(e settings.Effective) bool { return e.Name == name })
	Expect(at).To(BeNumerically(">=", 0), "no effective setting %q among %v", name, s.Effective)
	return s.Effective[at]
}

func joinLines(texts ...string) string { return strings.Join(texts, "\n") + "\n" }
