package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

// beginArchive begins the archive in a folder.
func beginArchive(folder string) *record.Answers {
	GinkgoHelper()
	a := testkit.Must(record.OpenAnswers(folder, nil, evidence.Head(""), nil))
	DeferCleanup(a.Close)
	return a
}

// addEntries adds the entries from one number to before another.
func addEntries(a *record.Answers, from, to int, text string) {
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
		again := testkit.Must(record.OpenAnswers(folder, nil, nil, &position))
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
		Entry("a thousand", "", record.MostAnswers+5, record.MostAnswers, "the first 1,000 exchanges"),
		Entry("the last one that begins within 32 MiB", strings.Repeat("x", 12<<20), 5, 3, "the first 3 exchanges"),
	)
})

func heads() map[schemas.Version]string { return map[schemas.Version]string{"v5": "v5", "v6": "v6"} }

var _ = Describe("The list of who differs", func() {
	DescribeTable("of all shards, in the order given,", func(list string) {
		var sources []record.Source
		for shard := range 3 {
			f, folder := beginFindings(nil)
			for _, found := range testkit.Cases[struct {
				List        string
				Shard, User int
				Changes     string
			}]("testdata/shards.yaml") {
				if found.List == list && found.Shard == shard {
					one := numberedFinding(found.User)
					Expect(json.Unmarshal([]byte(found.Changes), one)).To(Succeed())
					Expect(f.Add(one)).To(Succeed())
				}
			}
			digest := testkit.Must(f.Finish(9, true))
			sources = append(sources, record.Source{Folder: folder, Digest: digest})
		}
		var text strings.Builder
		Expect(record.WriteDifferences(&text, heads(), sources)).To(Succeed())
		testkit.ExpectGolden("testdata/"+list+".csv", text.String())
	},
		Entry("has a line for each user, operation and cause, with both values", "differences"),
		Entry("has no cell that a spreadsheet takes for a formula", "formulas"),
		Entry("has no line of a user if nobody differs", "no-differences"),
	)

	DescribeTable("is made of findings as they were written only: not", func(damage func(string), what string) {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 3)
		digest, path := testkit.Must(f.Finish(3, true)), findingsPath(folder)
		damage(path)
		one := record.Source{Folder: folder, Digest: digest}
		Expect(record.WriteDifferences(GinkgoWriter, heads(), []record.Source{one})).To(MatchError(
			And(HavePrefix(path+": "), ContainSubstring(what), Not(ContainSubstring("shard")))))
		one.Shard = stats.Shard{Index: 2, Of: 3}
		Expect(record.WriteDifferences(GinkgoWriter, heads(), []record.Source{one})).To(MatchError(
			And(HavePrefix(path+": "), ContainSubstring(what),
				HaveSuffix("; copy the folder of shard 2/3 again, whole, or sweep that shard again"))))
	},
		Entry("missing", func(path string) { Expect(os.Remove(path)).To(Succeed()) }, "no such file"),
		Entry("cut", func(path string) {
			Expect(os.Truncate(path, testkit.Must(os.Stat(path)).Size()-5)).To(Succeed())
		}, "no footer"),
		Entry("edited", func(path string) {
			testkit.Write(filepath.Dir(path), filepath.Base(path), bytes.Replace(testkit.Read(path), []byte("finding"),
				[]byte("FINDING"), 1))
		}, "another sweep, or was changed"),
		Entry("no JSON any more", func(path string) {
			testkit.Write(filepath.Dir(path), filepath.Base(path), bytes.Replace(testkit.Read(path), []byte("}}"),
				[]byte("}"), 1))
		}, "end of JSON"),
	)
})
