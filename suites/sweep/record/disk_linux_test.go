package record_test

import (
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

var _ = Describe("A disk that is full", func() {
	It("stops the findings with an error, and they can be resumed once there is room", func() {
		const all = 400
		folder := testkit.Disk(512)
		f := testkit.Must(record.Open(folder, nil, sweepHeader(), nil))
		DeferCleanup(f.Close)
		addFindings(f, 0, 100)
		at := storedPosition(f)
		before, archive := findingsText(folder), beginArchive(folder)
		testkit.Fill(folder, 16)
		var err error
		for added := 100; err == nil; added++ {
			Expect(added).To(BeNumerically("<", all), "the disk was never full")
			err = f.Add(numberedFinding(added))
		}
		Expect(err).To(MatchError(And(ContainSubstring("findings.ndjson can't be written"),
			ContainSubstring("no space left"))))
		_, err = f.Position()
		Expect(err).To(MatchError(ContainSubstring("no space left")), "what is not on disk has no position")
		_, err = f.Finish(all, true)
		Expect(err).To(MatchError(ContainSubstring("no space left")))
		Expect(archive.Finish()).To(MatchError(ContainSubstring("no space left")), "its end is only in memory so far")
		Expect(len(findingsText(folder))).To(BeNumerically(">", len(before)), "some of it was written")
		testkit.Empty(folder)
		f = resumeFindings(folder, at)
		addFindings(f, 100, all)
		testkit.Must(f.Finish(all, true))
		f.Close()
		Expect(findingsText(folder)).To(Equal(writtenAtOnce(all)))
	})

	It("keeps the checkpoint that was, whole, and nothing beside it", func() {
		folder := testkit.Disk(512)
		Expect(record.WriteCheckpoint(folder, nil, checkpointText(2))).To(Succeed())
		long, refused := checkpointText(600), 0
		for left := 0; ; left += 4 {
			testkit.Fill(folder, left)
			err := record.WriteCheckpoint(folder, nil, long)
			testkit.Empty(folder)
			if err == nil {
				break
			}
			refused++
			Expect(err).To(MatchError(And(ContainSubstring("the checkpoint can't be written"),
				ContainSubstring("no space left"))), "%d KiB left", left)
			Expect(fileNames(folder)).To(Equal([]string{stats.CheckpointFile}), "%d KiB left", left)
			Expect(testkit.Read(folder, stats.CheckpointFile)).To(Equal(checkpointText(2)), "%d KiB left", left)
		}
		Expect(refused).To(BeNumerically(">=", 1), "the disk was never full")
		Expect(readCheckpoint(folder).Tally.Users).To(BeEquivalentTo(600))
	})

	It("that can only be read takes no findings and no checkpoint", func() {
		folder := testkit.Disk(512)
		f := testkit.Must(record.Open(folder, nil, sweepHeader(), nil))
		at := storedPosition(f)
		f.Close()
		Expect(syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		_, err := record.Open(folder, nil, sweepHeader(), nil)
		Expect(err).To(MatchError(ContainSubstring("read-only")))
		_, err = record.Open(folder, nil, sweepHeader(), &at)
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring("read-only"))))
		Expect(record.WriteCheckpoint(folder, nil, checkpointText(2))).To(
			MatchError(ContainSubstring("read-only")))
	})
})
