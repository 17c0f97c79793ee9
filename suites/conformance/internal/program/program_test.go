// Package program_test uses the public API as other Go programs do: from a module that is not this one, whose test
// binaries it builds and runs.
package program_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/conformance"
)

func TestRegister(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Register")
}

// The test binaries of the module: one suite as the README shows it, and one that does what a variable tells it.
var contractBinary, drivenBinary string

// repository is the folder of this module.
var repository = filepath.Join("..", "..", "..", "..")

var _ = BeforeSuite(func() {
	dir := GinkgoT().TempDir()
	contractBinary, drivenBinary = filepath.Join(dir, "contract.test"), filepath.Join(dir, "driven.test")
	Expect(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module")))).To(Succeed())
	here, err := filepath.Abs(repository)
	Expect(err).NotTo(HaveOccurred())
	// All that this module needs, as it needs it: nothing is looked up, and nothing fetched.
	requires, err := os.ReadFile(filepath.Join(here, "go.mod"))
	Expect(err).NotTo(HaveOccurred())
	text := regexp.MustCompile(`(?m)^(module|tool) .*$`).ReplaceAllString(string(requires), "")
	Expect(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module contract.example\n"+text+
		"\nrequire authenticator-conformance v0.0.0\n\nreplace authenticator-conformance => "+strconv.Quote(here)+"\n"),
		0o600)).To(Succeed())
	sums, err := os.ReadFile(filepath.Join(here, "go.sum"))
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600)).To(Succeed())
	for binary, folder := range map[string]string{contractBinary: ".", drivenBinary: "./driven"} {
		build := exec.Command("go", "test", "-c", "-trimpath", "-vet=off", "-o", binary, folder)
		build.Dir = dir
		build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
		output, err := build.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(output))
	}
})

// variable holds the program that the driven suite is to run, as JSON.
const variable = "CONFORMANCE_TEST_PROGRAM"

// program is what the driven suite reads from the variable, and says what each field means.
type program struct {
	Configs                []conformance.Config
	CA, Within             string
	Unverified, Early, Nil bool
}
