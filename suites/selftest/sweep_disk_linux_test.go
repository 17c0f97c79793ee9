package selftest_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sweepDiskSpecs have a sweep leave its files on a disk on which only a part of them fits, and then on one with room.
func sweepDiskSpecs(r *rig) {
	town := townOf(200, plants())
	for _, kib := range []int{4, 24, 48, 72, 120, 180, 240} {
		It(fmt.Sprintf("on a disk of %d KiB finds no end, and goes on where there is room", kib), func() {
			server := httptest.NewServer(town.target())
			DeferCleanup(server.Close)
			c := r.sweepOf(server.URL, "users.csv")
			c.folder = r.work()
			write(c.folder, "users.csv", []byte(town.csv()))
			reports := filepath.Join(c.folder, defaultReports)
			Expect(os.Mkdir(reports, 0o755)).To(Succeed())
			smallDisk(reports, kib)

			o := r.call(c)
			Expect(o.err).NotTo(HaveOccurred())
			Expect(o.expired).To(BeFalse())
			Expect(odd(o.stdout + o.stderr)).To(BeEmpty())
			Expect(o.stdout + o.stderr).NotTo(Or(ContainSubstring("panic"), ContainSubstring("defect")))
			if o.code == 1 {
				report, findings := swept(o)
				town.matches(report, findings)
				return // all of it found its place
			}
			Expect(o.code).To(Equal(2), o.said())
			Expect(o.stdout + o.stderr).To(ContainSubstring("no space left"))
			if report, err := readSweep(reports); err == nil {
				Expect(report.Verdict).To(Equal("error"))
			}

			Expect(syscall.Mount("", reports, "", syscall.MS_REMOUNT, "size=4m")).To(Succeed())
			c.args = append(c.args, "--resume=if-begun")
			report, findings := swept(r.call(c))
			town.matches(report, findings)
		})
	}
}
