package checkpoint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("A disk that is full", func() {
	It("stops the findings with an error, and they can be gone on with once there is room", func() {
		const all = 2000
		folder := testkit.Disk(2048)
		f, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		addFindings(f, 0, 100)
		at := positionOf(f)
		before := contentOf(folder)
		testkit.Fill(folder, 64)
		added := 100
		for err == nil {
			Expect(added).To(BeNumerically("<", all), "the disk was never full")
			err = f.Add(numberedFinding(added))
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
		testkit.Empty(folder)
		f = resumeFindings(folder, storedPosition(at))
		Expect(contentOf(folder)).To(Equal(before))
		addFindings(f, 100, all)
		finishFindings(f, all, true)
		f.Close()
		Expect(contentOf(folder)).To(Equal(writtenFile(all)))
	})

	It("makes writing the footer fail with an error", func() {
		folder := testkit.Disk(2048)
		f, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		testkit.Fill(folder, 0)
		_, err = f.Finish(1, true)
		Expect(err).To(MatchError(ContainSubstring("no space left")))
		f.Close()
		testkit.Empty(folder)
	})

	It("keeps the checkpoint that was, whole, and nothing beside it", func() {
		folder := testkit.Disk(2048)
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(2)))).To(Succeed())
		long := textOf(someCheckpoint(600))
		refused := 0
		for left := 0; ; left += 4 {
			testkit.Fill(folder, left)
			err := checkpoint.WriteCheckpoint(folder, nil, long)
			testkit.Empty(folder)
			if err == nil {
				break
			}
			refused++
			Expect(err).To(MatchError(And(ContainSubstring("the checkpoint can't be written"),
				ContainSubstring("no space left"))), "%d KiB left", left)
			Expect(fileNames(folder)).To(Equal([]string{checkpoint.CheckpointFile}), "%d KiB left", left)
			content, err := os.ReadFile(filepath.Join(folder, checkpoint.CheckpointFile))
			Expect(err).NotTo(HaveOccurred())
			Expect(bytes.Equal(content, textOf(someCheckpoint(2)))).To(BeTrue(), "%d KiB left", left)
		}
		Expect(refused).To(BeNumerically(">=", 1), "the disk was never full")
		c, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Tally.Users).To(BeEquivalentTo(600))
	})

	It("that can only be read any more takes no findings and no checkpoint", func() {
		folder := testkit.Disk(2048)
		f, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).NotTo(HaveOccurred())
		at := positionOf(f)
		f.Close()
		Expect(syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		_, err = checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).To(MatchError(ContainSubstring("read-only")))
		_, err = checkpoint.Resume(folder, nil, storedPosition(at))
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring("read-only"))))
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(2)))).To(
			MatchError(ContainSubstring("read-only")))
	})
})
