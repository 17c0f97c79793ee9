package settings_test

import (
	"os"
	"strings"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

var _ = Describe("The table of settings", func() {
	It("gives its flags to the command line, each naming its variable", func() {
		fs, flags := newFlags(settings.Run), 0
		for row := range strings.Lines(settings.Table()) {
			cells := strings.Split(row, " | ")
			flag, variable := strings.Trim(cells[1], "`"), strings.Trim(cells[2], "`")
			if !strings.HasPrefix(flag, "--") || flag == "---" {
				continue
			}
			flags++
			f := fs.Lookup(strings.TrimPrefix(flag, "--"))
			Expect(f).NotTo(BeNil(), flag)
			if variable != "" {
				Expect(f.Usage).To(HaveSuffix("(" + variable + ")"))
			}
		}
		fs.VisitAll(func(*pflag.Flag) { flags-- })
		Expect(flags).To(BeZero())
	})

	It("shows the defaults in the flags' help", func() {
		usage := newFlags(settings.Run).FlagUsages()
		Expect(usage).To(MatchRegexp(`--concurrency NUMBER .*\(default 8\)`))
		Expect(usage).To(MatchRegexp(`--versions LIST .*\(default v5,v6\)`))
		Expect(usage).To(MatchRegexp(`--report-dir FOLDER .*\(default conformance-report\)`))
		Expect(usage).To(MatchRegexp(`(?m)--target-url URL .*\(AUTHN_TARGET_URL\)$`))
	})

	It("lists the effective settings in its order, each once, none without source", func() {
		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token}, "--focus", "a", "--label-filter", "read")
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

	It("stands in README.md of this folder between its markers", func() {
		const path = "README.md"
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		before, rest, begins := strings.Cut(string(content), "<!-- settings: written by make golden -->\n")
		table, after, ends := strings.Cut(rest, "<!-- end of settings -->")
		Expect(begins && ends).To(BeTrue(), "the markers of the table are missing")
		if *testkit.UpdateGolden {
			Expect(os.WriteFile(path, []byte(strings.Replace(string(content), table, settings.Table(), 1)), 0o644)).To(
				Succeed())
			return
		}
		Expect(before + after).NotTo(ContainSubstring("| setting | flag |"))
		Expect(table).To(Equal(settings.Table()), "to write it: make golden")
	})
})
