package recipes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestRecipes(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Recipes")
}

// root is the folder of this project.
var root, _ = filepath.Abs(filepath.Join("..", "..", ".."))

func readFile(path ...string) string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(path...))
	Expect(err).NotTo(HaveOccurred())
	return string(content)
}

func writeFile(content string, path ...string) {
	GinkgoHelper()
	name := filepath.Join(path...)
	Expect(os.MkdirAll(filepath.Dir(name), 0o755)).To(Succeed())
	Expect(os.WriteFile(name, []byte(content), 0o644)).To(Succeed())
}

// runShell runs a command in a folder, which must succeed, and returns what it printed.
func runShell(folder string, name string, args ...string) string {
	GinkgoHelper()
	command := exec.Command(name, args...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}
