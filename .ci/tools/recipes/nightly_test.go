package recipes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
)

// cronJob is what the test needs of cronjob.yaml.
type cronJob struct {
	Spec struct {
		JobTemplate struct {
			Spec struct {
				Template struct{ Spec pod }
			}
		} `yaml:"jobTemplate"`
	}
}

type pod struct {
	SecurityContext struct {
		RunAsUser string `yaml:"runAsUser"`
	} `yaml:"securityContext"`
	Containers []struct {
		Command, Args   []string
		Env             []struct{ Name, Value string }
		SecurityContext struct {
			ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
}

// podmanWithOwnStore returns the options with which podman runs containers here, or skips the spec.
func podmanWithOwnStore() []string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	options := []string{"--root", filepath.Join(folder, "root"), "--runroot", filepath.Join(folder, "run"),
		"--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--runtime", "runc"}
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		Skip("busybox is missing, with which this test checks that containers can run: apt-get install busybox-static")
	}
	Expect(os.MkdirAll(filepath.Join(folder, "probe", "bin"), 0o755)).To(Succeed())
	runShell(folder, "cp", busybox, filepath.Join(folder, "probe", "bin", "busybox"))
	probe := append(options, "run", "--rm", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", "--network=host",
		"--rootfs", filepath.Join(folder, "probe"), "/bin/busybox", "true")
	if out, err := exec.Command("podman", probe...).CombinedOutput(); err != nil {
		Skip("no container can run here: " + err.Error() + "\n" + string(out))
	}
	return options
}

var _ = Describe("The nightly recipe", func() {
	It("for Kubernetes runs with this project's image as it is declared, each night in a folder of its own", func() {
		podman := podmanWithOwnStore()
		images, err := filepath.Glob(filepath.Join(root, "dist", "*_image.tar"))
		Expect(err).NotTo(HaveOccurred())
		Expect(images).To(HaveLen(1), "run `make image` first")
		folder := GinkgoT().TempDir()
		image := strings.TrimSpace(runShell(folder, "podman", append(podman, "load", "-q", "-i", images[0])...))
		_, image, _ = strings.Cut(image, ": ")

		var job cronJob
		Expect(yaml.Unmarshal([]byte(readFile(root, "suites", "recipes", "cronjob.yaml")), &job)).To(Succeed())
		of := job.Spec.JobTemplate.Spec.Template.Spec
		container := of.Containers[0]
		Expect(container.Command).To(BeEmpty(), "the image has an entry point, and no shell")
		Expect(container.SecurityContext.ReadOnlyRootFilesystem).To(BeTrue())
		url := serveRelease().serveReference()
		writeFile(strings.ReplaceAll("target: {url: REFERENCE, applicationId: fixture-calling-module}\n", "REFERENCE",
			url),
			folder, "configuration", "conformance.yaml")
		writeFile(readFile(root, "fixtures", "users.yaml"), folder, "configuration", "users.yaml")
		writeFile(token+"\n", folder, "token", "token")
		call := append(podman, "run", "--rm", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", "--network=host",
			"--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--user="+of.SecurityContext.RunAsUser)
		for _, mount := range container.VolumeMounts {
			path := filepath.Join(folder, mount.Name)
			Expect(os.MkdirAll(path, 0o755)).To(Succeed())
			option := "--volume=" + path + ":" + mount.MountPath
			if mount.ReadOnly {
				option += ":ro"
			} else {
				Expect(os.Chown(path, 65532, 65532)).To(Succeed())
			}
			call = append(call, option)
		}
		for _, variable := range container.Env {
			call = append(call, "--env="+variable.Name+"="+variable.Value)
		}
		call = append(append(call, image), container.Args...)
		for night := 1; night <= 2; night++ {
			Expect(runShell(folder, "podman", call...)).To(ContainSubstring("verdict: pass (certifies)"))
			reports := readFolder(filepath.Join(folder, "reports"))
			Expect(reports).To(HaveLen(night))
			// The next night is in another second.
			Eventually(func() string { return time.Now().UTC().Format("2006-01-02T150405Z") }).
				WithTimeout(2 * time.Second).ShouldNot(Equal(reports[night-1].Name()))
		}
		for _, night := range readFolder(filepath.Join(folder, "reports")) {
			Expect(night.Name()).To(MatchRegexp(`^\d{4}-\d{2}-\d{2}T\d{6}Z$`))
			Expect(readFile(folder, "reports", night.Name(), "report.json")).To(ContainSubstring(`"certifies": true`))
		}
		info, err := os.Stat(filepath.Join(folder, "metrics", "conformance.prom"))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o644)))
		Expect(readFile(folder, "metrics", "conformance.prom")).To(
			ContainSubstring("conformance_certified_timestamp_seconds{"))
	})

	It("for systemd is accepted by systemd, and its command runs", func() {
		folder := GinkgoT().TempDir()
		service := readFile(root, "suites", "recipes", "conformance.service")
		if _, err := exec.LookPath("systemd-analyze"); err == nil {
			for _, name := range []string{"conformance.service", "conformance.timer"} {
				unit := strings.ReplaceAll(readFile(root, "suites", "recipes", name), "/usr/local/bin/conformance",
					"/bin/true")
				writeFile(unit, folder, name)
			}
			runShell(folder, "systemd-analyze", "verify", "--man=no", "./conformance.service", "./conformance.timer")
			runShell(folder, "systemd-analyze", "calendar",
				regexp.MustCompile(`(?m)^OnCalendar=(.*)$`).FindStringSubmatch(
					readFile(folder, "conformance.timer"))[1])
		}
		p := serveRelease()
		start := regexp.MustCompile(`(?m)^ExecStart=((?:.*\\\n)*.*)$`).FindStringSubmatch(service)
		Expect(start).NotTo(BeNil())
		command := strings.NewReplacer("\\\n", " ", "/usr/local/bin/conformance", p.unpackBinary(),
			"/etc/conformance", folder+"/etc", "/var/lib", folder+"/lib").Replace(start[1])
		writeFile("target: {url: "+p.serveReference()+", applicationId: fixture-calling-module}\n", folder, "etc",
			"conformance.yaml")
		writeFile(readFile(root, "fixtures", "users.yaml"), folder, "etc", "users.yaml")
		writeFile(token+"\n", folder, "etc", "token")
		Expect(os.MkdirAll(filepath.Join(folder, "lib", "node_exporter", "textfile"), 0o755)).To(Succeed())
		run := exec.Command(strings.Fields(command)[0], strings.Fields(command)[1:]...)
		run.Env = []string{"AUTHN_ACCESS_TOKEN_FILE=" + filepath.Join(folder, "etc", "token")}
		out, err := run.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(readFolder(filepath.Join(folder, "lib", "conformance"))).To(HaveLen(1))
		Expect(filepath.Join(folder, "lib", "node_exporter", "textfile", "conformance.prom")).To(BeARegularFile())
	})
})
