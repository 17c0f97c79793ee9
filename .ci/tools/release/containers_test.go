package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

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

var _ = Describe("The image", func() {
	It("judges the embedded reference as any user, with a read-only root, and writes its reports to a mount", func() {
		podman := podmanWithOwnStore()
		podman("load", "-q", "-i", onlyFile("*_image.tar"))
		image := strings.TrimSpace(podman("images", "--format", "{{.ID}}"))
		Expect(podman("image", "inspect", "--format", "{{.Config.User}} {{.Architecture}} {{.Labels}}", image)).To(
			SatisfyAll(HavePrefix(user+" "), ContainSubstring("revision:"+strings.TrimSpace(runCommand(dist, "git",
				"rev-parse", "HEAD"))), ContainSubstring("image.version:"), ContainSubstring("image.source:")))
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
})

var _ = Describe("The README's commands to get the binary", func() {
	It("work on a machine that has the archive and no Go", func() {
		podman := podmanWithOwnStore()
		readme, err := os.ReadFile(filepath.Join(dist, "..", "README.md"))
		Expect(err).NotTo(HaveOccurred())
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
		busybox, err := exec.LookPath("busybox")
		Expect(err).NotTo(HaveOccurred())
		runCommand(machine, "cp", busybox, "bin/busybox")
		for _, name := range []string{"sh", "tar", "gzip", "grep", "sha256sum"} {
			Expect(os.Symlink("busybox", filepath.Join(machine, "bin", name))).To(Succeed())
		}
		runCommand(machine, "cp", archive, filepath.Join(dist, "SHA256SUMS"), "work")
		script := strings.ReplaceAll(commands, "VERSION=1.2.3", "VERSION="+version)
		Expect(script).NotTo(Equal(commands))
		out := podman("run", "--rm", ulimits[0], ulimits[1], "--network=none", "--workdir=/work",
			"--env=PATH=/bin", "--rootfs", machine, "/bin/sh", "-ec", script)
		Expect(out).To(ContainSubstring("conformance version " + version + ", commit "))
		Expect(out).To(ContainSubstring("verdict: pass"))
	})
})
