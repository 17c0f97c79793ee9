package settings_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var updateGolden = flag.Bool("update-golden", false, "rewrite the README's table of settings")

var _ = Describe("The README", func() {
	It("has the table of all settings between its markers", func() {
		path := filepath.Join("..", "..", "..", "README.md")
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		before, rest, begins := strings.Cut(string(content), "<!-- settings: written by make golden -->\n")
		table, after, ends := strings.Cut(rest, "<!-- end of settings -->")
		Expect(begins && ends).To(BeTrue(), "the markers of the table are missing")
		if *updateGolden {
			Expect(os.WriteFile(path, []byte(strings.Replace(string(content), table, settings.Table(), 1)), 0o644)).To(
				Succeed())
			return
		}
		Expect(before + after).NotTo(ContainSubstring("| setting | flag |"))
		Expect(table).To(Equal(settings.Table()), "to write it: make golden")
	})
})
