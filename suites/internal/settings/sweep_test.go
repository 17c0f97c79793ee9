package settings_test

import (
	"path/filepath"
	"time"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

func resolveSweep(environ []string, args ...string) (*settings.Settings, error) {
	return resolveFor(settings.Sweep, environ, args...)
}

// targetVariables are the settings that a target needs, but for its users.
func targetVariables() []string {
	return []string{"AUTHN_TARGET_URL=https://h", "AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=app"}
}

var _ = Describe("The settings of a sweep", func() {
	It("are those of a run for the embedded reference, without users", func() {
		s, err := resolveSweep(nil)
		Expect(err).NotTo(HaveOccurred())
		run, err := resolveRun(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Users).To(BeEmpty())
		Expect(s.UsersFile).To(BeEmpty())
		Expect(effectiveSetting(s, "users").Value).To(Equal("those of the embedded reference"))
		for _, e := range s.Effective {
			Expect(run.Effective).To(ContainElement(e))
		}
		Expect(s.Effective).To(HaveLen(len(run.Effective) - 2))
		Expect(s.Effective).NotTo(ContainElement(HaveField("Name", BeElementOf("divergence", "deadline"))))
		run.Users, run.Effective, run.Deadline = nil, s.Effective, 0
		Expect(s).To(Equal(run))
	})

	It("have a deadline only where one is given", func() {
		s, err := resolveSweep(targetVariables(), "--users", "u.csv", "--deadline", "3h")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Deadline).To(Equal(3 * time.Hour))
		Expect(effectiveSetting(s, "deadline")).To(Equal(settings.Effective{Name: "deadline", Value: "3h",
			Source: "flag --deadline"}))
	})

	It("need both versions", func() {
		_, err := resolveSweep(targetVariables(), "--users", "u.csv", "--versions", "v5")
		Expect(err).To(MatchError(And(ContainSubstring("--versions"),
			ContainSubstring("compares two versions with each other: give v5,v6"))))
		s, err := resolveSweep(targetVariables(), "--users", "u.csv", "--versions", "v6,v5")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Versions).To(HaveLen(2))
	})

	It("have the flags of a run but for those that speak of a run only", func() {
		want := map[string]bool{}
		newFlags(settings.Run).VisitAll(func(f *pflag.Flag) { want[f.Name] = true })
		for _, name := range []string{"baseline", "label-filter", "focus", "divergence"} {
			Expect(want).To(HaveKey(name))
			delete(want, name)
			Expect(newFlags(settings.Sweep).Parse([]string{"--" + name, "x"})).To(
				MatchError(ContainSubstring("unknown flag: --" + name)))
		}
		fs := newFlags(settings.Sweep)
		fs.VisitAll(func(f *pflag.Flag) {
			Expect(want).To(HaveKey(f.Name))
			delete(want, f.Name)
		})
		Expect(want).To(BeEmpty())
		Expect(fs.Lookup("users").Usage).To(And(ContainSubstring("- is standard input"), HaveSuffix("(AUTHN_USERS)")))
	})

	DescribeTable("name the users file and leave it unread", func(text, want string) {
		s, err := resolveSweep(targetVariables(), "--users", text)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.UsersFile).To(Equal(want))
		Expect(s.Users).To(BeEmpty())
		Expect(effectiveSetting(s, "users")).To(Equal(settings.Effective{Name: "users", Value: text,
			Source: "flag --users"}))
		s, err = resolveSweep(append(targetVariables(), "AUTHN_USERS="+text))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.UsersFile).To(Equal(want))
	},
		Entry(nil, "no-such.csv.gz", "no-such.csv.gz"), Entry(nil, "/no/such.ndjson", "/no/such.ndjson"),
		Entry("standard input", "-", settings.StandardInput), Entry("a file of that name", "./-", "./-"),
		Entry("an unknown format, which is refused when the file is opened", "users", "users"),
	)

	It("resolve the users file against the folder of the configuration file, but not standard input", func() {
		folder := writeFiles("a/one.yaml", "users: u.csv\n", "a/two.yaml", "users: '-'\n")
		s, err := resolveSweep(targetVariables(), "--config", filepath.Join(folder, "a/one.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.UsersFile).To(Equal(filepath.Join(folder, "a/u.csv")))
		s, err = resolveSweep(targetVariables(), "--config", filepath.Join(folder, "a/two.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.UsersFile).To(Equal(settings.StandardInput))
	})

	It("take what speaks of a run only from the environment and the file, where it has no say", func() {
		folder := writeFiles("c.yaml", joinLines("baseline: none.json", "divergence: fail", "concurrency: 3"))
		s, err := resolveSweep([]string{"AUTHN_BASELINE=other.json"}, "--config", filepath.Join(folder, "c.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Concurrency).To(Equal(3))
		Expect(s.Baseline).To(BeEmpty())
		Expect(s.Divergence).To(Equal(settings.DivergenceReport))
		for _, name := range []string{"baseline", "divergence"} {
			Expect(s.Effective).NotTo(ContainElement(HaveField("Name", name)))
		}
	})

	It("of a run name the users file too", func() {
		folder := writeFiles("u.csv", joinLines("id,userId", firstID+",a"), "-", "")
		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token}, "--users", filepath.Join(folder, "u.csv"))
		Expect(err).NotTo(HaveOccurred())
		Expect(s.UsersFile).To(Equal(filepath.Join(folder, "u.csv")))
	})
})
