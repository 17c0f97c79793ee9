package checkpoint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/stats"
)

// isSameJSON reports whether an object of a line is what a value is in JSON.
func isSameJSON(object map[string]any, value any) {
	GinkgoHelper()
	got, err := json.Marshal(object)
	Expect(err).NotTo(HaveOccurred())
	want, err := json.Marshal(value)
	Expect(err).NotTo(HaveOccurred())
	Expect(got).To(MatchJSON(want))
}

var _ = Describe("The findings of a sweep", func() {
	It("are a header, a line for each, and a footer", func() {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 5)
		end := finishFindings(f, 17, true)
		kinds, objects := linesOf(contentOf(folder))
		Expect(kinds).To(Equal([]string{checkpoint.HeaderLine, checkpoint.FindingLine, checkpoint.FindingLine,
			checkpoint.FindingLine, checkpoint.FindingLine, checkpoint.FindingLine, checkpoint.FooterLine}))
		isSameJSON(objects[0], sweepHeader())
		for n := range 5 {
			isSameJSON(objects[n+1], numberedFinding(n))
		}
		isSameJSON(objects[6], end)
		Expect(end).To(Equal(checkpoint.Footer{Users: 17, Findings: 5, Complete: true, Digest: end.Digest}))
	})

	DescribeTable("have in their footer the digest of all bytes before it", func(findings int, complete bool) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, findings)
		end := finishFindings(f, 3, complete)
		all := slices.Collect(strings.Lines(contentOf(folder)))
		Expect(all).To(HaveLen(findings + 2))
		sum := sha256.Sum256([]byte(strings.Join(all[:findings+1], "")))
		Expect(end).To(Equal(checkpoint.Footer{Users: 3, Findings: int64(findings), Complete: complete,
			Digest: "sha256:" + hex.EncodeToString(sum[:])}))
	}, Entry("none", 0, true), Entry("one", 1, false), Entry("more than a buffer holds", 1000, true))

	It("stand for what they are, without escapes for HTML, each on one line", func() {
		f, folder := beginFindings(nil)
		one := numberedFinding(0)
		one.Actual = "<b>&\"\\\n\r\u2028 é \x00"
		Expect(f.Add(one)).To(Succeed())
		finishFindings(f, 1, true)
		text := contentOf(folder)
		Expect(strings.Count(text, "\n")).To(Equal(3))
		Expect(text).To(ContainSubstring(`<b>&`))
		_, objects := linesOf(text)
		Expect(objects[1]).To(HaveKeyWithValue("actual", one.Actual))
	})

	It("start again where there are some of an earlier sweep", func() {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 50)
		finishFindings(f, 50, true)
		again, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(again.Close)
		finishFindings(again, 0, false)
		kinds, _ := linesOf(contentOf(folder))
		Expect(kinds).To(Equal([]string{checkpoint.HeaderLine, checkpoint.FooterLine}))
	})

	It("continue from a position, to the last byte", func() {
		f, folder := beginFindings(nil)
		for n := range 20 {
			addFindings(f, n, n+1)
			at := positionOf(f)
			Expect(at.Findings).To(BeEquivalentTo(n + 1))
			Expect(at.Size).To(BeEquivalentTo(len(contentOf(folder))))
			Expect(contentOf(folder)).To(HaveSuffix("}\n"))
		}
	})

	It("may be made durable while lines are added", func() {
		f, folder := beginFindings(nil)
		positionOf(f)
		var all sync.WaitGroup
		all.Go(func() {
			defer GinkgoRecover()
			for range 20 {
				Expect(f.Sync()).To(Succeed())
			}
		})
		addFindings(f, 0, 500)
		all.Wait()
		finishFindings(f, 500, true)
		Expect(contentOf(folder)).To(Equal(writtenFile(500)))
	})

	It("are never written through a link", func() {
		folder, other := GinkgoT().TempDir(), filepath.Join(GinkgoT().TempDir(), "other")
		Expect(os.WriteFile(other, []byte("somebody's"), 0o644)).To(Succeed())
		Expect(os.Symlink(other, fileOf(folder))).To(Succeed())
		f, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).NotTo(HaveOccurred())
		addFindings(f, 0, 5)
		at := positionOf(f)
		f.Close()
		Expect(os.ReadFile(other)).To(BeEquivalentTo("somebody's"))
		info, err := os.Lstat(fileOf(folder))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode()).To(Equal(os.FileMode(0o600)), "they hold users")

		Expect(os.Rename(fileOf(folder), other)).To(Succeed())
		Expect(os.Symlink(other, fileOf(folder))).To(Succeed())
		before := contentOf(folder)
		_, err = checkpoint.Resume(folder, nil, at)
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring("is a link"))))
		Expect(contentOf(folder)).To(Equal(before))
	})

	DescribeTable("can't begin", func(corrupt func(folder string) string) {
		folder := corrupt(GinkgoT().TempDir())
		_, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).To(MatchError(And(ContainSubstring("findings.ndjson can't be written"),
			ContainSubstring(stats.FindingsFile))))
	},
		Entry("in no folder", func(folder string) string { return filepath.Join(folder, "none") }),
		Entry("where a folder has their name", func(folder string) string {
			Expect(os.Mkdir(fileOf(folder), 0o755)).To(Succeed())
			return folder
		}),
	)

	DescribeTable("are not finished where they were touched meanwhile", func(corrupt func(path string)) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 5)
		positionOf(f)
		corrupt(fileOf(folder))
		addFindings(f, 5, 9)
		_, err := f.Finish(9, true)
		Expect(err).To(MatchError(And(ContainSubstring(fileOf(folder)), ContainSubstring("removed or changed"))))
	},
		Entry("removed", func(path string) { Expect(os.Remove(path)).To(Succeed()) }),
		Entry("renamed", func(path string) { Expect(os.Rename(path, path+".old")).To(Succeed()) }),
		Entry("replaced by a copy", func(path string) {
			content, err := os.ReadFile(path)
			Expect(err).NotTo(HaveOccurred())
			Expect(os.Remove(path)).To(Succeed())
			Expect(os.WriteFile(path, content, 0o600)).To(Succeed())
		}),
		Entry("emptied", func(path string) { Expect(os.Truncate(path, 0)).To(Succeed()) }),
		Entry("appended to", func(path string) {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			Expect(err).NotTo(HaveOccurred())
			_, err = file.WriteString(strings.Repeat("{}\n", 10_000))
			Expect(err).NotTo(HaveOccurred())
			Expect(file.Close()).To(Succeed())
		}),
		Entry("changed in one byte", changeByte(10)),
		Entry("replaced by a folder", func(path string) {
			Expect(os.Remove(path)).To(Succeed())
			Expect(os.Mkdir(path, 0o755)).To(Succeed())
		}),
	)
})

// changeByte changes one byte of a file.
func changeByte(at int) func(path string) {
	return func(path string) {
		GinkgoHelper()
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		content[at] ^= 1
		Expect(os.WriteFile(path, content, 0o600)).To(Succeed())
	}
}
