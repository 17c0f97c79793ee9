package selftest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// requireOpenAPI is the variable that says, as 1, that the specs with the tools of OpenAPI must not be left out.
const requireOpenAPI = "CONFORMANCE_REQUIRE_OPENAPI"

// npmTool is a program that `npm ci --prefix .ci` brings: redocly validates OpenAPI documents, prism mocks them.
func npmTool(name string) string {
	GinkgoHelper()
	path, err := filepath.Abs(filepath.Join("..", "..", ".ci", "node_modules", ".bin", name))
	Expect(err).NotTo(HaveOccurred())
	if path, err = exec.LookPath(path); err == nil {
		return path
	}
	missing := name + " is missing; to run this test: npm ci --prefix .ci"
	if os.Getenv(requireOpenAPI) == "1" {
		Fail(missing + " (" + requireOpenAPI + "=1 says that it must run)")
	}
	Skip(missing)
	return ""
}

// openAPIDocument writes the document of these settings with the binary, and returns its path.
func openAPIDocument(format string, flags ...string) string {
	GinkgoHelper()
	r := command{args: append([]string{"openapi", "--format", format}, flags...)}.run()
	checkStreams(r)
	Expect(r.exitCode).To(BeZero(), "%s", r)
	return writeFile(r.folder, "openapi."+format, r.stdout)
}

// startPrism mocks the service that a document describes, on a port that the system chooses, and returns its URL. It
// ends with the spec.
func startPrism(document string) (url string) {
	GinkgoHelper()
	var output syncBuffer
	cmd := exec.Command(npmTool("prism"), "mock", "--host", "127.0.0.1", "--port", "0", document)
	cmd.Stdout, cmd.Stderr = &output, &output
	Expect(cmd.Start()).To(Succeed())
	DeferCleanup(func() {
		Expect(cmd.Process.Kill()).To(Succeed())
		_ = cmd.Wait() // it says that it was killed
	})
	listening := regexp.MustCompile(`listening on (http://127\.0\.0\.1:[0-9]+)`)
	found := func() []string { return listening.FindStringSubmatch(output.String()) }
	Eventually(found, generousTimeout).Should(HaveLen(2), output.String)
	return found()[1]
}
