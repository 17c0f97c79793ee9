package verify_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/command/verify"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/statement"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// certifyService runs against the reference, or a mutant of it, and returns the report folder.
func certifyService(mutant string, change ...func(*settings.Settings)) string {
	GinkgoHelper()
	return testkit.ReportFolder(context.Background(), serviceSettings(mutant, change...))
}

// serviceSettings are those of a run against the reference, or a mutant of it.
func serviceSettings(mutant string, change ...func(*settings.Settings)) *settings.Settings {
	GinkgoHelper()
	service := kit.Reference(kit.Users(), fixtures.AccessToken)
	if mutant != "" {
		m, found := mutants.Find(mutant)
		Expect(found).To(BeTrue())
		service = m.Handler(service)
	}
	s := testkit.Settings(testkit.Serve(service), kit.Users())
	s.Subject = settings.Subject{Product: "Access", Version: "9.2", Build: "b7", ValidFor: 30}
	for _, c := range change {
		c(s)
	}
	return s
}

// copyFolder copies a report folder, so that its files can be changed.
func copyFolder(dir string) string {
	GinkgoHelper()
	other := filepath.Join(GinkgoT().TempDir(), "copy")
	Expect(os.CopyFS(other, os.DirFS(dir))).To(Succeed())
	return other
}

// checkCertificate checks a folder or an archive.
func checkCertificate(ctx context.Context, path string, p verify.Policy, now time.Time) (*verify.Result, error) {
	files, err := verify.Open(path)
	if err != nil {
		return nil, err
	}
	return verify.Check(ctx, files, testkit.Suite(), nil, p, now)
}

// forgeReport changes report.json of a folder, and makes the statement anew.
func forgeReport(dir string, forge func(*report.Report)) {
	GinkgoHelper()
	var r report.Report
	Expect(json.Unmarshal(testkit.Read(dir, report.JSONFile), &r)).To(Succeed())
	forge(&r)
	var text bytes.Buffer
	Expect(report.WriteJSON(&text, &r)).To(Succeed())
	testkit.Write(dir, report.JSONFile, text.Bytes())
	restate(dir)
}

// restate makes the statement of a folder anew.
func restate(dir string) {
	GinkgoHelper()
	var r report.Report
	Expect(json.Unmarshal(testkit.Read(dir, report.JSONFile), &r)).To(Succeed())
	digests := map[string]string{}
	for _, entry := range testkit.Must(os.ReadDir(dir)) {
		if entry.Name() != report.StatementFile {
			digests[entry.Name()] = exchange.DigestOf(testkit.Read(dir, entry.Name()))
		}
	}
	testkit.Write(dir, report.StatementFile, testkit.Must(statement.Marshal(&r, digests)))
}

// archiveOf packs a folder into an archive of the kind that its name says.
func archiveOf(dir, name string) string {
	GinkgoHelper()
	var packed, compressed bytes.Buffer
	var w interface {
		AddFS(fsys fs.FS) error
		Close() error
	} = tar.NewWriter(&packed)
	if strings.HasSuffix(name, ".zip") {
		w = zip.NewWriter(&packed)
	}
	Expect(w.AddFS(os.DirFS(dir))).To(Succeed())
	Expect(w.Close()).To(Succeed())
	if !strings.HasSuffix(name, "gz") {
		return testkit.Write(GinkgoT().TempDir(), name, packed.Bytes())
	}
	to := gzip.NewWriter(&compressed)
	Expect(packed.WriteTo(to)).To(BeNumerically(">", 0))
	Expect(to.Close()).To(Succeed())
	return testkit.Write(GinkgoT().TempDir(), name, compressed.Bytes())
}

// tarOf and zipOf return an archive of empty files with these names.
func tarOf(names ...string) []byte {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, name := range names {
		_ = w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg})
	}
	_ = w.Close()
	return text.Bytes()
}

func zipOf(name string) []byte {
	var text bytes.Buffer
	w := zip.NewWriter(&text)
	_, _ = w.Create(name)
	_ = w.Close()
	return text.Bytes()
}

// packZeros returns the beginning of an archive of ten gigabytes of zeros: it is refused before the rest.
func packZeros(kind byte) []byte {
	pack := func(write func(io.Writer)) []byte {
		var text bytes.Buffer
		compressed, _ := gzip.NewWriterLevel(&text, gzip.BestSpeed)
		write(compressed) // a buffer takes everything
		_ = compressed.Close()
		return text.Bytes()
	}
	header := pack(func(to io.Writer) {
		_ = tar.NewWriter(to).WriteHeader(&tar.Header{Name: "report.json", Typeflag: kind, Size: 10 << 30})
	})
	block := pack(func(to io.Writer) { _, _ = to.Write(make([]byte, 5<<20)) })
	return append(header, block...)
}
