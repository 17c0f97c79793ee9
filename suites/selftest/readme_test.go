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
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// readme is the text of the README.
func readme() string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	Expect(err).NotTo(HaveOccurred())
	return string(content)
}

// readmeFile writes a file that the README shows, a fence after its name, into a folder.
func readmeFile(folder, name string) string {
	GinkgoHelper()
	_, after, found := strings.Cut(readme(), "\n`"+name+"`:\n\n```")
	Expect(found).To(BeTrue(), "the README should show %s", name)
	_, after, _ = strings.Cut(after, "\n") // the fence's language
	content, _, found := strings.Cut(after, "```\n")
	Expect(found).To(BeTrue(), "the fence of %s should end", name)
	path := filepath.Join(folder, name)
	Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	return path
}

var _ = Describe("The README", func() {
	It("has the table of all settings as the code has it", func() {
		_, table, found := strings.Cut(readme(), "\n| setting |")
		Expect(found).To(BeTrue())
		table, _, _ = strings.Cut("| setting |"+table, "\n\n")
		Expect(table + "\n").To(Equal(settings.Table()))
	})

	DescribeTable("shows a users file that is read", func(name string, comment string) {
		users, err := settings.ReadUsers(readmeFile(GinkgoT().TempDir(), name))
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

	It("shows a configuration file that is taken, with nothing beside it but the files that it names", func() {
		f := front{folder: GinkgoT().TempDir()}
		config := readmeFile(f.folder, "conformance.yaml")
		readmeFile(f.folder, "users.yaml")
		f.writeCertificates()
		Expect(os.Rename(f.file("ca.pem"), f.file("private-ca.pem"))).To(Succeed())
		Expect(os.WriteFile(f.file("token.txt"), []byte("token-of-the-readme\n"), 0o600)).To(Succeed())
		contract, err := schemas.Load()
		Expect(err).NotTo(HaveOccurred())

		s, err := settings.Resolve(nil, []string{"AUTHN_CONFIG=" + config}, settings.Defaults{}, contract, time.Now())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Embedded).To(BeFalse())
		Expect(s.URLs).To(HaveLen(2))
		Expect(s.Users).To(HaveLen(2))
		Expect(s.Headers).To(HaveLen(1))
		Expect(s.Waivers).To(HaveLen(2))
		Expect(s.Ignore).To(HaveLen(1))
	})

	DescribeTable("tells how many services the proof has", func(line string, count int) {
		Expect(count).To(BeNumerically(">", 0))
		Expect(readme()).To(MatchRegexp(`(?m)^%s +%d/%d$`, line, count, count))
	},
		Entry("mutants that are killed", "mutants killed", len(mutants.All())),
		Entry("mutants that are diagnosed", "mutants diagnosed", len(mutants.All())),
		Entry("conforming services", "conforming passed", len(conforming.All())),
		Entry("hostile targets", "hostile survived", len(hostile.All())),
	)

	It("names no make target that there is not", func() {
		makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
		Expect(err).NotTo(HaveOccurred())
		named := regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)").FindAllStringSubmatch(readme(), -1)
		Expect(named).NotTo(BeEmpty())
		for _, target := range named {
			Expect(string(makefile)).To(MatchRegexp("(?m)^%s:", target[1]))
		}
	})

	It("names no requirement that there is not", func() {
		contract, err := schemas.Load()
		Expect(err).NotTo(HaveOccurred())
		named := regexp.MustCompile(`\b\d(?:\.\d)?/[A-Za-z/]+`).FindAllString(readme(), -1)
		Expect(named).NotTo(BeEmpty())
		for _, id := range named {
			_, known := contract.Requirement(strings.TrimSuffix(id, "/v")) // of a place in the page, such as 2.1/CreatedOn/v5
			Expect(known).To(BeTrue(), id)
		}
	})
})
