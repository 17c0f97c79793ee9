package checkpoint_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
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

func empty(dir string) {
	GinkgoHelper()
	Expect(os.Remove(filepath.Join(dir, "filler"))).To(Succeed())
}

var _ = Describe("A disk that is full", func() {
	It("stops the findings with an error, and they can be gone on with once there is room", func() {
		const all = 2000
		folder := disk(2048)
		f, err := checkpoint.Begin(folder, nil, header())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		add(f, 0, 100)
		at := position(f)
		before := contentOf(folder)
		fill(folder, 64)
		added := 100
		for err == nil {
			Expect(added).To(BeNumerically("<", all), "the disk was never full")
			err = f.Add(finding(added))
			added++
		}
		Expect(err).To(MatchError(And(ContainSubstring("findings.ndjson can't be written"),
			ContainSubstring("no space left"))))
		_, err = f.Position()
		Expect(err).To(MatchError(ContainSubstring("no space left")), "what is not on disk is not marked")
		_, err = f.Finish(all, true)
		Expect(err).To(MatchError(ContainSubstring("no space left")))
		f.Close()
		Expect(len(contentOf(folder))).To(BeNumerically(">", len(before)), "some of it was written")
		empty(folder)
		f = resumed(folder, stored(at))
		Expect(contentOf(folder)).To(Equal(before))
		add(f, 100, all)
		finish(f, all, true)
		f.Close()
		Expect(contentOf(folder)).To(Equal(writtenFile(all)))
	})

	It("makes writing the footer fail with an error", func() {
		folder := disk(2048)
		f, err := checkpoint.Begin(folder, nil, header())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		fill(folder, 0)
		_, err = f.Finish(1, true)
		Expect(err).To(MatchError(ContainSubstring("no space left")))
		f.Close()
		empty(folder)
	})

	It("keeps the checkpoint that was, whole, and nothing beside it", func() {
		folder := disk(2048)
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(2)))).To(Succeed())
		long := textOf(someCheckpoint(600))
		refused := 0
		for left := 0; ; left += 4 {
			fill(folder, left)
			err := checkpoint.WriteCheckpoint(folder, nil, long)
			empty(folder)
			if err == nil {
				break
			}
			refused++
			Expect(err).To(MatchError(And(ContainSubstring("the checkpoint can't be written"),
				ContainSubstring("no space left"))), "%d KiB left", left)
			Expect(names(folder)).To(Equal([]string{checkpoint.CheckpointFile}), "%d KiB left", left)
			content, err := os.ReadFile(filepath.Join(folder, checkpoint.CheckpointFile))
			Expect(err).NotTo(HaveOccurred())
			Expect(bytes.Equal(content, textOf(someCheckpoint(2)))).To(BeTrue(), "%d KiB left", left)
		}
		Expect(refused).To(BeNumerically(">=", 1), "the disk was never full")
		c, err := checkpoint.ReadCheckpoint(folder, identity())
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Tally.Users).To(BeEquivalentTo(600))
	})

	It("that can only be read any more takes no findings and no checkpoint", func() {
		folder := disk(2048)
		f, err := checkpoint.Begin(folder, nil, header())
		Expect(err).NotTo(HaveOccurred())
		at := position(f)
		f.Close()
		Expect(syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		_, err = checkpoint.Begin(folder, nil, header())
		Expect(err).To(MatchError(ContainSubstring("read-only")))
		_, err = checkpoint.Resume(folder, nil, stored(at))
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring("read-only"))))
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(2)))).To(
			MatchError(ContainSubstring("read-only")))
	})
})
