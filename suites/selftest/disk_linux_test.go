package selftest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

var _ = Describe("A full disk", func() {
	It("while a run writes its reports leads to an error, and leaves no file incomplete", func() {
		t := startTarget(referenceFor(kit.Users()))
		DeferCleanup(t.Close)
		c := certifyTarget(t.URL)
		c.folder = newFolder()
		mountSmallDisk(filepath.Join(c.folder, defaultReports), 224)
		r := c.run()
		checkStreams(r)
		checkNoDefect(r)
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.stderr).To(ContainSubstring("no space left"))
		checkWholeReports(r)
	})

	It("at the start of a run leads to an error, and the report of an earlier pass is removed", func() {
		c := command{args: []string{"run"}, folder: newFolder()}
		reports := filepath.Join(c.folder, defaultReports)
		mountSmallDisk(reports, 16)
		writePass(reports)
		Expect(os.WriteFile(filepath.Join(reports, "other"), make([]byte, 1<<20), 0o600)).NotTo(Succeed(),
			"the disk is full")
		r := c.run()
		checkStreams(r)
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.stderr).To(ContainSubstring("no space left"))
		Expect(filesIn(reports)).To(HaveLen(1))
	})

	It("while a sweep writes its findings leads to an error, and the sweep can be resumed when there is space", func() {
		population := newPopulation(200, injectedFaults())
		t := startTarget(population.handler())
		DeferCleanup(t.Close)
		c := population.sweep(t.URL)
		reports := filepath.Join(c.folder, defaultReports)
		mountSmallDisk(reports, 48)
		r := c.run()
		checkStreams(r)
		checkNoDefect(r)
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.output()).To(ContainSubstring("no space left"))
		if report, err := readSweep(reports); err == nil {
			Expect(report.Verdict).To(Equal("error"))
		}

		Expect(syscall.Mount("", reports, "", syscall.MS_REMOUNT, "size=4m")).To(Succeed())
		c.args = append(c.args, "--resume=if-begun")
		population.expectFound(checkSweep(c.run()))
	})
})

// mountSmallDisk creates a folder on a small file system of its own, until the spec ends. It skips the spec if that is
// not permitted.
func mountSmallDisk(folder string, kibibytes int) {
	GinkgoHelper()
	Expect(os.Mkdir(folder, 0o755)).To(Succeed())
	err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%dk", kibibytes))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENODEV) {
		Skip("no file system can be mounted here (" + err.Error() + "): run the tests as root to have a full disk")
	}
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(syscall.Unmount(folder, 0)).To(Succeed()) })
}
