package selftest_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// fullDiskSpecs have a run write its reports to a disk on which only a part of them fits.
func fullDiskSpecs(r *rig) {
	Describe("A disk that is too small for the reports", func() {
		for _, kib := range []int{4, 64, 160, 224, 300, 400, 600, 900} {
			It(fmt.Sprintf("of %d KiB holds no pass", kib), func() {
				folder := r.work()
				reports := filepath.Join(folder, defaultReports)
				Expect(os.Mkdir(reports, 0o755)).To(Succeed())
				smallDisk(reports, kib)
				server := httptest.NewServer(referenceOf(knownUsers()))
				DeferCleanup(server.Close)
				c := r.certify(server.URL)
				c.folder = folder
				o := r.call(c)
				Expect(o.expired).To(BeFalse())
				if o.code == 0 {
					Expect(sound(o).Verdict).To(Equal("pass"), "all of it found its place")
				} else {
					Expect(o.code).To(Equal(2), o.said())
					Expect(o.stderr).To(ContainSubstring("no space left"))
				}
				Expect(odd(o.stdout + o.stderr)).To(BeEmpty())
				Expect(o.stderr).NotTo(ContainSubstring("panic"))
				unbroken(o, true)
			})
		}
	})
}

// smallDisk mounts a file system of its own, until the spec ends. The spec is left out where that is not permitted.
func smallDisk(dir string, kib int) {
	GinkgoHelper()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENODEV) {
		Skip("a file system can't be mounted here (" + err.Error() + "): run the tests as root to have a full disk")
	}
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(syscall.Unmount(dir, 0)).To(Succeed()) })
}
