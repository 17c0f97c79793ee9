package checkpoint_test

import (
	"bytes"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("Findings that are resumed", func() {
	const all = 6

	It("equal those of a sweep that was never stopped, wherever the process was killed after the position", func() {
		whole := writtenFile(all)
		for _, marked := range []int{0, 3} {
			f, folder := beginFindings(nil)
			addFindings(f, 0, marked)
			at := positionOf(f)
			addFindings(f, marked, all)
			finishFindings(f, all, true)
			Expect(contentOf(folder)).To(Equal(whole))
			for end := int(at.Size); end <= len(whole); end += 1 +
				(len(whole)-end)/40 { // more of them the nearer to the end
				Expect(os.WriteFile(fileOf(folder), []byte(whole[:end]), 0o600)).To(Succeed())
				f, err := checkpoint.Resume(folder, nil, storedPosition(at))
				Expect(err).NotTo(HaveOccurred())
				Expect(contentOf(folder)).To(Equal(whole[:at.Size]), "what is behind the mark is cut off")
				addFindings(f, marked, all)
				finishFindings(f, all, true)
				f.Close()
				Expect(contentOf(folder)).To(Equal(whole), "killed at byte %d, marked %d", end, marked)
			}
		}
	})

	It("are the same after many stops", func() {
		f, folder := beginFindings(nil)
		at := positionOf(f)
		for n := range 60 {
			f = resumeFindings(folder, storedPosition(at))
			addFindings(f, n, n+1)
			at = positionOf(f)
			addFindings(f, 100, 100+n%3) // is lost with the process
			if n%2 == 0 {
				positionOf(f)
			}
		}
		f = resumeFindings(folder, storedPosition(at))
		finishFindings(f, 60, true)
		Expect(contentOf(folder)).To(Equal(writtenFile(60)))
	})

	It("lose whatever a power cut left after the position", func() {
		f, folder := beginFindings(nil)
		addFindings(f, 0, all)
		at := positionOf(f)
		before := contentOf(folder)
		for _, garbage := range []string{"\x00", string(make([]byte, 4096)), "{}\n",
			`{"line":"footer","users":1}` + "\n", "\xff\xfe", before} {
			Expect(os.WriteFile(fileOf(folder), []byte(before+garbage), 0o600)).To(Succeed())
			f := resumeFindings(folder, storedPosition(at))
			Expect(contentOf(folder)).To(Equal(before))
			finishFindings(f, all, true)
			Expect(contentOf(folder)).To(Equal(writtenFile(all)))
		}
	})

	It("may be those of a sweep that ended", func() {
		f, folder := beginFindings(nil)
		addFindings(f, 0, all)
		at := positionOf(f)
		first := finishFindings(f, all, true)
		Expect(finishFindings(resumeFindings(folder, storedPosition(at)), all, true)).To(Equal(first))
		Expect(contentOf(folder)).To(Equal(writtenFile(all)))
	})

	DescribeTable("are refused", func(corrupt func(path string), what string) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, all)
		at := positionOf(f)
		addFindings(f, all, 2*all)
		positionOf(f)
		corrupt(fileOf(folder))
		before, _ := os.ReadFile(fileOf(folder))
		_, err := checkpoint.Resume(folder, nil, storedPosition(at))
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring(fileOf(folder)),
			ContainSubstring(what), ContainSubstring("--restart"))))
		after, _ := os.ReadFile(fileOf(folder))
		Expect(after).To(Equal(before), "nothing is cut off of what is not ours")
	},
		Entry("where they were removed", func(path string) { Expect(os.Remove(path)).To(Succeed()) }, "no such file"),
		Entry("where a folder has their name", func(path string) {
			Expect(os.Remove(path)).To(Succeed())
			Expect(os.Mkdir(path, 0o755)).To(Succeed())
		}, "is a directory"),
		Entry("where they are empty", func(path string) { Expect(os.Truncate(path, 0)).To(Succeed()) },
			"changed meanwhile"),
		Entry("where a byte is missing before the position", func(path string) { truncateTo(path, all, -1) },
			"changed meanwhile"),
		Entry("where a byte in their middle is another", changeByte(500), "changed meanwhile"),
		Entry("where they are of another sweep", func(path string) {
			content, err := os.ReadFile(path)
			Expect(err).NotTo(HaveOccurred())
			Expect(os.WriteFile(path, bytes.ReplaceAll(content, []byte("3f0c2a9e"), []byte("3f0c2a9f")), 0o600)).To(
				Succeed())
		}, "changed meanwhile"),
	)

	DescribeTable("are refused with an invalid position", func(change func(at *checkpoint.Position)) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, all)
		at := positionOf(f)
		before := contentOf(folder)
		change(&at)
		_, err := checkpoint.Resume(folder, nil, at)
		Expect(err).To(MatchError(ContainSubstring("--resume")))
		Expect(contentOf(folder)).To(Equal(before))
	},
		Entry("of no digest", func(at *checkpoint.Position) { at.Digest = nil }),
		Entry("of another digest", func(at *checkpoint.Position) { at.Digest[20] ^= 1 }),
		Entry("one byte before", func(at *checkpoint.Position) { at.Size-- }),
		Entry("at the beginning", func(at *checkpoint.Position) { at.Size = 0 }),
		Entry("far behind", func(at *checkpoint.Position) { at.Size = 1 << 62 }),
		Entry("the empty one", func(at *checkpoint.Position) { *at = checkpoint.Position{} }),
	)

	It("are not started again with the position of an empty file", func() {
		f, folder := beginFindings(nil)
		Expect(f.Add(numberedFinding(0))).To(Succeed())
		positionOf(f)
		before := contentOf(folder)
		empty := checkpoint.Position{Digest: emptyState()}
		_, err := checkpoint.Resume(folder, nil, empty)
		Expect(err).To(MatchError(ContainSubstring("--resume")), "a file without its header is no findings")
		Expect(contentOf(folder)).To(Equal(before))
	})
})

// truncateTo leaves a file with its header and so many findings, and some bytes more, or less where that is below zero.
func truncateTo(path string, findings, more int) {
	GinkgoHelper()
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	list := bytes.SplitAfter(content, []byte("\n"))
	size := more
	for _, line := range list[:findings+1] {
		size += len(line)
	}
	Expect(os.Truncate(path, int64(size))).To(Succeed())
}

var _ = Describe("The findings' file", func() {
	It("has the name that the summary tells", func() {
		_, folder := beginFindings(nil)
		entries, err := os.ReadDir(folder)
		Expect(err).NotTo(HaveOccurred())
		Expect(entries).To(HaveLen(1))
		Expect(entries[0].Name()).To(Equal(stats.FindingsFile))
	})
})
