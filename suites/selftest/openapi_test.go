package selftest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The OpenAPI document that the binary writes", func() {
	DescribeTable("is accepted by a validator", func(format string, flags ...string) {
		lint := func(document string) ([]byte, error) {
			// The skipped rules require what the contract leaves open: a license, and the status of refusals (§7).
			cmd := exec.Command(npmTool("redocly"), "lint", "--extends=recommended-strict", "--skip-rule=info-license",
				"--skip-rule=operation-4xx-response", document)
			cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
			return cmd.CombinedOutput()
		}
		document := openAPIDocument(format, flags...)
		output, err := lint(document)
		Expect(err).NotTo(HaveOccurred(), "%s", output)

		content := string(testkit.Read(document))
		Expect(content).To(ContainSubstring("2034-12-31T23:59:59Z"))
		broken := strings.Replace(content, "2034-12-31T23:59:59Z", "2034-12-31", 1)
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

	It("gives a mock server that keeps the contract, except that it accepts any token", func() {
		url := startPrism(openAPIDocument("yaml"))
		ordinary := kit.Users()[0]
		users := writeFile(newFolder(), "users.csv", "id,userId\n"+ordinary.ID+","+ordinary.UserID+"\n")
		r := command{args: []string{"run", "--target-url", url, "--users", users},
			env: credentialsWith(fixtures.AccessToken)}.runToEnd()
		report := checkRun(r)
		Expect(report.Complete).To(BeTrue(), "%s", r)
		Expect(report.rowsOf("fail")).To(ConsistOf("v5 5.1/getUserAuth/token", "v5 5.1/findByUserIds/token",
			"v6 5.1/getUserAuth/token", "v6 5.1/findByUserIds/token"), "%s", r)
		Expect(report.rowsOf("inconclusive")).To(BeEmpty())
		Expect(report.rowsOf("pass")).To(ContainElements("v5 2.1/CreatedOn", "v6 2.2/Model", "v5 2.3/identifiers",
			"v5=v6 9.3/getUserAuth/shape", "v5=v6 9.3/findByUserIds/shape", "v6 4.1/AccessToken/required"))
	})
})

// npmTool returns the path of a program that `npm ci --prefix .ci` installs: redocly validates OpenAPI documents, prism
// mocks them.
func npmTool(name string) string {
	GinkgoHelper()
	return findTool("CONFORMANCE_REQUIRE_OPENAPI", "npm ci --prefix .ci",
		testkit.Must(filepath.Abs(filepath.Join("..", "..", ".ci", "node_modules", ".bin", name))))
}

// openAPIDocument writes an OpenAPI document by the binary, and returns its path.
func openAPIDocument(format string, flags ...string) string {
	GinkgoHelper()
	r := command{args: append([]string{"openapi", "--format", format}, flags...)}.runToEnd()
	Expect(r.exitCode).To(BeZero(), "%s", r)
	return writeFile(r.folder, "openapi."+format, r.stdout)
}

// startPrism serves a mock of a document on a free port until the spec ends, and returns its URL.
func startPrism(document string) (url string) {
	GinkgoHelper()
	output := gbytes.NewBuffer()
	cmd := exec.Command(npmTool("prism"), "mock", "--host", "127.0.0.1", "--port", "0", document)
	cmd.Stdout, cmd.Stderr = output, output
	Expect(cmd.Start()).To(Succeed())
	DeferCleanup(func() {
		Expect(cmd.Process.Kill()).To(Succeed())
		_ = cmd.Wait() // its error is that it was killed
	})
	const listening = `listening on (http://127\.0\.0\.1:[0-9]+)`
	Eventually(output.Contents, generousTimeout).Should(MatchRegexp(listening))
	return regexp.MustCompile(listening).FindStringSubmatch(string(output.Contents()))[1]
}
