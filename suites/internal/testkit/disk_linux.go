package testkit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests
	. "github.com/onsi/gomega"    //lint:ignore ST1001 as in all tests
)

// Disk is a small file system of the spec's own. The spec is skipped where none can be mounted.
func Disk(kib int) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENODEV) {
		Skip("a file system can't be mounted here (" + err.Error() + "): run the tests as root to have a full disk")
	}
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(syscall.Unmount(dir, 0)).To(Succeed()) })
	return dir
}

// Fill leaves so many KiB of a disk.
func Fill(disk string, left int) {
	GinkgoHelper()
	var space syscall.Statfs_t
	Expect(syscall.Statfs(disk, &space)).To(Succeed())
	free := int(space.Bavail) * int(space.Bsize)
	Write(disk, filler, make([]byte, max(0, free-left<<10)))
}

// Empty makes room on a disk that Fill has filled.
func Empty(disk string) {
	GinkgoHelper()
	Expect(os.Remove(filepath.Join(disk, filler))).To(Succeed())
}

const filler = "filler"
