package selftest_test

import (
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("A full disk", func() {
	// onDisk gives a command a report folder on a disk of so many KiB, which is linked to its own.
	onDisk := func(c command, kib int) (command, string) {
		GinkgoHelper()
		if c.folder == "" {
			c.folder = newFolder()
		}
		disk := testkit.Disk(kib)
		c.args = append(c.args, "--report-dir", disk)
		own := (&result{command: c.args[0], folder: c.folder}).reportFolder()
		Expect(os.Symlink(disk, own)).To(Succeed())
		return c, disk
	}

	It("while a run writes its reports leads to an error, and leaves no file incomplete", func() {
		c, _ := onDisk(certifyTarget(startTarget(referenceFor(kit.Users())).url), 224)
		r := c.runToEnd()
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.stderr).To(ContainSubstring("no space left"))
		checkWholeReports(r)
		Expect(filesIn(r.reportFolder())["report.json"]).To(ContainSubstring("no space left"), "the folder says so")
	})

	It("at the start of a run leads to an error, and the report of an earlier pass is removed", func() {
		c, disk := onDisk(command{args: []string{"run"}}, 16)
		writePass(disk)
		testkit.Fill(disk, 0)
		r := c.runToEnd()
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.stderr).To(ContainSubstring("no space left"))
		Expect(filesIn(disk)).To(HaveLen(1), "what fills it")
	})

	It("while a sweep writes its findings leads to an error, and the sweep can be resumed when there is space", func() {
		users := generatePeople(200)
		c, disk := onDisk(users.newSweep(startTarget(users.newHandler()).url, "--resume=if-begun"), 48)
		r := c.runToEnd()
		Expect(r.exitCode).To(Equal(2), "%s", r)
		Expect(r.allOutput()).To(ContainSubstring("no space left"))
		if _, err := os.Stat(filepath.Join(disk, sweepJSON)); err == nil {
			Expect(readSweep(disk).Verdict).To(Equal("error"))
		}

		Expect(syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=4m")).To(Succeed())
		Expect(checkSweep(c.runToEnd()).findings).To(Equal(users.expectedFindings()))
	})
})
