package selftest_test

import (
	"os"
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The OpenAPI document that the binary writes", func() {
	DescribeTable("is taken by a validator", func(format string, flags ...string) {
		lint := func(document string) ([]byte, error) {
			// Two rules are about what the document leaves open: a license, and with what status a request is refused
			// (§7).
			cmd := exec.Command(npmTool("redocly"), "lint", "--extends=recommended-strict", "--skip-rule=info-license",
				"--skip-rule=operation-4xx-response", document)
			cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
			return cmd.CombinedOutput()
		}
		document := openAPIDocument(format, flags...)
		output, err := lint(document)
		Expect(err).NotTo(HaveOccurred(), "%s", output)

		content, err := os.ReadFile(document)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(content)).To(ContainSubstring("2034-12-31T23:59:59Z"))
		broken := strings.Replace(string(content), "2034-12-31T23:59:59Z", "2034-12-31", 1)
		output, err = lint(writeFile(newFolder(), "openapi."+format, broken))
		Expect(err).To(HaveOccurred(), "an example that breaks its schema should be refused: %s", output)
	},
		Entry("in YAML", "yaml"),
		Entry("in JSON", "json"),
		Entry("with a server", "yaml", "--target-url", "https://access.acme.test/prefix"),
		Entry("with a server for each version", "json",
			"--target-url-v5", "https://five.acme.test", "--target-url-v6", "https://six.acme.test"),
		Entry("of one version", "yaml", "--versions", "v6"),
	)

	It("makes a mock that keeps the contract, but for tokens, of which a mock knows none", func() {
		url := startPrism(openAPIDocument("yaml"))
		ordinary := knownUsers()[0]
		users := writeFile(newFolder(), "users.csv", "id,userId\n"+ordinary.ID+","+ordinary.UserID+"\n")
		r := command{args: []string{"run", "--target-url", url, "--users", users}, env: credentials()}.run()
		report := checkRun(r)
		Expect(report.Complete).To(BeTrue(), "%s", r)
		Expect(report.rows("fail")).To(ConsistOf("v5 5.1/getUserAuth/token", "v5 5.1/findByUserIds/token",
			"v6 5.1/getUserAuth/token", "v6 5.1/findByUserIds/token"), "%s", r)
		Expect(report.rows("inconclusive")).To(BeEmpty())
		Expect(report.rows("pass")).To(ContainElements("v5 2.1/CreatedOn", "v6 2.2/Model", "v5 2.3/identifiers",
			"v5=v6 9.3/getUserAuth/shape", "v5=v6 9.3/findByUserIds/shape", "v6 4.1/AccessToken/required"))
	})
})
