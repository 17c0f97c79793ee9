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

var _ = Describe("schemas/openapi.yaml", func() {
	schemas := filepath.Join("..", "..", "..", "schemas")

	It("is accepted by a validator, which refuses an example that breaks its schema", func() {
		lint := func(document string) ([]byte, error) {
			// The skipped rules require what the contract leaves open: a license, and the status of refusals (§7).
			cmd := exec.Command(npmTool("redocly"), "lint", "--extends=recommended-strict", "--skip-rule=info-license",
				"--skip-rule=operation-4xx-response", document)
			cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
			return cmd.CombinedOutput()
		}
		output, err := lint(filepath.Join(schemas, "openapi.yaml"))
		Expect(err).NotTo(HaveOccurred(), "%s", output)

		folder := newFolder()
		Expect(os.CopyFS(folder, os.DirFS(schemas))).To(Succeed())
		document := filepath.Join(folder, "openapi.yaml")
		content := string(testkit.Read(document))
		Expect(content).To(ContainSubstring("2034-12-31T23:59:59Z"))
		writeFile(folder, "openapi.yaml", strings.Replace(content, "2034-12-31T23:59:59Z", "2034-12-31", 1))
		output, err = lint(document)
		Expect(err).To(HaveOccurred(), "%s", output)
	})

	It("gives a mock server that keeps the contract, except that it accepts any token", func() {
		url := startPrism(filepath.Join(schemas, "openapi.yaml"))
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
		testkit.Must(filepath.Abs(filepath.Join("..", "..", "..", ".ci", "node_modules", ".bin", name))))
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
