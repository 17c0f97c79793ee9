package folder_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The report folder", func() {
	var f *folder.Folder
	var dir string
	BeforeEach(func() { f, dir = begunFolder() })

	It("is made if there is none, with all files and no other", func() {
		Expect(contentsOf(dir)).To(HaveLen(len(folder.Reports())))
		expectWhole(dir, false)
		Expect(openFolder(dir).Dir()).To(Equal(dir))
	})

	It("holds the evidence of a run beside them, and the statement knows each by its digest", func() {
		testkit.Write(dir, "notes.txt", []byte("mine"))
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		expectWhole(dir, true)
		files := contentsOf(dir)
		Expect(files).To(And(HaveKeyWithValue("notes.txt", "mine"),
			HaveKeyWithValue(report.EvidenceFile, "the evidence")), "what is not of a run is kept")
		var statement struct {
			Subject []struct {
				Name   string
				Digest map[string]string
			}
		}
		Expect(json.Unmarshal([]byte(files[report.StatementFile]), &statement)).To(Succeed())
		Expect(statement.Subject).To(HaveLen(len(folder.Reports())))
		for _, s := range statement.Subject {
			sum := sha256.Sum256([]byte(files[s.Name]))
			Expect(s.Digest["sha256"]).To(Equal(hex.EncodeToString(sum[:])), s.Name)
		}

		again, other := begunFolder()
		Expect(again.Write(passingContent("the evidence"))).To(Succeed())
		delete(files, "notes.txt")
		Expect(contentsOf(other)).To(Equal(files), "the same content gives the same bytes")
	})

	It("gets a number if another one has its date", func() {
		in := filepath.Join(dir, "{date}", "of {date}")
		first := folder.Dated(in, noonOfSpecs)
		Expect(first).To(Equal(filepath.Join(dir, "2026-03-04T120000Z", "of 2026-03-04T120000Z")))
		Expect(folder.Dated(in, noonOfSpecs)).To(Equal(strings.ReplaceAll(first, "Z", "Z-2")))
		Expect(folder.Dated(in, noonOfSpecs)).To(Equal(strings.ReplaceAll(first, "Z", "Z-3")))
		Expect(folder.Dated(dir, noonOfSpecs)).To(Equal(dir))
		blocked := filepath.Join(testkit.Write(dir, "file", nil), "{date}")
		Expect(folder.Dated(blocked, noonOfSpecs)).To(HaveSuffix("file/2026-03-04T120000Z"), "it can't be made")
	})

	It("is of one run of a program", func() {
		at := folder.Place{Dir: dir, Since: time.Now().Add(-time.Minute), MetricsFile: func() string { return "" }}
		before := contentsOf(dir)
		Expect(folder.Live(at, folder.Run{}, error.Error, nil)).To(MatchError(And(ContainSubstring(
			"got the reports of another run since this program began"), ContainSubstring("give each its own"))))
		Expect(contentsOf(dir)).To(Equal(before))
	})

	It("loses the evidence of an earlier run with its report", func() {
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(f.Write(unfinishedContent())).To(Succeed())
		Expect(contentsOf(dir)).NotTo(HaveKey(report.EvidenceFile))
	})

	It("keeps what has answers and users in it to its owner, also in the place of what everybody could read (J21)",
		func() {
			// What everybody may read, the umask of whoever starts the tests may keep to fewer.
			public := filepath.Join(GinkgoT().TempDir(), "public")
			Expect(os.WriteFile(public, nil, 0o644)).To(Succeed())
			for name := range contentsOf(dir) {
				Expect(os.Chmod(filepath.Join(dir, name), 0o644)).To(Succeed())
			}
			Expect(f.Write(passingContent("the evidence"))).To(Succeed())
			for name := range contentsOf(dir) {
				mode := os.FileMode(0o600)
				if name == report.StatementFile || name == metrics.File {
					mode = testkit.Must(os.Stat(public)).Mode().Perm()
				}
				Expect(testkit.Must(os.Stat(filepath.Join(dir, name))).Mode().Perm()).To(Equal(mode), name)
			}
		})

	It("is rid of what a killed process left beside its files", func() {
		testkit.Write(dir, ".report.json4711", []byte("half"))
		testkit.Write(dir, ".evidence.har1", []byte("half"))
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(contentsOf(dir)).To(HaveLen(len(folder.Reports()) + 1))
	})

	It("can be cleared of reports without a file being written", func() {
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		for range 2 {
			Expect(folder.RemoveReports(dir, folder.Reports()...)).To(Succeed())
			Expect(contentsOf(dir)).To(Equal(map[string]string{report.EvidenceFile: "the evidence"}))
		}
	})

	It("stays as it was if the evidence can't be made, however much of it was", func() {
		before := contentsOf(dir)
		for _, size := range []int{0, 8, 1 << 20} {
			content := passingContent("")
			for _, c := range []struct{ path, says string }{
				{"/elsewhere/findings", "making evidence.har: open /elsewhere/findings: file does not exist"},
				{filepath.Join(dir, ".spool"), "making evidence.har: the report folder"},
			} {
				content.Archive = func(w io.Writer) error {
					_, _ = w.Write(make([]byte, size))
					return &fs.PathError{Op: "open", Path: c.path, Err: fs.ErrNotExist}
				}
				Expect(f.Write(content)).To(MatchError(HavePrefix(c.says)))
				Expect(contentsOf(dir)).To(Equal(before))
			}
		}
	})

	DescribeTable("is not another one of the same name", func(replace func()) {
		replace()
		for _, err := range []error{f.Write(passingContent("the evidence")), f.Put(nil, textFile("a.json", "new"))} {
			Expect(err).To(MatchError(And(ContainSubstring(dir), ContainSubstring("removed or replaced"))))
		}
		if entries, err := os.ReadDir(dir); err == nil {
			Expect(entries).To(BeEmpty())
		}
	},
		Entry("removed", func() { Expect(os.RemoveAll(dir)).To(Succeed()) }),
		Entry("moved away", func() { Expect(os.Rename(dir, dir+"-old")).To(Succeed()) }),
		Entry("made anew", func() {
			Expect(os.Rename(dir, dir+"-old")).To(Succeed())
			Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		}),
		Entry("made anew in its place", func() {
			Expect(os.RemoveAll(dir)).To(Succeed())
			Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		}),
		Entry("a file", func() {
			Expect(os.RemoveAll(dir)).To(Succeed())
			Expect(os.WriteFile(dir, nil, 0o600)).To(Succeed())
		}),
		Entry("a link to elsewhere", func() {
			Expect(os.Rename(dir, dir+"-old")).To(Succeed())
			Expect(os.Mkdir(dir+"-other", 0o755)).To(Succeed())
			Expect(os.Symlink(dir+"-other", dir)).To(Succeed())
		}),
	)

	DescribeTable("and the files of another one are no place for the file of a flag:", func(path string, refused bool) {
		other := filepath.Join(filepath.Dir(dir), "other")
		Expect(openFolder(other).Write(passingContent("the evidence"))).To(Succeed())
		Expect(os.Symlink("reports", dir+"-link")).To(Succeed())
		err := folder.CheckOutside("--flag", filepath.Join(filepath.Dir(dir), path), dir)
		if refused {
			Expect(err).To(MatchError(And(HavePrefix("--flag: "), ContainSubstring("is in the report folder"))))
		} else {
			Expect(err).NotTo(HaveOccurred())
		}
	},
		Entry("its report", "reports/report.json", true), Entry("a new file in it", "reports/baseline.json", true),
		Entry("by a link", "reports-link/metrics.prom", true), Entry("those of another one", "other/report.json", true),
		Entry("what is beside them", "other/baseline.json", false), Entry("outside", "report.json", false),
		Entry("where no folder is", "none/report.json", false),
	)

	It("is the folder that a link leads to", func() {
		Expect(os.Symlink("reports", dir+"-link")).To(Succeed())
		Expect(openFolder(dir + "-link").Write(passingContent("the evidence"))).To(Succeed())
		expectWhole(dir, true)
	})

	for _, name := range append(folder.Reports(), report.EvidenceFile) {
		It("is named if "+name+" in it is a folder", func() {
			Expect(os.RemoveAll(filepath.Join(dir, name))).To(Succeed())
			Expect(os.MkdirAll(filepath.Join(dir, name, "x"), 0o755)).To(Succeed())
			Expect(f.Write(passingContent("the evidence"))).To(
				MatchError(And(ContainSubstring(dir), ContainSubstring("--report-dir"))))
			// What came to its place before may stand there until the error's report replaces it; nothing else is left.
			for left := range contentsOf(dir) {
				Expect(append(folder.Reports(), report.EvidenceFile)).To(ContainElement(left))
			}
			_ = f.Write(unfinishedContent()) // it can't be whole either
			for file, content := range contentsOf(dir) {
				Expect(content).NotTo(MatchRegexp(`"verdict": "pass"|"PASSED"`), file)
			}
		})
	}

	It("has a file that shows whose it is if any is in it, however far the first report came", func() {
		for _, name := range []string{report.PageFile, report.StatementFile, metrics.File, "sweep.html"} {
			fresh := filepath.Join(dir, "before "+name)
			for _, write := range []func(*folder.Folder) error{
				func(f *folder.Folder) error { return f.Write(unfinishedContent()) },
				func(f *folder.Folder) error {
					return f.Put(nil, textFile("sweep.html", ""), textFile("a.prom", ""), textFile("sweep.json", ""))
				},
			} {
				Expect(os.MkdirAll(filepath.Join(fresh, name, "x"), 0o755)).To(Succeed())
				_ = write(openFolder(fresh)) // a folder can't be replaced by a file
				Expect(os.RemoveAll(filepath.Join(fresh, name))).To(Succeed())
				if left := contentsOf(fresh); len(left) > 0 {
					Expect(left).To(Or(HaveKey(report.JSONFile), HaveKey("sweep.json")), name)
				}
				Expect(os.RemoveAll(fresh)).To(Succeed())
			}
		}
	})

	It("can't be opened below a file, or as one", func() {
		file := testkit.Write(dir, "file", nil)
		for _, dir := range []string{file, filepath.Join(file, "reports")} {
			_, err := folder.Open(dir)
			Expect(err).To(MatchError(And(ContainSubstring(dir), ContainSubstring("AUTHN_REPORT_DIR"))))
		}
	})
})

var _ = Describe("The guard against leaks", func() {
	// The second secret has what every encoding must escape.
	const plain, odd = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K", `W<x"Y&z'9+k/L=m%p\R;q~{n}[o] v^2|T~u:8?h@j`
	var f *folder.Folder
	var dir string
	var unchanged map[string]string
	BeforeEach(func() {
		f, dir = begunFolder()
		unchanged = contentsOf(dir)
	})

	It("keeps back every file if the evidence holds a secret, also one that stands across two writes", func() {
		for _, secret := range []string{plain, odd} {
			for _, before := range []int{0, 4096 - 20, 1<<16 - 41, 1<<16 - 1, 3<<16 - 7} {
				content := passingContent(strings.Repeat("-", before) + secret + strings.Repeat("-", 100))
				content.Guard = sanitize.NewGuard("", secret)
				expectLeak(f.Write(content), secret, report.EvidenceFile)
				Expect(contentsOf(dir)).To(Equal(unchanged))
			}
		}
	})

	DescribeTable("looks into every file", func(change func(*report.Report), file string) {
		content := passingContent("nothing in it")
		change(content.Report)
		content.Report.Judge()
		content.Guard = sanitize.NewGuard("", plain)
		// The page shows nearly everything, and is made first.
		expectLeak(f.Write(content), plain, file, report.PageFile)
		Expect(contentsOf(dir)).To(Equal(unchanged))
	},
		Entry("a note", func(r *report.Report) { r.Notes = []string{"note " + plain} }, report.PageFile),
		Entry("a setting", func(r *report.Report) {
			r.Settings = []report.Setting{{Name: "x", Value: plain, Source: "default"}}
		}, report.JSONFile),
		Entry("what a row notes", func(r *report.Report) { r.Requirements[0].Notes = []string{plain} },
			report.JUnitFile),
		Entry("the id of the run", func(r *report.Report) { r.Run = plain }, report.JSONFile),
		Entry("why it failed", func(r *report.Report) {
			row := &r.Requirements[0]
			row.Verdict, row.FindingCount = ledger.Fail, 1
			row.Findings = []report.Finding{{Exchange: "e1", Message: plain, Actual: plain, Repeat: "curl " + plain}}
			row.Causes = []report.Cause{{Key: check.Key{Kind: "x"}, Count: 1, Example: plain}}
		}, report.JUnitFile),
		Entry("why it was not carried out", func(r *report.Report) {
			cause := "no route to " + plain
			r.Error = &cause
		}, report.PageFile),
	)

	It("lets pass what only looks like a part of a secret, and everything if none is known", func() {
		content := passingContent(plain[:39] + " " + plain[1:] + " " + strings.Repeat("q7Zt", 30))
		content.Guard = sanitize.NewGuard("", plain, odd)
		Expect(f.Write(content)).To(Succeed())
		expectWhole(dir, true)
		content = passingContent(plain)
		Expect(f.Write(content)).To(Succeed())
		content.Guard = sanitize.NewGuard("")
		Expect(f.Write(content)).To(Succeed())
	})
})

var _ = It("Files are put into a folder all or none, without secrets, and leave all others", func() {
	dir := GinkgoT().TempDir()
	f := openFolder(dir)
	for _, name := range []string{".a.json", ".a.json12x", ".b.json123", ".a.json123"} { // the last of a killed process
		testkit.Write(dir, name, nil)
	}
	Expect(f.Put(nil, textFile("a.html", "old"), textFile("a.json", "old"))).To(Succeed())
	Expect(f.Put(nil, textFile("a.html", "new"), textFile("a.json", "new"))).To(Succeed())
	want := map[string]string{"a.html": "new", "a.json": "new", ".a.json": "", ".a.json12x": "", ".b.json123": ""}
	Expect(contentsOf(dir)).To(Equal(want))

	broken := folder.File{Name: "a.json", Write: func(io.Writer) error { return errors.New("the summary is gone") }}
	Expect(f.Put(nil, textFile("a.html", "third"), broken)).To(
		MatchError(And(ContainSubstring("a.json"), ContainSubstring("the summary is gone"))))
	const secret = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	expectLeak(f.Put(sanitize.NewGuard("", secret), textFile("a.html", "nothing"),
		textFile("a.json", "it said "+strings.ToUpper(secret))), secret, "a.json")
	Expect(contentsOf(dir)).To(Equal(want))
})
