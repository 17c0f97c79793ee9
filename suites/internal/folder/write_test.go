package folder_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/metrics"
	"authenticator-conformance/suites/internal/report"
)

var _ = Describe("The report folder", func() {
	names := []string{report.JSONFile, report.JUnitFile, report.PageFile, report.SummaryFile, metrics.File,
		report.StatementFile}

	It("is made where there is none, with all files and no other", func() {
		_, dir := begunFolder()
		Expect(contentsOf(dir)).To(HaveLen(len(names)))
		for _, name := range names {
			Expect(contentsOf(dir)).To(HaveKey(name))
		}
		Expect(expectWhole(dir)).To(Equal(sameVerdict("no pass")))
		Expect(openFolder(dir).Dir()).To(Equal(dir))
	})

	It("holds the evidence of a run beside them, and the statement knows each by its digest", func() {
		f, dir := begunFolder()
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(expectWhole(dir)).To(Equal(sameVerdict("pass")))
		files := contentsOf(dir)
		Expect(files).To(HaveLen(len(names) + 1))
		Expect(files[report.EvidenceFile]).To(Equal("the evidence"))
		var statement struct {
			Subject []struct {
				Name   string
				Digest map[string]string
			}
		}
		Expect(json.Unmarshal([]byte(files[report.StatementFile]), &statement)).To(Succeed())
		known := map[string]string{}
		for _, s := range statement.Subject {
			known[s.Name] = s.Digest["sha256"]
		}
		Expect(known).To(HaveLen(len(names)))
		for name, content := range files {
			if name != report.StatementFile {
				sum := sha256.Sum256([]byte(content))
				Expect(known[name]).To(Equal(hex.EncodeToString(sum[:])), name)
			}
		}
	})

	It("loses the evidence of an earlier run with its report, unless that is to be judged", func() {
		f, dir := begunFolder()
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		names := unfinishedContent()
		names.KeepArchive = true
		Expect(f.Write(names)).To(Succeed())
		Expect(contentsOf(dir)).To(HaveKeyWithValue(report.EvidenceFile, "the evidence"))
		Expect(expectWhole(dir)).To(Equal(sameVerdict("no pass")))
		Expect(f.Write(unfinishedContent())).To(Succeed())
		Expect(contentsOf(dir)).NotTo(HaveKey(report.EvidenceFile))
	})

	It("keeps what is not of a run", func() {
		f, dir := begunFolder()
		Expect(os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600)).To(Succeed())
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(contentsOf(dir)).To(HaveKeyWithValue("notes.txt", "mine"))
	})

	It("gives the same bytes for the same content", func() {
		one, first := begunFolder()
		two, second := begunFolder()
		Expect(one.Write(passingContent("the evidence"))).To(Succeed())
		Expect(two.Write(passingContent("the evidence"))).To(Succeed())
		Expect(contentsOf(first)).To(Equal(contentsOf(second)))
	})

	It("keeps what has answers and users in it to its owner, also in the place of what everybody could read (J21)",
		func() {
			f, dir := begunFolder()
			// What everybody may read, the umask of whoever starts the tests may keep to fewer.
			public := filepath.Join(GinkgoT().TempDir(), "public")
			Expect(os.WriteFile(public, nil, 0o644)).To(Succeed())
			readable, err := os.Stat(public)
			Expect(err).NotTo(HaveOccurred())
			for name := range contentsOf(dir) {
				Expect(os.Chmod(filepath.Join(dir, name), 0o644)).To(Succeed())
			}
			Expect(f.Write(passingContent("the evidence"))).To(Succeed())
			for name := range contentsOf(dir) {
				mode := os.FileMode(0o600)
				if name == report.StatementFile {
					mode = readable.Mode().Perm()
				}
				info, err := os.Stat(filepath.Join(dir, name))
				Expect(err).NotTo(HaveOccurred())
				Expect(info.Mode().Perm()).To(Equal(mode), name)
			}
		})

	It("is rid of what a killed process left beside its files", func() {
		f, dir := begunFolder()
		Expect(os.WriteFile(filepath.Join(dir, ".report.json4711"), []byte("half"), 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(dir, ".evidence.har1"), []byte("half"), 0o600)).To(Succeed())
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(contentsOf(dir)).NotTo(Or(HaveKey(".report.json4711"), HaveKey(".evidence.har1")))
	})

	It("can be cleared of reports without a file being written", func() {
		f, dir := begunFolder()
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(folder.RemoveReports(dir, folder.Reports()...)).To(Succeed())
		Expect(contentsOf(dir)).To(HaveLen(1))
		Expect(contentsOf(dir)).To(HaveKey(report.EvidenceFile))
		Expect(folder.RemoveReports(dir, folder.Reports()...)).To(Succeed())
	})

	DescribeTable("stays as it was where the evidence can't be made", func(archive func(io.Writer) error) {
		f, dir := begunFolder()
		before := contentsOf(dir)
		content := passingContent("")
		content.Archive = archive
		Expect(f.Write(content)).To(MatchError(And(ContainSubstring(report.EvidenceFile),
			ContainSubstring("the spool is gone"))))
		Expect(contentsOf(dir)).To(Equal(before))
	},
		Entry("at once", func(io.Writer) error { return errors.New("the spool is gone") }),
		Entry("after some of it", func(w io.Writer) error {
			_, _ = io.WriteString(w, `{"log":`)
			return errors.New("the spool is gone")
		}),
		Entry("after much of it", func(w io.Writer) error {
			_, _ = w.Write(make([]byte, 1<<20))
			return errors.New("the spool is gone")
		}),
	)

	DescribeTable("is not another one of the same name", func(replace func(dir string)) {
		f, dir := begunFolder()
		replace(dir)
		Expect(f.Write(passingContent("the evidence"))).To(
			MatchError(And(ContainSubstring(dir), ContainSubstring("removed or replaced"))))
		if entries, err := os.ReadDir(dir); err == nil {
			Expect(entries).To(BeEmpty())
		}
	},
		Entry("removed", func(dir string) { Expect(os.RemoveAll(dir)).To(Succeed()) }),
		Entry("moved away", func(dir string) { Expect(os.Rename(dir, dir+"-old")).To(Succeed()) }),
		Entry("made anew", func(dir string) {
			Expect(os.Rename(dir, dir+"-old")).To(Succeed())
			Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		}),
		Entry("made anew in its place", func(dir string) {
			Expect(os.RemoveAll(dir)).To(Succeed())
			Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		}),
		Entry("a file", func(dir string) {
			Expect(os.RemoveAll(dir)).To(Succeed())
			Expect(os.WriteFile(dir, nil, 0o600)).To(Succeed())
		}),
		Entry("a link to elsewhere", func(dir string) {
			Expect(os.Rename(dir, dir+"-old")).To(Succeed())
			Expect(os.Mkdir(dir+"-other", 0o755)).To(Succeed())
			Expect(os.Symlink(dir+"-other", dir)).To(Succeed())
		}),
	)

	It("is the folder that a link leads to", func() {
		dir := GinkgoT().TempDir()
		Expect(os.Mkdir(filepath.Join(dir, "real"), 0o755)).To(Succeed())
		Expect(os.Symlink("real", filepath.Join(dir, "link"))).To(Succeed())
		f := openFolder(filepath.Join(dir, "link"))
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(expectWhole(filepath.Join(dir, "real"))).To(Equal(sameVerdict("pass")))
	})

	for _, name := range append(names, report.EvidenceFile) {
		It("says so where "+name+" is a folder", func() {
			f, dir := begunFolder()
			Expect(os.RemoveAll(filepath.Join(dir, name))).To(Succeed())
			Expect(os.MkdirAll(filepath.Join(dir, name, "x"), 0o755)).To(Succeed())
			Expect(f.Write(passingContent("the evidence"))).To(
				MatchError(And(ContainSubstring(dir), ContainSubstring("--report-dir"))))
			// What came to its place before may stand there until the error's report replaces it; nothing else is left.
			for left := range contentsOf(dir) {
				Expect(append(names, report.EvidenceFile)).To(ContainElement(left))
			}
			_ = f.Write(unfinishedContent()) // it can't be whole either
			for file, content := range contentsOf(dir) {
				Expect(content).NotTo(MatchRegexp(`"verdict": "pass"|"PASSED"`), file)
			}
		})
	}

	It("can't be opened below a file, or as one", func() {
		file := filepath.Join(GinkgoT().TempDir(), "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		for _, dir := range []string{file, filepath.Join(file, "reports")} {
			_, err := folder.Open(dir)
			Expect(err).To(MatchError(And(ContainSubstring(dir), ContainSubstring("AUTHN_REPORT_DIR"))))
		}
	})
})
