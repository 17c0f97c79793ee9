package selftest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// readmeText is the main README with that of the settings, proofText is that of the fixtures.
var readmeText, proofText = readText("README.md") + readText("suites", "internal", "settings", "README.md"),
	readText("fixtures", "README.md")

func readText(path ...string) string {
	content, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	mustSucceed(err)
	return string(content)
}

// readmeFile writes a file into a folder that the README shows in a fence below its name, and returns its path.
func readmeFile(folder, name string) string {
	GinkgoHelper()
	_, after, found := strings.Cut(readmeText, "\n`"+name+"`:\n\n```")
	Expect(found).To(BeTrue(), "the README should show %s", name)
	_, after, _ = strings.Cut(after, "\n") // the fence's language
	content, _, found := strings.Cut(after, "```\n")
	Expect(found).To(BeTrue(), "the fence of %s should end", name)
	return writeFile(folder, name, content)
}

var _ = Describe("The README", func() {
	DescribeTable("shows a users file that can be read", func(name string, comment string) {
		contract := testkit.Contract()
		users, err := population.ReadAll(readmeFile(newFolder(), name), contract, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(Equal([]settings.User{
			{ID: "fbc1af89-7d69-4938-84f7-18fd250c67f3", UserID: "10021", Enrolled: true},
			{ID: "06e3dfa6-4da9-487f-b480-a3145b71d72f", UserID: "not.enrolled", Name: comment},
		}))
	},
		Entry("YAML", "users.yaml", "known, but without an authenticator"),
		Entry("JSON", "users.json", ""),
		Entry("NDJSON", "users.ndjson", ""),
		Entry("CSV", "users.csv", ""),
	)

	It("shows a valid configuration file", func() {
		folder := newFolder()
		config := readmeFile(folder, "conformance.yaml")
		readmeFile(folder, "users.yaml")
		writeCertificates(folder)
		Expect(os.Rename(filepath.Join(folder, "ca.pem"), filepath.Join(folder, "private-ca.pem"))).To(Succeed())
		writeFile(folder, "token.txt", "token-of-the-readme\n")
		writeFile(folder, "signature.txt", "signature-of-the-readme\n")
		contract := testkit.Contract()

		s, err := settings.Read(settings.Run, nil, nil,
			[]string{"AUTHN_CONFIG=" + config, "GATEWAY_KEY=key-of-the-readme"}).
			Resolve(settings.Defaults{}, contract, time.Now())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeFalse())
		Expect(s.URLs).To(HaveLen(2))
		Expect(s.Users).To(HaveLen(2))
		Expect(s.Headers).To(HaveLen(3))
		Expect(s.Waivers).To(HaveLen(1 + 1 + 8 + 1))
		Expect(s.Ignore).To(HaveLen(1))
	})

	DescribeTable("says how many services the proof has", func(line string, count int) {
		Expect(count).To(BeNumerically(">", 0))
		Expect(proofText).To(MatchRegexp(`(?m)^%s +%d/%d$`, line, count, count))
	},
		Entry("mutants that are killed", "mutants killed", len(mutants.All())),
		Entry("mutants that are diagnosed", "mutants diagnosed", len(mutants.All())),
		Entry("conforming services", "conforming passed", len(conforming.All())),
		Entry("hostile targets", "hostile survived", len(hostile.All())),
	)

	It("names only make targets that exist", func() {
		makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
		Expect(err).NotTo(HaveOccurred())
		named := regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)").FindAllStringSubmatch(readmeText, -1)
		Expect(named).NotTo(BeEmpty())
		for _, target := range named {
			Expect(string(makefile)).To(MatchRegexp("(?m)^%s:", target[1]))
		}
	})

	It("names only requirements that exist", func() {
		contract := testkit.Contract()
		named := regexp.MustCompile(`(?:\b(?:open|excluded)/)?\b\d(?:\.\d)?/[A-Za-z/-]+`).FindAllString(readmeText, -1)
		Expect(named).NotTo(BeEmpty())
		for _, id := range named {
			// An anchor in the page, such as 2.1/CreatedOn/v5, has the version after the id.
			_, known := contract.Requirement(strings.TrimSuffix(id, "/v"))
			Expect(known).To(BeTrue(), id)
		}
	})
})
