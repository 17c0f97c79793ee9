package checkpoint_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/stats"
)

// endedFindings are findings in a folder of the spec's own, with their footer.
func endedFindings(list ...*stats.Finding) checkpoint.Source {
	GinkgoHelper()
	f, folder := beginFindings(nil)
	for _, one := range list {
		Expect(f.Add(one)).To(Succeed())
	}
	return checkpoint.Source{Folder: folder, Digest: finishFindings(f, 9, true).Digest}
}

func differencesOf(sources ...checkpoint.Source) string {
	GinkgoHelper()
	var b strings.Builder
	Expect(checkpoint.WriteDifferences(&b, schemas.Versions(), sources)).To(Succeed())
	return b.String()
}

// changedFinding is the n-th finding, changed.
func changedFinding(n int, change func(*stats.Finding)) *stats.Finding {
	f := numberedFinding(n)
	change(f)
	return f
}

// violationFinding is a breach of the contract by one version.
func violationFinding(n int, v schemas.Version, value string) *stats.Finding {
	return changedFinding(n, func(f *stats.Finding) {
		f.Version, f.Requirement, f.Kind = v, "2.1/Flags", "type"
		f.SetValue(v, value)
	})
}

// bothValues are those of both versions.
func bothValues(v5, v6 string) map[schemas.Version]string {
	return map[schemas.Version]string{schemas.V5: v5, schemas.V6: v6}
}

const heading = "user,id,operation,requirement,place,kind,v5,v6\r\n"

var _ = Describe("The list of who differs", func() {
	const id = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"

	It("has a line for each user, operation and cause, with the values of both versions", func() {
		text := differencesOf(endedFindings(
			changedFinding(0, func(f *stats.Finding) { f.Values = bothValues(`"a, ""b"`, `{"c":1}`) }),
			violationFinding(1, schemas.V5, `"3"`), violationFinding(1, schemas.V6, `"4"`),
			changedFinding(1, func(f *stats.Finding) { f.Values = bothValues("null", "") }),
			violationFinding(2, schemas.V6, "3.5"),
		))
		Expect(text).To(Equal(heading +
			`u-0,` + id + `,getUserAuth,9.3/getUserAuth/values,/Flags,value,"""a, """"b""","{""c"":1}"` + "\r\n" +
			`u-1,` + id + `,getUserAuth,2.1/Flags,/Flags,type,"""3""","""4"""` + "\r\n" +
			`u-1,` + id + `,getUserAuth,9.3/getUserAuth/values,/Flags,value,null,` + "\r\n" +
			`u-2,` + id + `,getUserAuth,2.1/Flags,/Flags,type,,3.5` + "\r\n"))
	})

	It("is a header where nobody differs, and leaves out what is waived and who could not be compared", func() {
		Expect(differencesOf(endedFindings())).To(Equal(heading))
		Expect(differencesOf(endedFindings(
			changedFinding(0, func(f *stats.Finding) { f.Waived = true }),
			changedFinding(1, func(f *stats.Finding) { f.Requirement, f.Kind = "", string(stats.NotComparable) }),
		))).To(Equal(heading))
	})

	It("has no cell that a spreadsheet takes for a formula", func() {
		for _, begin := range []string{"=", "+", "-", "@", "\t", "\r"} {
			text := differencesOf(endedFindings(changedFinding(0, func(f *stats.Finding) {
				f.User.UserID, f.Values = begin+"1+1", bothValues(begin+"2", "x"+begin)
			})))
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			Expect(err).NotTo(HaveOccurred())
			Expect(rows[1][0]).To(HavePrefix("'"))
			Expect(rows[1][6]).To(HavePrefix("'"))
			Expect(rows[1][7]).To(HavePrefix("x"))
		}
	})

	It("joins shards in the order given", func() {
		text := differencesOf(endedFindings(numberedFinding(4)), endedFindings(numberedFinding(1), numberedFinding(2)))
		Expect(strings.Count(text, heading)).To(Equal(1))
		Expect(text).To(MatchRegexp(`(?s)u-4.*u-1.*u-2`))
	})

	It("is made of complete findings only, of the sweep that is meant", func() {
		f, folder := beginFindings(nil)
		addFindings(f, 0, 3)
		positionOf(f)
		Expect(checkpoint.WriteDifferences(io.Discard, schemas.Versions(),
			[]checkpoint.Source{{Folder: folder, Digest: digest}})).To(
			MatchError(And(ContainSubstring(fileOf(folder)), ContainSubstring("no footer"))))
		finishFindings(f, 3, true)
		Expect(checkpoint.WriteDifferences(io.Discard, schemas.Versions(),
			[]checkpoint.Source{{Folder: folder, Digest: digest}})).To(
			MatchError(And(ContainSubstring(fileOf(folder)), ContainSubstring("another sweep"))))
		Expect(os.Remove(fileOf(folder))).To(Succeed())
		Expect(checkpoint.WriteDifferences(io.Discard, schemas.Versions(), []checkpoint.Source{{Folder: folder}})).To(
			MatchError(And(ContainSubstring(fileOf(folder)), ContainSubstring("no such file"))))
	})

	It("takes no more memory for many findings", func() {
		f, folder := beginFindings(nil)
		const many = 50_000
		addFindings(f, 0, many)
		source := checkpoint.Source{Folder: folder, Digest: finishFindings(f, many, true).Digest}
		var lines counter
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Expect(checkpoint.WriteDifferences(&lines, schemas.Versions(), []checkpoint.Source{source})).To(Succeed())
		runtime.GC()
		runtime.ReadMemStats(&after)
		Expect(int(lines)).To(Equal(many + 1))
		Expect(int64(after.HeapAlloc) - int64(before.HeapAlloc)).To(BeNumerically("<", 1<<20))
	})
})

// counter counts lines.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(strings.Count(string(p), "\n"))
	return len(p), nil
}

var _ = Describe("What an earlier sweep left", func() {
	// report puts a sweep.json into a folder.
	report := func(folder string, change func(*stats.Summary)) {
		GinkgoHelper()
		s := summaryOf(countedUsers(6))
		change(s)
		s.Conclude()
		file, err := os.Create(fmt.Sprintf("%s/%s", folder, stats.SummaryFile))
		Expect(err).NotTo(HaveOccurred())
		Expect(stats.Write(file, s)).To(Succeed())
		Expect(file.Close()).To(Succeed())
	}

	It("is nothing in an empty folder, and after a sweep that looked at nobody", func() {
		Expect(checkpoint.Peek(GinkgoT().TempDir())).To(Equal(checkpoint.Earlier{}))
		Expect(checkpoint.Peek(saveCheckpoint(someCheckpoint(0)))).To(Equal(checkpoint.Earlier{}))
	})

	It("is unfinished without the report of its end", func() {
		folder := saveCheckpoint(someCheckpoint(6))
		Expect(checkpoint.Peek(folder)).To(Equal(checkpoint.Earlier{Begun: true, Users: 6}))
		Expect(checkpoint.Peek(folder).Unfinished()).To(BeTrue())
		report(folder, func(s *stats.Summary) { s.Complete = false })
		Expect(checkpoint.Peek(folder).Unfinished()).To(BeTrue())
		report(folder, func(s *stats.Summary) { s.Sweep = "another" })
		Expect(checkpoint.Peek(folder).Unfinished()).To(BeTrue())
	})

	It("is finished with it", func() {
		folder := saveCheckpoint(someCheckpoint(6))
		report(folder, func(*stats.Summary) {})
		Expect(checkpoint.Peek(folder)).To(Equal(checkpoint.Earlier{Begun: true, Users: 6, Finished: true}))
		Expect(checkpoint.Peek(folder).Unfinished()).To(BeFalse())
	})

	It("is unfinished where its checkpoint can't be read", func() {
		folder := saveCheckpoint(someCheckpoint(6))
		Expect(os.WriteFile(folder+"/"+checkpoint.CheckpointFile, []byte("{"), 0o600)).To(Succeed())
		Expect(checkpoint.Peek(folder).Unfinished()).To(BeTrue())
	})
})
