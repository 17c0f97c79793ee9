package main

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// dist is the folder that `make release` and `make image` wrote for the commit in the work tree.
var dist, _ = filepath.Abs(filepath.Join("..", "..", "..", "dist"))

// onlyFile returns the path of the only file in dist that matches the pattern.
func onlyFile(pattern string) string {
	GinkgoHelper()
	found, err := filepath.Glob(filepath.Join(dist, pattern))
	Expect(err).NotTo(HaveOccurred())
	Expect(found).To(HaveLen(1), "%s: run `make clean release image` first", pattern)
	return found[0]
}

func runCommand(folder, name string, args ...string) string {
	GinkgoHelper()
	command := exec.Command(name, args...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

var _ = Describe("A release", func() {
	It("has a SHA256SUMS that matches all its files", func() {
		Expect(strings.Count(runCommand(dist, "sha256sum", "-c", "SHA256SUMS"),
			": OK\n")).To(Equal(2*len(platforms) + 1))
	})

	DescribeTable("has a binary for its platform", func(p platform) {
		folder := GinkgoT().TempDir()
		if p.os == "windows" {
			runCommand(folder, "unzip", "-q", onlyFile("conformance_*_"+p.String()+".zip"))
		} else {
			runCommand(folder, "tar", "-xzf", onlyFile("conformance_*_"+p.String()+".tar.gz"))
		}
		inside, err := filepath.Glob(filepath.Join(folder, "*"))
		Expect(err).NotTo(HaveOccurred())
		Expect(inside).To(HaveExactElements(HaveSuffix("_"+p.String())), "one folder")
		path := filepath.Join(inside[0], p.command())
		switch p.os {
		case "linux":
			f, err := elf.Open(path)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Machine).To(Equal(map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[p.arch]))
			Expect(f.ImportedLibraries()).To(BeEmpty())
			Expect(f.Section(".symtab")).To(BeNil())
		case "darwin":
			f, err := macho.Open(path)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Cpu).To(Equal(map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[p.arch]))
		case "windows":
			f, err := pe.Open(path)
			Expect(err).NotTo(HaveOccurred())
			machines := map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}
			Expect(f.Machine).To(Equal(machines[p.arch]))
		}
	}, func(p platform) string { return p.String() },
		Entry(nil, platforms[0]), Entry(nil, platforms[1]), Entry(nil, platforms[2]),
		Entry(nil, platforms[3]), Entry(nil, platforms[4]), Entry(nil, platforms[5]),
	)

	It("has archives in which every relative link of a Markdown file leads to a file", func() {
		folder := GinkgoT().TempDir()
		runCommand(folder, "tar", "-xzf", onlyFile("conformance_*_linux_amd64.tar.gz"), "--strip-components=1")
		links := 0
		Expect(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".md" {
				return err
			}
			content, err := os.ReadFile(path)
			for _, link := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(content),
				-1) {
				links++
				Expect(filepath.Join(filepath.Dir(path), link[1])).To(Or(BeARegularFile(), BeADirectory()), "%s: %s",
					path, link[0])
			}
			return err
		})).To(Succeed())
		Expect(links).To(BeNumerically(">", 10))
	})

	It("has the version that the binary of make build has for the same commit", func() {
		folder := GinkgoT().TempDir()
		runCommand(folder, "tar", "-xzf", onlyFile("conformance_*_linux_amd64.tar.gz"), "--strip-components=1")
		runCommand(filepath.Dir(dist), "make", "build")
		built := runCommand(folder, filepath.Join(filepath.Dir(dist), "bin", "conformance"), "--version")
		Expect(strings.TrimSuffix(built, "+changed\n")).To(HavePrefix(
			strings.SplitN(runCommand(folder, "./conformance", "--version"), ",", 2)[0]))
	})

	It("has provenance that names the commit and the toolchain, and an SBOM with the modules", func() {
		content, err := os.ReadFile(onlyFile("*.provenance.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(content)).To(ContainSubstring(strings.TrimSpace(runCommand(dist, "git", "rev-parse", "HEAD"))))
		Expect(string(content)).To(ContainSubstring(strings.TrimSpace(runCommand(dist, "go", "env", "GOVERSION"))))
		var bom struct{ Components []struct{ Name string } }
		content, err = os.ReadFile(onlyFile("*_linux_amd64.cdx.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(json.Unmarshal(content, &bom)).To(Succeed())
		Expect(bom.Components).To(ContainElements(HaveField("Name", "github.com/spf13/cobra"),
			HaveField("Name", "std")))
	})
})
