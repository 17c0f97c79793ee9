package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestRelease(t *testing.T) { RegisterFailHandler(Fail); RunSpecs(t, "Release") }

// mustGet returns a value, or fails the spec with the error.
func mustGet[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}

var _ = DescribeTable("The version of a commit is that of", func(tag, later, expected string) {
	folder := GinkgoT().TempDir()
	git := func(args ...string) string {
		GinkgoHelper()
		identity := []string{"-c", "user.name=x", "-c", "user.email=x@example.com"}
		return strings.TrimSpace(runCommand(folder, "git", append(identity, args...)...))
	}
	Expect(os.Mkdir(filepath.Join(folder, ".ci"), 0o755)).To(Succeed())
	script := mustGet(os.ReadFile(filepath.Join(dist, "..", ".ci", "release")))
	Expect(os.WriteFile(filepath.Join(folder, ".ci", "release"), script, 0o755)).To(Succeed())
	GinkgoT().Setenv("GIT_COMMITTER_DATE", "2026-11-22T17:17:20Z")
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	if tag != "" {
		git("tag", tag)
	}
	if later != "" {
		git("commit", "-q", "-m", later, "--allow-empty")
	}
	out, err := exec.Command(filepath.Join(folder, ".ci", "release"), "version").CombinedOutput()
	if expected == "" {
		Expect(err).To(HaveOccurred())
		Expect(string(out)).To(ContainSubstring("is not a version"))
		return
	}
	Expect(err).NotTo(HaveOccurred(), "%s", out)
	Expect(string(out)).To(Equal(strings.ReplaceAll(expected, "HASH", git("rev-parse", "HEAD")[:12]) + "\n"))
},
	Entry("its tag", "v1.2.3", "", "1.2.3"),
	Entry("the tag before it, and one more", "v1.2.3", "two", "1.2.4-0.20261122171720-HASH"),
	Entry("the tag of a preview before it", "v1.2.3-rc.1", "two", "1.2.3-rc.1.0.20261122171720-HASH"),
	Entry("nothing, without a tag", "", "", "0.0.0-20261122171720-HASH"),
	Entry("no tag that is not a version", "v1.2", "", ""),
	Entry("no tag before it that is not a version", "v2-final", "two", ""),
)

var _ = It("The version of a release that is made by hand is that of VERSION", func() {
	folder := GinkgoT().TempDir()
	Expect(os.Mkdir(filepath.Join(folder, ".ci"), 0o755)).To(Succeed())
	script := mustGet(os.ReadFile(filepath.Join(dist, "..", ".ci", "release")))
	Expect(os.WriteFile(filepath.Join(folder, ".ci", "release"), script, 0o755)).To(Succeed())
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "one"}} {
		runCommand(folder, "git", arguments...)
	}
	for version, says := range map[string]string{"1.0.0": "1.0.0\n", "v1": "VERSION=v1 is not a version"} {
		GinkgoT().Setenv("VERSION", version)
		out, _ := exec.Command(filepath.Join(folder, ".ci", "release"), "version").CombinedOutput()
		Expect(string(out)).To(ContainSubstring(says))
	}
})
