package folder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// disk is a small file system of the spec's own. The spec is left out where none can be had.
func disk(kib int) string {
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

// fill leaves so many KiB of a disk.
func fill(dir string, left int) {
	GinkgoHelper()
	var space syscall.Statfs_t
	Expect(syscall.Statfs(dir, &space)).To(Succeed())
	free := int(space.Bavail) * int(space.Bsize)
	Expect(os.WriteFile(filepath.Join(dir, "filler"), make([]byte, max(0, free-left<<10)), 0o600)).To(Succeed())
}

var _ = Describe("A disk", func() {
	It("that is full keeps the report of the beginning, whole, whichever file it is that does not fit", func() {
		dir := disk(4096)
		reports := filepath.Join(dir, "reports")
		f := open(reports)
		Expect(f.Write(unfinished())).To(Succeed())
		before := contents(reports)
		content := passing(strings.Repeat("evidence ", 4000))
		refused := 0
		for left := 0; ; left += 12 {
			fill(dir, left)
			err := f.Write(content)
			Expect(os.Remove(filepath.Join(dir, "filler"))).To(Succeed())
			if err == nil {
				break
			}
			refused++
			Expect(err).To(MatchError(And(ContainSubstring(reports), ContainSubstring("no space left"))), "%d KiB left",
				left)
			Expect(contents(reports)).To(Equal(before), "%d KiB left", left)
		}
		Expect(refused).To(BeNumerically(">", 3), "the disk was never full")
		Expect(whole(reports)).To(Equal(sameVerdict("pass")))
	})

	It("that can only be read any more keeps what stood there", func() {
		dir := disk(4096)
		reports := filepath.Join(dir, "reports")
		f := open(reports)
		Expect(f.Write(unfinished())).To(Succeed())
		before := contents(reports)
		Expect(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		Expect(f.Write(passing("the evidence"))).To(
			MatchError(And(ContainSubstring(reports), ContainSubstring("read-only"))))
		Expect(contents(reports)).To(Equal(before))
	})

	It("with a folder that may not be written to keeps what stood there", func() {
		if os.Geteuid() == 0 {
			Skip("root may write everywhere")
		}
		f, dir := begun()
		before := contents(dir)
		Expect(os.Chmod(dir, 0o555)).To(Succeed())
		DeferCleanup(os.Chmod, dir, os.FileMode(0o755))
		Expect(f.Write(passing("the evidence"))).To(
			MatchError(And(ContainSubstring(dir), ContainSubstring("permission denied"))))
		Expect(contents(dir)).To(Equal(before))
	})
})
