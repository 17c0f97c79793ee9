package record_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

var _ = Describe("The findings of a sweep", func() {
	const all = 6

	It("replace those of an earlier sweep by a header, a line for each, and a footer with the digest of them", func() {
		earlier, folder := beginFindings(nil)
		addFindings(earlier, 0, 50)
		f := testkit.Must(record.Open(folder, nil, sweepHeader(), nil))
		DeferCleanup(f.Close)
		addFindings(f, 0, 2)
		Expect(f.Add(numberedFinding(2, func(one *stats.Finding) { one.Actual = "<b>&\"\\\n\r\u2028 é \x00" }))).
			To(Succeed())
		digest := testkit.Must(f.Finish(17, false))
		text := findingsText(folder)
		testkit.ExpectGolden("testdata/findings.ndjson", text)
		before, _, _ := strings.Cut(text, `{"line":"footer"`)
		Expect(digest).To(Equal(fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(before)))))
	})

	It("are never written through a link, and not resumed through one", func() {
		folder, other := GinkgoT().TempDir(), testkit.Write(GinkgoT().TempDir(), "other", []byte("somebody's"))
		Expect(os.Symlink(other, findingsPath(folder))).To(Succeed())
		f := testkit.Must(record.Open(folder, nil, sweepHeader(), nil))
		at := storedPosition(f)
		f.Close()
		Expect(testkit.Read(other)).To(BeEquivalentTo("somebody's"))
		Expect(testkit.Must(os.Lstat(findingsPath(folder))).Mode()).To(Equal(os.FileMode(0o600)), "they hold users")

		Expect(os.Rename(findingsPath(folder), other)).To(Succeed())
		Expect(os.Symlink(other, findingsPath(folder))).To(Succeed())
		before := findingsText(folder)
		_, err := record.Open(folder, nil, sweepHeader(), &at)
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring("is a link"))))
		Expect(findingsText(folder)).To(Equal(before))
	})

	It("can't begin in no folder, and where a folder has their name", func() {
		taken := GinkgoT().TempDir()
		Expect(os.Mkdir(findingsPath(taken), 0o755)).To(Succeed())
		for _, folder := range []string{filepath.Join(taken, "none"), taken} {
			_, err := record.Open(folder, nil, sweepHeader(), nil)
			Expect(err).To(MatchError(ContainSubstring("findings.ndjson can't be written")))
		}
	})

	DescribeTable("are not finished if meanwhile they were", func(corrupt func(string, *record.Position)) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 5)
		storedPosition(f)
		corrupt(findingsPath(folder), nil)
		addFindings(f, 5, 9)
		_, err := f.Finish(9, true)
		Expect(err).To(MatchError(And(ContainSubstring(findingsPath(folder)), ContainSubstring("removed or changed"))))
	},
		Entry("removed", removeFile),
		Entry("replaced by a copy", func(path string, _ *record.Position) {
			content := testkit.Read(path)
			Expect(os.Remove(path)).To(Succeed())
			testkit.Write("", path, content)
		}),
		Entry("replaced by a folder", replaceByFolder),
		Entry("emptied", emptyFile),
		Entry("appended to", func(path string, _ *record.Position) {
			file := testkit.Must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
			testkit.Must(file.WriteString(strings.Repeat("{}\n", 10_000)))
			Expect(file.Close()).To(Succeed())
		}),
		Entry("changed in one byte", changeByte),
	)

	It("equal those of a sweep that was never stopped, wherever a process was killed after the position", func() {
		whole := writtenAtOnce(all)
		for _, marked := range []int{0, 3, all} {
			f, folder := beginFindings(nil)
			addFindings(f, 0, marked)
			at := storedPosition(f)
			tails := []string{"\x00", string(make([]byte, 4096)), "{}\n", `{"line":"footer","users":1}` + "\n", whole}
			for end := int(at.Size); end <= len(whole); end += 1 + (len(whole)-end)/10 { // more of them near the end
				tails = append(tails, whole[at.Size:end])
			}
			for _, tail := range tails {
				testkit.Write(folder, stats.FindingsFile, []byte(whole[:at.Size]+tail))
				f := resumeFindings(folder, at)
				Expect(findingsText(folder)).To(Equal(whole[:at.Size]), "what is behind the position is cut off")
				addFindings(f, marked, all)
				testkit.Must(f.Finish(all, true))
				f.Close()
				Expect(findingsText(folder)).To(Equal(whole), "killed after %q, marked %d", tail, marked)
			}
		}
	})

	DescribeTable("are not resumed, and not touched,", func(corrupt func(path string, at *record.Position),
		what string) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, all)
		at := storedPosition(f)
		addFindings(f, all, 2*all)
		storedPosition(f)
		corrupt(findingsPath(folder), &at)
		before, _ := os.ReadFile(findingsPath(folder))
		_, err := record.Open(folder, nil, sweepHeader(), &at)
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring(findingsPath(folder)),
			ContainSubstring(what), ContainSubstring("--restart"))))
		after, _ := os.ReadFile(findingsPath(folder))
		Expect(after).To(Equal(before), "nothing is cut off of what is not ours")
	},
		Entry("if they were removed", removeFile, "no such file"),
		Entry("if a folder has their name", replaceByFolder, "is a directory"),
		Entry("if they are empty", emptyFile, "changed meanwhile"),
		Entry("if a byte is missing before the position", func(path string, at *record.Position) {
			Expect(os.Truncate(path, at.Size-1)).To(Succeed())
		}, "changed meanwhile"),
		Entry("if a byte in their middle is another", changeByte, "changed meanwhile"),
		Entry("from a position without a digest", func(_ string, at *record.Position) { at.Digest = nil },
			"changed meanwhile"),
		Entry("from a position with another digest", func(_ string, at *record.Position) { at.Digest[20] ^= 1 },
			"changed meanwhile"),
		Entry("from one byte before the position", func(_ string, at *record.Position) { at.Size-- },
			"changed meanwhile"),
		Entry("from far behind", func(_ string, at *record.Position) { at.Size = 1 << 62 }, "changed meanwhile"),
		Entry("from the position of an empty file", func(_ string, at *record.Position) {
			*at = record.Position{Digest: sha256.New().Sum(nil)}
		}, "knows of no line"),
	)
})

func removeFile(path string, _ *record.Position) { Expect(os.Remove(path)).To(Succeed()) }

func replaceByFolder(path string, at *record.Position) {
	removeFile(path, at)
	Expect(os.Mkdir(path, 0o755)).To(Succeed())
}

func emptyFile(path string, _ *record.Position) { Expect(os.Truncate(path, 0)).To(Succeed()) }

func changeByte(path string, _ *record.Position) {
	content := testkit.Read(path)
	content[500] ^= 1
	testkit.Write("", path, content)
}

const (
	secret = `k/7"<'>q&Zw9+=x~8`
	plain  = "plain-9f86d081884c7d65"
)

// expectLeak asserts that an error tells of a leak into a file.
func expectLeak(err error, file string) {
	GinkgoHelper()
	var leak *sanitize.Leak
	Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
	Expect(leak.File).To(Equal(file))
	Expect(err.Error()).NotTo(ContainSubstring(secret))
}

var _ = Describe("A secret", func() {
	guard := func() *sanitize.Guard { return sanitize.NewGuard("", plain, secret) }

	It("is not written into the findings in any member or form, nor is anything that follows", func() {
		for _, change := range []func(one *stats.Finding){
			func(one *stats.Finding) { one.Actual = "v6 shows: " + secret },
			func(one *stats.Finding) { one.User.ID = plain }, func(one *stats.Finding) { one.User.UserID = plain },
			func(one *stats.Finding) { one.Pointer = "/" + plain }, func(one *stats.Finding) { one.Expected = plain },
			func(one *stats.Finding) { one.Kind = plain }, func(one *stats.Finding) { one.Requirement = plain },
		} {
			f, folder := beginFindings(guard())
			addFindings(f, 0, 3)
			before := storedPosition(f)
			clean := findingsText(folder)
			expectLeak(f.Add(numberedFinding(3, change)), stats.FindingsFile)
			expectLeak(f.Add(numberedFinding(4)), stats.FindingsFile)
			_, err := f.Finish(5, true)
			expectLeak(err, stats.FindingsFile)
			Expect(findingsText(folder)).To(Equal(clean))
			resumeFindings(folder, before)
		}
	})

	It("is not written into the header of the findings, nor into the archive", func() {
		folder, h := GinkgoT().TempDir(), sweepHeader()
		h.Identity.Rules = plain
		_, err := record.Open(folder, guard(), h, nil)
		expectLeak(err, stats.FindingsFile)
		Expect(findingsText(folder)).To(BeEmpty())
		a := testkit.Must(record.OpenAnswers(folder, guard(), evidence.Head(""), nil))
		DeferCleanup(a.Close)
		expectLeak(a.Add([]byte(`{"n":"`+plain+`"}`)), stats.AnswersFile)
	})

	It("is seen if it stands across two lines, and its second half is not written", func() {
		across := `"exchange":"u1.2","waived":false}` + "\n" + `{"line":"finding","user":{"index":2`
		f, folder := beginFindings(sanitize.NewGuard("", across))
		addFindings(f, 0, 2)
		storedPosition(f)
		clean := findingsText(folder)
		expectLeak(f.Add(numberedFinding(2)), stats.FindingsFile)
		_, _ = f.Finish(2, true)
		Expect(findingsText(folder)).To(Equal(clean))
	})

	It("is not written into the checkpoint, nor into a file beside it", func() {
		folder, c := saveCheckpoint(4), checkpointAfter(4)
		c.Tally.Groups[0].Sample[0].Actual = "v6 shows: " + secret
		expectLeak(record.WriteCheckpoint(folder, guard(), testkit.Must(c.Text())), stats.CheckpointFile)
		Expect(fileNames(folder)).To(Equal([]string{stats.CheckpointFile}))
		Expect(testkit.Read(folder, stats.CheckpointFile)).To(Equal(checkpointText(4)))
	})

	It("is no obstacle to a text that only looks like it", func() {
		f, folder := beginFindings(guard())
		Expect(f.Add(numberedFinding(0, func(one *stats.Finding) { one.Actual = plain[:9] + " " + plain[9:] }))).
			To(Succeed())
		testkit.Must(f.Finish(1, true))
		Expect(findingsText(folder)).To(ContainSubstring(plain[:9] + " " + plain[9:]))
	})
})
