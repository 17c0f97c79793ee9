package verify_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/metrics"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/statement"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/internal/verify"
)

func TestVerify(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "verify")
}

// certify runs against the reference, or a mutant of it, and returns the report folder.
func certify(ctx context.Context, mutant string, change func(*settings.Settings)) string {
	GinkgoHelper()
	service := kit.Reference(kit.Users(), fixtures.AccessToken)
	if mutant != "" {
		m, found := mutants.Find(mutant)
		Expect(found).To(BeTrue())
		service = m.Handler(service)
	}
	s := testkit.Settings(testkit.Serve(service), kit.Users())
	s.Concurrency, s.Subject = 8, settings.Subject{Product: "Access", Version: "9.2", Build: "b7", ValidFor: 30}
	if change != nil {
		change(s)
	}
	return testkit.ReportFolder(ctx, s)
}

// checkCertificate checks a folder or an archive.
func checkCertificate(ctx context.Context, path string, key []byte, p verify.Policy) (*verify.Result, error) {
	files, err := verify.Open(path)
	if err != nil {
		return nil, err
	}
	return verify.Check(ctx, files, testkit.Suite(), key, p, time.Now())
}

func statementOf(dir string) []byte {
	GinkgoHelper()
	return testkit.Read(dir, report.StatementFile)
}

var _ = Describe("A certificate", func() {
	var none verify.Policy

	It("holds if nothing was changed, from a folder and from archives of it", func(ctx SpecContext) {
		dir := certify(ctx, "", nil)
		result := testkit.Must(checkCertificate(ctx, dir, nil, none))
		Expect(result.Code()).To(Equal(0), result.String())
		Expect(result.String()).To(And(HaveSuffix("the certificate holds\n"), ContainSubstring("not signed"),
			ContainSubstring("Access, version 9.2, build b7"), ContainSubstring("190 requests, judged again"),
			ContainSubstring("not proven")))
		for _, name := range []string{"r.zip", "r.tar", "r.tar.gz", "r.tgz"} {
			Expect(testkit.Must(checkCertificate(ctx, archiveOf(dir, name), nil,
				none)).String()).To(Equal(result.String()),
				name)
		}
	})

	It("does not hold if its evidence shows something else than its report, with statements to match",
		func(ctx SpecContext) {
			right, wrong := certify(ctx, "", nil), certify(ctx, "created-on-microseconds-v6", nil)
			for _, name := range []string{report.JSONFile, report.PageFile, report.JUnitFile, report.SummaryFile,
				metrics.File} {
				testkit.Write(wrong, name, testkit.Read(right, name))
			}
			digest := sha256.Sum256(testkit.Read(wrong, report.EvidenceFile))
			earlier := sha256.Sum256(testkit.Read(right, report.EvidenceFile))
			forged := strings.Replace(string(statementOf(right)), fmt.Sprintf("%x", earlier), fmt.Sprintf("%x", digest),
				1)
			testkit.Write(wrong, report.StatementFile, []byte(forged))
			result := testkit.Must(checkCertificate(ctx, wrong, nil, none))
			Expect(result.Fails).To(ConsistOf("evidence"), result.String())
			Expect(result.String()).To(ContainSubstring("2.1/CreatedOn v6: the report says pass"))
		})

	DescribeTable("does not hold if its report says of the run what its evidence does not, with a statement to match",
		func(ctx SpecContext, forge func(*report.Report), fact string) {
			dir := certify(ctx, "", func(s *settings.Settings) { s.Embedded = fact == "the built-in reference" })
			forgeReport(dir, forge)
			result := testkit.Must(checkCertificate(ctx, dir, nil, none))
			Expect(result.Fails).To(ConsistOf("evidence"), result.String())
			Expect(result.String()).To(ContainSubstring(fact + ": the report says"))
		},
		Entry("a demonstration as a certificate", func(r *report.Report) { r.Embedded, r.Certifies = false, true },
			"the built-in reference"),
		Entry("another product", func(r *report.Report) { r.Subject.Build = "b8" }, "subject"),
		Entry("a later end", func(r *report.Report) { end := "2099-01-01"; r.ValidUntil = &end }, "valid until"),
		Entry("more users", func(r *report.Report) { r.Users.Count = 5000 }, "users"),
		Entry("a later day", func(r *report.Report) { end := r.Finished.Add(time.Hour); r.Finished = &end },
			"finished"),
		Entry("another target", func(r *report.Report) { r.Target["v6"] = "https://access.example.com" }, "target"),
	)

	It("does not hold if a failed run is made to certify by a baseline that it names", func(ctx SpecContext) {
		dir := certify(ctx, "created-on-microseconds-v6", nil)
		forgeReport(dir, func(r *report.Report) {
			r.Verdict, r.Certifies, r.Gate = "pass", true, &report.Gate{}
			for i := range r.Requirements {
				r.Requirements[i].Known = false
			}
		})
		result := testkit.Must(checkCertificate(ctx, dir, nil, none))
		Expect(result.Fails).To(ConsistOf("evidence"), result.String())
	})

	It("holds as far as it can be checked if another release made it, which knew no subject", func(ctx SpecContext) {
		dir := certify(ctx, "", func(s *settings.Settings) { s.Subject = settings.Subject{} })
		forgeReport(dir, func(r *report.Report) { r.Subject, r.Fingerprints, r.Suite.Version = nil, nil, "0.0.9" })
		statementText := strings.Replace(string(statementOf(dir)), `"predicateType"`, `"predicateType" `, 1)
		testkit.Write(dir, report.StatementFile, []byte(statementText))
		result := testkit.Must(checkCertificate(ctx, dir, nil, none))
		Expect(result.Code()).To(Equal(3), result.String())
		Expect(result.Open).To(ConsistOf("statement"))
	})

	It("is none of a run that failed, or certified nothing", func(ctx SpecContext) {
		Expect(testkit.Must(checkCertificate(ctx, certify(ctx, "created-on-microseconds-v6", nil), nil,
			none)).Fails).To(
			ConsistOf("verdict"))
		dir := certify(ctx, "", func(s *settings.Settings) { s.Embedded = true })
		Expect(testkit.Must(checkCertificate(ctx, dir, nil, none)).Fails).To(ConsistOf("verdict"))
	})

	It("holds as far as it can be checked with hidden values", func(ctx SpecContext) {
		dir := certify(ctx, "", func(s *settings.Settings) { s.Values = settings.ValuesHide })
		result := testkit.Must(checkCertificate(ctx, dir, nil, none))
		Expect(result.Code()).To(Equal(3))
		Expect(result.Open).To(ConsistOf("evidence"))
	})

	It("names what is in the folder beside it, which nothing protects", func(ctx SpecContext) {
		dir := certify(ctx, "", nil)
		testkit.Write(dir, "note.txt", []byte("x"))
		result := testkit.Must(checkCertificate(ctx, dir, nil, none))
		Expect(result.Code()).To(Equal(0))
		Expect(result.String()).To(ContainSubstring("note.txt: the statement does not name them"))
	})

	DescribeTable("is held to a policy", func(ctx SpecContext, p verify.Policy, later time.Duration, fails ...string) {
		files := testkit.Must(verify.Open(certify(ctx, "", nil)))
		result := testkit.Must(verify.Check(ctx, files, testkit.Suite(), nil, p, time.Now().Add(later)))
		Expect(result.Fails).To(ConsistOf(fails), result.String())
	},
		Entry("that it keeps", verify.Policy{MaxAge: time.Hour, SubjectVersion: "9.2", SubjectBuild: "b7",
			UsersAtLeast: 13},
			time.Duration(0)),
		Entry("of age", verify.Policy{MaxAge: time.Hour}, 2*time.Hour, "--max-age"),
		Entry("of age, from the future", verify.Policy{MaxAge: time.Hour}, -48*time.Hour, "--max-age"),
		Entry("of the product's version", verify.Policy{SubjectVersion: "9.3"}, time.Duration(0), "--subject-version"),
		Entry("of the product's build", verify.Policy{SubjectBuild: "b8"}, time.Duration(0), "--subject-build"),
		Entry("of the target", verify.Policy{Target: "https://example.com"}, time.Duration(0), "--target"),
		Entry("of users", verify.Policy{UsersAtLeast: 14}, time.Duration(0), "--users-at-least"),
		Entry("of its own end, which has come", verify.Policy{}, 32*24*time.Hour, "validity"),
		Entry("of its own end, on the last day", verify.Policy{}, 29*24*time.Hour),
	)

	DescribeTable("can't be checked if it is none", func(ctx SpecContext, put map[string]string, text string) {
		dir := GinkgoT().TempDir()
		for name, content := range put {
			testkit.Write(dir, name, []byte(content))
		}
		_, err := checkCertificate(ctx, dir, nil, none)
		Expect(err).To(MatchError(And(ContainSubstring(text), Not(ContainSubstring("\n")))))
	},
		Entry("an empty folder", nil, "statement.json is missing"),
		Entry("a statement alone", map[string]string{"statement.json": "{}"}, "report.json is missing"),
		Entry("a statement that is none", map[string]string{"statement.json": "<html>", "report.json": "{}"},
			"statement.json: "),
		Entry("a statement of other digests", map[string]string{"report.json": "{}",
			"statement.json": `{"subject": [{"name": "report.json", "digest": {"sha256": "00"}}]}`}, "statement.json: "),
		Entry("a report that is none", map[string]string{"statement.json": "{}", "report.json": `{"verdict": "<b>"}`},
			"report.json: "),
		Entry("a report that is cut", map[string]string{"statement.json": "{}", "report.json": `{"verdict": "pa`},
			"report.json: "),
	)

	It("can't be checked from another kind of file", func(ctx SpecContext) {
		dir := GinkgoT().TempDir()
		path := filepath.Join(dir, "users.csv")
		Expect(os.WriteFile(path, []byte("id,userId"), 0o600)).To(Succeed())
		for _, name := range []string{path, filepath.Join(dir, "nothing"), os.DevNull} {
			_, err := checkCertificate(ctx, name, nil, none)
			Expect(err).To(MatchError(ContainSubstring("report folder of a run")))
		}
	})

	DescribeTable("is not unpacked from an archive that is none, leads elsewhere or has no end",
		func(ctx SpecContext, name string, content func() []byte, text string) {
			dir := GinkgoT().TempDir()
			path := filepath.Join(dir, "in", name)
			Expect(os.Mkdir(filepath.Dir(path), 0o700)).To(Succeed())
			Expect(os.WriteFile(path, content(), 0o600)).To(Succeed())
			_, err := checkCertificate(ctx, path, nil, none)
			Expect(err).To(MatchError(And(ContainSubstring(text), Not(ContainSubstring("\n")))))
			Expect(testkit.Must(os.ReadDir(dir))).To(HaveLen(1), "nothing is written")
			Expect(testkit.Must(os.ReadDir(filepath.Dir(path)))).To(HaveLen(1), "nothing is written")
		},
		Entry("no archive", "r.tar.gz", func() []byte { return []byte("no archive") }, "can't be read"),
		Entry("no zip", "r.zip", func() []byte { return []byte("no archive") }, "can't be read"),
		Entry("a path upwards", "r.tar", tarOf("../report.json"), "leads out of the folder"),
		Entry("a path from the root", "r.tar", tarOf("/etc/report.json"), "leads out of the folder"),
		Entry("a path upwards in a zip", "r.zip", zipOf("../../report.json"), "leads out of the folder"),
		Entry("a path with backslashes", "r.zip", zipOf(`..\report.json`), "leads out of the folder"),
		Entry("a path that is deep", "r.tar", tarOf("a/b/report.json"), "folder within a folder"),
		Entry("a file twice", "r.tar", tarOf("a/report.json", "b/report.json"), "occurs twice"),
		Entry("ten gigabytes of zeros", "r.tgz", zeroKey, "larger than 512 MiB"),
	)
})

// forgeReport changes report.json of a folder, and makes the statement anew.
func forgeReport(dir string, forge func(*report.Report)) {
	GinkgoHelper()
	var r report.Report
	Expect(json.Unmarshal(testkit.Read(dir, report.JSONFile), &r)).To(Succeed())
	forge(&r)
	var text bytes.Buffer
	Expect(report.WriteJSON(&text, &r)).To(Succeed())
	testkit.Write(dir, report.JSONFile, text.Bytes())
	var files []statement.File
	for _, entry := range testkit.Must(os.ReadDir(dir)) {
		if entry.Name() != report.StatementFile {
			files = append(files, statement.File{Name: entry.Name(),
				Digest: sha256.Sum256(testkit.Read(dir, entry.Name()))})
		}
	}
	testkit.Write(dir, report.StatementFile, testkit.Must(statement.Marshal(&r, files)))
}

func archiveOf(dir, name string) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), name)
	file := testkit.Must(os.Create(path))
	defer file.Close()
	if strings.HasSuffix(name, ".zip") {
		w := zip.NewWriter(file)
		Expect(w.AddFS(os.DirFS(dir))).To(Succeed())
		Expect(w.Close()).To(Succeed())
		return path
	}
	var to io.Writer = file
	if strings.HasSuffix(name, "gz") {
		compressed := gzip.NewWriter(file)
		defer compressed.Close()
		to = compressed
	}
	w := tar.NewWriter(to)
	Expect(w.AddFS(os.DirFS(dir))).To(Succeed())
	Expect(w.Close()).To(Succeed())
	return path
}

func tarOf(names ...string) func() []byte {
	return func() []byte {
		var text bytes.Buffer
		w := tar.NewWriter(&text)
		for _, name := range names {
			_ = w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Typeflag: tar.TypeReg})
		}
		_ = w.Close()
		return text.Bytes()
	}
}

func zipOf(name string) func() []byte {
	return func() []byte {
		var text bytes.Buffer
		w := zip.NewWriter(&text)
		_, _ = w.Create(name)
		_ = w.Close()
		return text.Bytes()
	}
}

func zeroKey() []byte {
	var text bytes.Buffer
	compressed := testkit.Must(gzip.NewWriterLevel(&text, gzip.BestSpeed))
	w := tar.NewWriter(compressed)
	const size = 10 << 30
	_ = w.WriteHeader(&tar.Header{Name: "report.json", Mode: 0o600, Typeflag: tar.TypeReg, Size: size})
	block := make([]byte, 1<<20)
	for range 600 { // it is refused before the rest
		_, _ = w.Write(block)
	}
	_ = compressed.Flush()
	return text.Bytes()
}
