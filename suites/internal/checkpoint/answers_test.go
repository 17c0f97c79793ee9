package checkpoint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// beginArchive begins the archive in a folder.
func beginArchive(folder string) *checkpoint.Answers {
	GinkgoHelper()
	a := testkit.Must(checkpoint.BeginAnswers(folder, nil, evidence.Head("")))
	DeferCleanup(a.Close)
	return a
}

// addEntries adds the entries from one number to before another.
func addEntries(a *checkpoint.Answers, from, to int, text string) {
	GinkgoHelper()
	for n := from; n < to; n++ {
		Expect(a.Add(fmt.Appendf(nil, `{"n":%d,"text":"%s"}`, n, text))).To(Succeed())
	}
}

// expectEntries expects the archive in a folder to have the entries before a number, and returns its comment.
func expectEntries(folder string, number int) string {
	GinkgoHelper()
	var archive struct {
		Log struct {
			Entries []struct{ N int }
			Comment string
		}
	}
	Expect(json.Unmarshal(testkit.Read(folder, stats.AnswersFile), &archive)).To(Succeed())
	Expect(archive.Log.Entries).To(HaveLen(number))
	for i, entry := range archive.Log.Entries {
		Expect(entry.N).To(Equal(i))
	}
	return archive.Log.Comment
}

var _ = Describe("The archive of those who differ", func() {
	It("is a HAR for its owner alone, and continues from a position without what came after it", func() {
		folder := GinkgoT().TempDir()
		a := beginArchive(folder)
		addEntries(a, 0, 2, "é")
		position := testkit.Must(a.Position())
		addEntries(a, 2, 4, "lost")
		Expect(a.Finish()).To(Succeed())
		again := testkit.Must(checkpoint.ResumeAnswers(folder, nil, position))
		DeferCleanup(again.Close)
		addEntries(again, 2, 3, "again")
		Expect(again.Finish()).To(Succeed())
		expectEntries(folder, 3)
		creator := regexp.MustCompile(`"version":"[^"]*"}`)
		testkit.ExpectGolden("testdata/differences.har",
			creator.ReplaceAllString(string(testkit.Read(folder, stats.AnswersFile)), `"version":"*"}`))
		Expect(testkit.Must(os.Stat(filepath.Join(folder, stats.AnswersFile))).Mode().Perm()).To(
			Equal(os.FileMode(0o600)))
	})

	It("has no entries if nobody differs, and no file without a folder", func() {
		folder := GinkgoT().TempDir()
		Expect(beginArchive(folder).Finish()).To(Succeed())
		expectEntries(folder, 0)
		a := beginArchive("")
		addEntries(a, 0, 2, "")
		Expect(a.Finish()).To(Succeed())
	})

	DescribeTable("has the first exchanges up to a bound, and says that there were more:",
		func(text string, more, number int, comment string) {
			folder := GinkgoT().TempDir()
			a := beginArchive(folder)
			addEntries(a, 0, more, text)
			Expect(a.Full()).To(BeTrue())
			Expect(a.Finish()).To(Succeed())
			Expect(expectEntries(folder, number)).To(ContainSubstring(comment))
		},
		Entry("a thousand", "", checkpoint.MostAnswers+5, checkpoint.MostAnswers, "the first 1,000 exchanges"),
		Entry("the last one that begins within 32 MiB", strings.Repeat("x", 12<<20), 5, 3, "the first 3 exchanges"),
	)
})

// endFindings writes findings in a folder of the spec's own, with their footer.
func endFindings(list ...*stats.Finding) checkpoint.Source {
	GinkgoHelper()
	f, folder := beginFindings(nil)
	for _, one := range list {
		Expect(f.Add(one)).To(Succeed())
	}
	return checkpoint.Source{Folder: folder, Digest: testkit.Must(f.Finish(9, true)).Digest}
}

func expectDifferences(golden string, sources ...checkpoint.Source) {
	GinkgoHelper()
	var b strings.Builder
	Expect(checkpoint.WriteDifferences(&b, schemas.Versions(), sources)).To(Succeed())
	testkit.ExpectGolden("testdata/"+golden, b.String())
}

// withValues puts what both versions show into a finding.
func withValues(v5, v6 string) func(*stats.Finding) {
	return func(f *stats.Finding) {
		f.Values = map[schemas.Version]string{schemas.V5: v5, schemas.V6: v6}
	}
}

// brokenBy makes a finding a breach of the contract by one version.
func brokenBy(v schemas.Version, value string) func(*stats.Finding) {
	return func(f *stats.Finding) {
		f.Version, f.Requirement, f.Kind = v, "2.1/Flags", "type"
		f.SetValue(v, value)
	}
}

var _ = Describe("The list of who differs", func() {
	It("has a line for each user, operation and cause, with both values, of all shards in the order given", func() {
		waived := func(f *stats.Finding) { f.Waived = true }
		open := func(f *stats.Finding) { f.Requirement, f.Kind = "", string(stats.NotComparable) }
		elsewhere := func(f *stats.Finding) { f.Pointer = "/Other" }
		otherwise := func(f *stats.Finding) { f.Kind = "form" }
		another := func(f *stats.Finding) { f.Requirement = "2.1/Other" }
		onList := func(f *stats.Finding) { f.Operation = schemas.FindByUserIDs }
		expectDifferences("differences.csv", endFindings(numberedFinding(4)), endFindings(),
			endFindings(numberedFinding(0, withValues(`"a, ""b"`, `{"c":1}`)),
				numberedFinding(1, brokenBy(schemas.V5, `"3"`)), numberedFinding(1, brokenBy(schemas.V6, `"4"`)),
				numberedFinding(1, withValues("null", "")), numberedFinding(2, brokenBy(schemas.V6, "3.5")),
				numberedFinding(3, waived), numberedFinding(5, open),
				numberedFinding(6, brokenBy(schemas.V5, "1")), numberedFinding(6, brokenBy(schemas.V5, "2")),
				numberedFinding(6, brokenBy(schemas.V6, "3"), elsewhere),
				numberedFinding(6, brokenBy(schemas.V6, "4"), otherwise),
				numberedFinding(6, brokenBy(schemas.V6, "5"), another),
				numberedFinding(6, brokenBy(schemas.V6, "6"), onList)))
		expectDifferences("no-differences.csv", endFindings())
	})

	It("has no cell that a spreadsheet takes for a formula", func() {
		var list []*stats.Finding
		for n, begin := range []string{"=", "+", "-", "@", "\t", "\r"} {
			list = append(list, numberedFinding(n, withValues(begin+"2", "x"+begin), func(f *stats.Finding) {
				f.User.UserID = begin + "1+1"
			}))
		}
		expectDifferences("formulas.csv", endFindings(list...))
	})

	It("is made of complete findings only, of the sweep that is meant", func() {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 3)
		storedPosition(f)
		expectFault := func(what string) {
			GinkgoHelper()
			Expect(checkpoint.WriteDifferences(GinkgoWriter, schemas.Versions(),
				[]checkpoint.Source{{Folder: folder, Digest: digest}})).To(
				MatchError(And(ContainSubstring(findingsPath(folder)), ContainSubstring(what))))
		}
		expectFault("no footer")
		testkit.Must(f.Finish(3, true))
		expectFault("another sweep")
		Expect(os.Remove(findingsPath(folder))).To(Succeed())
		expectFault("no such file")
	})
})
