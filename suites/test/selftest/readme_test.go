package selftest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
)

// readmeText is the main README with those of settings and sweeps, proofText is that of the fixtures.
var readmeText, proofText = readText("README.md") + readText("suites", "internal", "settings", "README.md") +
	readText("suites", "sweep", "README.md"), readText("fixtures", "README.md")

func readText(path ...string) string {
	content, err := os.ReadFile(filepath.Join(append([]string{"..", "..", ".."}, path...)...))
	mustSucceed(err)
	return string(content)
}

// readmeFile writes a file into a folder that the README shows in a fence below its name, and returns its path.
func readmeFile(folder, name string) string {
	GinkgoHelper()
	shown := regexp.MustCompile("(?s)\n`" + name + "`:\n\n```\\w*\n(.*?)```\n").FindStringSubmatch(readmeText)
	Expect(shown).NotTo(BeNil(), "the README should show %s", name)
	return writeFile(folder, name, shown[1])
}

// readmeSettings writes the README's configuration file, and the files that it names, into a folder.
func readmeSettings(folder, token string) (config string) {
	GinkgoHelper()
	readmeFile(folder, "users.yaml")
	writeCertificates(folder)
	Expect(os.Rename(filepath.Join(folder, "ca.pem"), filepath.Join(folder, "private-ca.pem"))).To(Succeed())
	writeFile(folder, "token.txt", token+"\n")
	writeFile(folder, "signature.txt", "signature-of-the-readme\n")
	return readmeFile(folder, "conformance.yaml")
}

var _ = Describe("The README", func() {
	DescribeTable("shows a users file that can be read,", func(name string, comment string) {
		users, _, err := users.ReadAll(readmeFile(newFolder(), name), testkit.Contract(), false)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(Equal([]exchange.User{
			{ID: "fbc1af89-7d69-4938-84f7-18fd250c67f3", UserID: "10021", Enrolled: true},
			{ID: "06e3dfa6-4da9-487f-b480-a3145b71d72f", UserID: "not.enrolled", Name: comment},
		}))
	},
		Entry("in YAML", "users.yaml", "known, but without an authenticator"),
		Entry("in JSON", "users.json", ""), Entry("in NDJSON", "users.ndjson", ""), Entry("in CSV", "users.csv", ""),
	)

	It("shows a valid configuration file", func() {
		s := testkit.Must(settings.Read(settings.Run, nil, nil, []string{
			"AUTHN_CONFIG=" + readmeSettings(newFolder(), "token-of-the-readme"), "GATEWAY_KEY=key-of-the-readme",
		}).Resolve(settings.Defaults{}, testkit.Contract(), time.Now()))
		Expect(s.Embedded).To(BeFalse())
		Expect([]int{len(s.Targets), len(s.Users), len(s.Targets["v6"].Headers), len(s.Waivers), len(s.Ignore)}).To(
			Equal([]int{2, 2, 3, 1 + 1 + 8 + 1, 1}))
	})

	It("of the fixtures says how many services the proof has", func() {
		for line, count := range map[string]int{"mutants killed": len(mutants.All()),
			"mutants diagnosed": len(mutants.All()), "conforming passed": len(conforming.All()),
			"hostile survived": len(hostile.All())} {
			Expect(proofText).To(MatchRegexp(`(?m)^%s +%d/%d$`, line, count, count))
		}
	})

	It("has at most 2,200 words, and what it names exists", func() {
		text := readText("README.md")
		Expect(len(strings.Fields(text))).To(BeNumerically("<=", 2200))
		links := regexp.MustCompile(`\]\(([^)#]+)`).FindAllStringSubmatch(text, -1)
		Expect(links).NotTo(BeEmpty())
		for _, link := range links {
			Expect(filepath.Join("..", "..", "..", link[1])).To(BeAnExistingFile())
		}
		for _, link := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(text, -1) {
			Expect(strings.ToLower(text)).To(MatchRegexp(`(?m)^#+ ` + strings.ReplaceAll(link[1], "-", " ") + `$`))
		}
	})

	It("asks of a certificate no more users than are enrolled in its example", func() {
		users, _, err := users.ReadAll(readmeFile(newFolder(), "users.yaml"), testkit.Contract(), false)
		Expect(err).NotTo(HaveOccurred())
		enrolled := len(slices.DeleteFunc(users, func(u exchange.User) bool { return !u.Enrolled }))
		Expect(readmeText).To(ContainSubstring("--users-at-least %d\n", enrolled))
	})

	It("of the recipes links each of them", func() {
		text, folder := readText("suites", "recipes", "README.md"), filepath.Join("..", "..", "recipes")
		for _, file := range testkit.Must(os.ReadDir(folder)) {
			if file.Name() != "README.md" {
				Expect(text).To(ContainSubstring("](" + file.Name() + ")"))
			}
		}
	})

	It("names only make targets and requirements that exist", func() {
		makefile := readText("Makefile")
		targets := regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)").FindAllStringSubmatch(readmeText, -1)
		Expect(targets).NotTo(BeEmpty())
		for _, target := range targets {
			Expect(makefile).To(MatchRegexp("(?m)^%s:", target[1]))
		}
		ids := regexp.MustCompile(`(?:\b(?:open|excluded)/)?\b\d(?:\.\d)?/[A-Za-z/-]+`).FindAllString(readmeText, -1)
		Expect(ids).NotTo(BeEmpty())
		for _, id := range ids {
			// An anchor in the page, such as 2.1/CreatedOn/v5, has the version after the id.
			_, known := testkit.Contract().Requirement(strings.TrimSuffix(id, "/v"))
			Expect(known).To(BeTrue(), id)
		}
	})
})
