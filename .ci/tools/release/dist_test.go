package release_test

import (
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// command returns the file name of the binary.
func (p platform) command() string {
	if p.os == "windows" {
		return "conformance.exe"
	}
	return "conformance"
}

// platforms are those of `make release`, which make passes on.
var platforms = func() (list []platform) {
	for _, name := range strings.Fields(os.Getenv("PLATFORMS")) {
		system, arch, _ := strings.Cut(name, "_")
		list = append(list, platform{system, arch})
	}
	return list
}()

// dist is the folder that `make release` and `make image` wrote for the commit in the work tree.
var dist, _ = filepath.Abs(filepath.Join("..", "..", "..", "dist"))

// onlyFile returns the path of the only file in dist that matches the pattern.
func onlyFile(pattern string) string {
	GinkgoHelper()
	found := mustGet(filepath.Glob(filepath.Join(dist, pattern)))
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

// headCommit is the commit in the work tree.
func headCommit() string {
	GinkgoHelper()
	return strings.TrimSpace(runCommand(dist, "git", "rev-parse", "HEAD"))
}

// unpackRelease returns a folder with what the archive for Linux has.
func unpackRelease() string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	runCommand(folder, "tar", "-xzf", onlyFile("conformance_*_linux_amd64.tar.gz"), "--strip-components=1")
	return folder
}

var _ = Describe("A release", func() {
	It("has a SHA256SUMS that matches all its files", func() {
		Expect(platforms).NotTo(BeEmpty(), "run `make recipes`, which sets PLATFORMS")
		Expect(strings.Count(runCommand(dist, "sha256sum", "-c", "SHA256SUMS"),
			": OK\n")).To(Equal(2*len(platforms) + 1))
	})

	forPlatform := func(p platform) {
		folder := GinkgoT().TempDir()
		if p.os == "windows" {
			runCommand(folder, "unzip", "-q", onlyFile("conformance_*_"+p.String()+".zip"))
		} else {
			runCommand(folder, "tar", "-xzf", onlyFile("conformance_*_"+p.String()+".tar.gz"))
		}
		inside := mustGet(filepath.Glob(filepath.Join(folder, "*")))
		Expect(inside).To(HaveExactElements(HaveSuffix("_"+p.String())), "one folder")
		path := filepath.Join(inside[0], p.command())
		Expect(mustGet(buildinfo.ReadFile(path)).Settings).To(ContainElements(
			debug.BuildSetting{Key: "GOOS", Value: p.os}, debug.BuildSetting{Key: "GOARCH", Value: p.arch}))
		if p.os == "linux" {
			f := mustGet(elf.Open(path))
			Expect(f.ImportedLibraries()).To(BeEmpty())
			Expect(f.Section(".symtab")).To(BeNil())
		}
	}
	for _, p := range platforms {
		It("has a binary for "+p.String(), func() { forPlatform(p) })
	}

	It("has archives with the files in order, without the machine's users, and with the time of the commit", func() {
		listed := runCommand(dist, "tar", "--utc", "--full-time", "-tvzf", onlyFile("conformance_*_linux_amd64.tar.gz"))
		committed := strings.TrimSpace(runCommand(dist, "git", "log", "-1", "--date=format-local:%Y-%m-%d %H:%M:%S",
			"--format=%cd"))
		var names []string
		for line := range strings.Lines(listed) {
			Expect(line).To(MatchRegexp(`^-rw[x-]r-[x-]r-[x-] 0/0 +[0-9]+ `+committed+` `), line)
			names = append(names, strings.Fields(line)[5])
		}
		Expect(slices.IsSorted(names)).To(BeTrue())
	})

	It("has archives in which every relative link of a Markdown file leads to a file", func() {
		folder := unpackRelease()
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
		folder := unpackRelease()
		runCommand(filepath.Dir(dist), "make", "build")
		built := runCommand(folder, filepath.Join(filepath.Dir(dist), "bin", "conformance"), "--version")
		Expect(strings.TrimSuffix(built, "+changed\n")).To(HavePrefix(
			strings.SplitN(runCommand(folder, "./conformance", "--version"), ",", 2)[0]))
	})

	It("has provenance that names the commit and the toolchain, and an SBOM with the modules", func() {
		Expect(string(mustGet(os.ReadFile(onlyFile("*.provenance.json"))))).To(And(
			ContainSubstring(headCommit()),
			ContainSubstring(strings.TrimSpace(runCommand(dist, "go", "env", "GOVERSION")))))
		var bom struct{ Components []struct{ Name string } }
		Expect(json.Unmarshal(mustGet(os.ReadFile(onlyFile("*_linux_amd64.cdx.json"))), &bom)).To(Succeed())
		Expect(bom.Components).To(ContainElements(HaveField("Name", "github.com/spf13/cobra"),
			HaveField("Name", "std")))
	})
})

// ulimits are lower than Podman's defaults, which some machines refuse.
var ulimits = []string{"--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"}

// podmanWithOwnStore returns a function that runs podman with its own store. It skips the test if no container can run
// here.
func podmanWithOwnStore() func(args ...string) string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	store := []string{"--root", filepath.Join(folder, "root"), "--runroot", filepath.Join(folder, "run"),
		"--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--runtime", "runc"}
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		Skip("busybox is missing, with which this test checks that containers can run: apt-get install busybox-static")
	}
	Expect(os.MkdirAll(filepath.Join(folder, "probe", "bin"), 0o755)).To(Succeed())
	runCommand(folder, "cp", busybox, filepath.Join(folder, "probe", "bin", "busybox"))
	probe := append(store, "run", "--rm", ulimits[0], ulimits[1], "--network=none", "--rootfs",
		filepath.Join(folder, "probe"), "/bin/busybox", "true")
	if out, err := exec.Command("podman", probe...).CombinedOutput(); err != nil {
		Skip("no container can run here: " + err.Error() + "\n" + string(out))
	}
	return func(args ...string) string {
		GinkgoHelper()
		return runCommand(folder, "podman", append(store, args...)...)
	}
}

var _ = Describe("Where containers can run,", func() {
	It("the image judges the reference as any user, with a read-only root, and writes reports to a mount", func() {
		podman := podmanWithOwnStore()
		podman("load", "-q", "-i", onlyFile("*_image.tar"))
		image := strings.TrimSpace(podman("images", "--format", "{{.ID}}"))
		Expect(podman("image", "inspect", "--format", "{{.Config.User}} {{.Architecture}} {{.Labels}}", image)).To(
			SatisfyAll(HavePrefix("65532:65532 "), ContainSubstring("revision:"+headCommit()),
				ContainSubstring("image.version:"), ContainSubstring("image.source:")))
		for _, who := range []string{"65532:65532", "1234:5678"} {
			reports := GinkgoT().TempDir()
			Expect(os.Chmod(reports, 0o777)).To(Succeed())
			out := podman("run", "--rm", ulimits[0], ulimits[1], "--network=none", "--read-only",
				"--read-only-tmpfs=false", "--cap-drop=all", "--user="+who, "--volume="+reports+":/reports", image,
				"run", "--report-dir=/reports/run")
			Expect(out).To(ContainSubstring("verdict: pass"))
			Expect(filepath.Join(reports, "run", "report.html")).To(BeARegularFile())
		}
	})

	It("the README's commands to get the binary work on a machine that has the archive and no Go", func() {
		podman := podmanWithOwnStore()
		readme := mustGet(os.ReadFile(filepath.Join(dist, "..", "README.md")))
		_, section, found := strings.Cut(string(readme), "## Get it\n")
		Expect(found).To(BeTrue())
		_, commands, _ := strings.Cut(section, "```sh\n")
		commands, _, _ = strings.Cut(commands, "```")
		archive := onlyFile("*_linux_amd64.tar.gz")
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archive), "conformance_"), "_linux_amd64.tar.gz")
		machine := GinkgoT().TempDir()
		for _, folder := range []string{"bin", "work", "tmp"} {
			Expect(os.Mkdir(filepath.Join(machine, folder), 0o755)).To(Succeed())
		}
		runCommand(machine, "cp", mustGet(exec.LookPath("busybox")), "bin/busybox")
		for _, name := range []string{"sh", "tar", "gzip", "grep", "sha256sum"} {
			Expect(os.Symlink("busybox", filepath.Join(machine, "bin", name))).To(Succeed())
		}
		runCommand(machine, "cp", archive, filepath.Join(dist, "SHA256SUMS"), "work")
		script := strings.ReplaceAll(commands, "VERSION=1.0.0", "VERSION="+version)
		Expect(script).NotTo(Equal(commands))
		out := podman("run", "--rm", ulimits[0], ulimits[1], "--network=none", "--workdir=/work",
			"--env=PATH=/bin", "--rootfs", machine, "/bin/sh", "-ec", script)
		Expect(out).To(ContainSubstring("conformance version " + version + ", commit "))
		Expect(out).To(ContainSubstring("verdict: pass"))
	})
})
