package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/command/verify"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// specimen is a folder, or an archive of one, that somebody got.
type specimen struct {
	name   string
	forged bool
	make   func(b bases) string // the path of a folder or archive
}

// bases are folders to make specimens from. Nothing in them is changed.
type bases struct{ right, wrong, filtered, judged, alone, hidden, waived, demonstration, failed, gated, stopped string }

func makeBases(ctx context.Context) (b bases) {
	GinkgoHelper()
	const mutant = "created-on-microseconds-v6"
	b.right, b.wrong = certifyService(""), certifyService(mutant)
	b.alone = certifyService("", func(s *settings.Settings) { s.Versions = s.Versions[:1] })
	b.hidden = certifyService("", func(s *settings.Settings) { s.Values = settings.ValuesHide })
	b.demonstration = certifyService("", func(s *settings.Settings) { s.Embedded = true })
	b.gated = certifyService(mutant, func(s *settings.Settings) {
		s.Baseline = filepath.Join(b.wrong,
			report.JSONFile)
	})
	b.waived = certifyService(mutant, func(s *settings.Settings) {
		for _, id := range []string{"2.1/CreatedOn", "9.3/getUserAuth/values"} {
			s.Waivers = append(s.Waivers, ledger.Waiver{Requirement: id, Verdict: ledger.Fail, Reason: "known",
				Until: time.Now().AddDate(1, 0, 0)})
		}
	})
	b.filtered = certifyOnly(ctx, b.right, 0, "2.1/Id", "2.1/UserId")
	b.judged = GinkgoT().TempDir()
	into := testkit.Must(folder.Open(b.judged))
	defer into.Close()
	again, _, err := session.Again(ctx, filepath.Join(b.right, report.EvidenceFile), &settings.Settings{},
		testkit.Suite(), into)
	Expect(err).NotTo(HaveOccurred())
	defer again.Close()
	Expect(again.Execute(ctx, nil)).To(Succeed())
	Expect(again.Write()).To(Succeed())
	b.stopped = certifyOnly(ctx, b.right, 300*time.Millisecond)
	b.failed = GinkgoT().TempDir()
	stopped := testkit.Must(folder.Open(b.failed))
	defer stopped.Close()
	kind := folder.Run{Contract: testkit.Contract().Digest, Started: time.Now()}
	Expect(kind.Failed(stopped, "--rate: expected a number")).To(Succeed())
	return b
}

// certifyOnly makes a run like that of another folder, of some requirements alone, or one that ends after some time.
func certifyOnly(ctx context.Context, dir string, ends time.Duration, ids ...string) string {
	GinkgoHelper()
	var like report.Report
	Expect(json.Unmarshal(testkit.Read(dir, report.JSONFile), &like)).To(Succeed())
	into := testkit.Must(folder.Open(GinkgoT().TempDir()))
	defer into.Close()
	s := serviceSettings("")
	if ends > 0 {
		s.Rate = 200
	}
	n := testkit.Must(session.New(s, testkit.Suite(), into))
	defer n.Close()
	keys := map[ledger.Key]bool{}
	for _, id := range ids {
		for _, v := range like.Versions {
			keys[ledger.Key{ID: id, Version: v}] = true
		}
	}
	if ends == 0 {
		n.Run.Select(keys)
		Expect(n.Execute(ctx, nil)).To(Succeed())
	} else {
		ctx, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(ends, func() { cancel(errors.New("stopped in the middle")) })
		defer timer.Stop()
		Expect(n.Execute(ctx, nil)).NotTo(Succeed())
	}
	Expect(n.Write()).To(Succeed())
	return into.Dir()
}

// changed returns a copy of a folder in which files are replaced; nil removes one.
func changed(dir string, change func(name string, content []byte) []byte) string {
	GinkgoHelper()
	dir = copyFolder(dir)
	for _, entry := range testkit.Must(os.ReadDir(dir)) {
		content := testkit.Read(dir, entry.Name())
		if now := change(entry.Name(), content); now == nil {
			Expect(os.Remove(filepath.Join(dir, entry.Name()))).To(Succeed())
		} else if !bytes.Equal(content, now) {
			testkit.Write(dir, entry.Name(), now)
		}
	}
	return dir
}

// only applies a change to some files of a folder.
func only(change func([]byte) []byte, names ...string) func(string, []byte) []byte {
	return func(name string, content []byte) []byte {
		for _, one := range names {
			if one == name {
				return change(content)
			}
		}
		return content
	}
}

func crlf(content []byte) []byte { return bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n")) }
func gone([]byte) []byte         { return nil }
func cut(content []byte) []byte  { return content[:len(content)/2] }

// zipped packs a folder with the names that a function gives its files, and more empty ones.
func zipped(dir string, name func(string) string, more ...string) string {
	GinkgoHelper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, entry := range testkit.Must(os.ReadDir(dir)) {
		file := testkit.Must(w.Create(name(entry.Name())))
		Expect(file.Write(testkit.Read(dir, entry.Name()))).To(BeNumerically(">", 0))
	}
	for _, other := range more {
		_ = testkit.Must(w.Create(other))
	}
	Expect(w.Close()).To(Succeed())
	return testkit.Write(GinkgoT().TempDir(), "r.zip", packed.Bytes())
}

// forgedBy returns a copy of a folder with a changed report and a statement to match.
func forgedBy(dir string, forge func(*report.Report)) string {
	dir = copyFolder(dir)
	forgeReport(dir, forge)
	return dir
}

func certifies(r *report.Report) {
	r.Verdict, r.Certifies, r.Complete, r.Error = ledger.Pass, true, true, nil
	for i := range r.Requirements {
		row := &r.Requirements[i]
		row.Verdict, row.Reason, row.FindingCount, row.Findings, row.Causes, row.Waiver, row.Known = ledger.Pass, nil,
			0,
			[]report.Finding{}, []report.Cause{}, nil, false
		row.Witnesses = max(row.Witnesses, 1)
	}
}

func specimens() []specimen {
	honest := func(name string, make func(bases) string) specimen { return specimen{name, false, make} }
	forged := func(name string, make func(bases) string) specimen { return specimen{name, true, make} }
	in := func(folder string) func(string) string { return func(name string) string { return folder + name } }
	bom := func(content []byte) []byte { return append([]byte("\xef\xbb\xbf"), content...) }
	texts := []string{"report.json", "statement.json", "summary.md", "junit.xml", "metrics.prom", "report.html",
		"evidence.har"}
	return []specimen{
		honest("as it was made", func(b bases) string { return b.right }),
		honest("of one version", func(b bases) string { return b.alone }),
		honest("with hidden values", func(b bases) string { return b.hidden }),
		honest("of a filtered run", func(b bases) string { return b.filtered }),
		honest("of judge", func(b bases) string { return b.judged }),
		honest("of a run that failed", func(b bases) string { return b.wrong }),
		honest("of a run with waivers", func(b bases) string { return b.waived }),
		honest("of a run with a baseline", func(b bases) string { return b.gated }),
		honest("of a run with a baseline in which nothing failed, an ignored place and a header", func(b bases) string {
			return certifyService("", func(s *settings.Settings) {
				s.Baseline = filepath.Join(b.right, report.JSONFile)
				s.Ignore = []settings.Ignore{{Pointer: "/Undocumented", Reason: "it changes", Where: "c.yaml:3"}}
				testkit.EachTarget(func(t *settings.Target) {
					t.Headers = []settings.Header{{Name: "X-Tenant", Value: "tenant-8rQ2-canary"}}
				})(s)
			})
		}),
		honest("of the built-in reference", func(b bases) string { return b.demonstration }),
		honest("of a run that could not begin", func(b bases) string { return b.failed }),
		honest("of a run that a difference at an open point fails, if there is one", func(b bases) string {
			return certifyService("", func(s *settings.Settings) { s.Divergence = settings.DivergenceFail })
		}),
		honest("of a run that compared shapes", func(b bases) string {
			return certifyService("", func(s *settings.Settings) { s.ParityMode = settings.ParityShape })
		}),
		honest("of a run that ended in the middle", func(b bases) string { return b.stopped }),
		honest("of another release", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) { r.Suite.Version = "0.0.9" })
		}),
		honest("of an older release, in another format", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) { r.Suite.Version, r.Format = "0.0.9", "1.3" })
		}),
		honest("by another contract", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) {
				r.Suite.Contract = "sha256:" + strings.Repeat("0", 64)
				r.Suite.Files["requirements.yaml"] = "sha256:" + strings.Repeat("0", 64)
			})
		}),
		honest("whose line ends git changed", func(b bases) string { return changed(b.right, only(crlf, texts...)) }),
		honest("whose report git changed", func(b bases) string { return changed(b.right, only(crlf, "report.json")) }),
		honest("whose statement git changed", func(b bases) string {
			return changed(b.right,
				only(crlf, "statement.json"))
		}),
		honest("with a byte order mark of an editor",
			func(b bases) string { return changed(b.right, only(bom, "summary.md")) }),
		honest("without its page", func(b bases) string { return changed(b.right, only(gone, "report.html")) }),
		honest("without its evidence", func(b bases) string { return changed(b.right, only(gone, "evidence.har")) }),
		honest("without its statement", func(b bases) string { return changed(b.right, only(gone, "statement.json")) }),
		honest("without its report", func(b bases) string { return changed(b.right, only(gone, "report.json")) }),
		honest("whose report was cut off", func(b bases) string { return changed(b.right, only(cut, "report.json")) }),
		honest("whose evidence was cut off", func(b bases) string {
			return changed(b.right,
				only(cut, "evidence.har"))
		}),
		honest("with .DS_Store and Thumbs.db", func(b bases) string {
			dir := copyFolder(b.right)
			for _, name := range []string{".DS_Store", "Thumbs.db", "._report.json"} {
				testkit.Write(dir, name, []byte("x"))
			}
			return dir
		}),
		honest("with a note", func(b bases) string {
			dir := copyFolder(b.right)
			testkit.Write(dir, "note.txt", []byte("x"))
			return dir
		}),
		honest("in an archive of macOS", func(b bases) string {
			return zipped(b.right, in("conformance-report/"), "__MACOSX/", "__MACOSX/conformance-report/._report.json",
				"__MACOSX/._conformance-report", "conformance-report/.DS_Store")
		}),
		honest("in an old archive of Windows", func(b bases) string {
			return zipped(b.right, in(`conformance-report\`))
		}),
		honest("in an archive without a folder", func(b bases) string { return zipped(b.right, in("")) }),
		honest("in an archive with a folder in the folder",
			func(b bases) string { return zipped(b.right, in("a/b/")) }),

		forged("with an open point that is redacted, although nothing in the evidence is", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) {
				r.Observations[0].Seen = report.Seen{schemas.V5: {"[redacted]"}, schemas.V6: {"[redacted]"}}
			})
		}),
		forged("a failure that is called a certificate", func(b bases) string { return forgedBy(b.wrong, certifies) }),
		forged("with the evidence of another run", func(b bases) string {
			dir := copyFolder(b.wrong)
			testkit.Write(dir, report.EvidenceFile, testkit.Read(b.right, report.EvidenceFile))
			forgeReport(dir, certifies)
			return dir
		}),
		forged("a filtered run that is called a certificate",
			func(b bases) string { return forgedBy(b.filtered, certifies) }),
		forged("a filtered run that keeps its rows and certifies", func(b bases) string {
			return forgedBy(b.filtered, func(r *report.Report) {
				r.Certifies, r.Complete, r.Verdict = true, true,
					ledger.Pass
			})
		}),
		forged("a failure that is called filtered", func(b bases) string {
			return forgedBy(b.wrong, func(r *report.Report) {
				for i := range r.Requirements {
					if row := &r.Requirements[i]; row.Verdict == ledger.Fail {
						reason := ledger.NotRun
						row.Verdict, row.Reason, row.FindingCount, row.Findings, row.Causes = ledger.Inconclusive,
							&reason, 0,
							[]report.Finding{}, []report.Cause{}
					}
				}
				r.Certifies, r.Complete, r.Verdict = true, true, ledger.Pass
			})
		}),
		forged("a demonstration that is called a certificate", func(b bases) string {
			return forgedBy(b.demonstration, func(r *report.Report) { r.Embedded, r.Certifies = false, true })
		}),
		forged("a folder of judge that is called a certificate", func(b bases) string {
			return forgedBy(b.judged, func(r *report.Report) { r.Certifies = true })
		}),
		forged("waivers that were taken out", func(b bases) string { return forgedBy(b.waived, certifies) }),
		forged("a baseline that was taken out", func(b bases) string {
			return forgedBy(b.gated, func(r *report.Report) { certifies(r); r.Gate = nil })
		}),
		forged("of one version, called both", func(b bases) string {
			return forgedBy(b.alone, func(r *report.Report) {
				r.Versions = schemas.Versions()
				r.Target[schemas.V6] = r.Target[schemas.V5]
			})
		}),
		forged("with more users served", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) { r.Counts.Served[schemas.V5] = 5000 })
		}),
		forged("with more users served by an operation", func(b bases) string {
			return forgedBy(b.right,
				func(r *report.Report) { r.Counts.ServedBy[schemas.FindByUserIDs][schemas.V5] = 5000 })
		}),
		forged("with a later end", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) { day := "2099-01-01"; r.ValidUntil = &day })
		}),
		forged("with another product", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) { r.Subject.Version = "9.3" })
		}),
		forged("with another target", func(b bases) string {
			return forgedBy(b.right, func(r *report.Report) { r.Target[schemas.V6] = "https://access.example.com" })
		}),
		forged("with a row fewer", func(b bases) string {
			return forgedBy(b.wrong, func(r *report.Report) {
				var rows []report.Row
				for _, row := range r.Requirements {
					if row.Verdict != ledger.Fail {
						rows = append(rows, row)
					}
				}
				r.Requirements, r.Verdict, r.Certifies = rows, ledger.Pass, true
			})
		}),
		forged("with a report that its statement does not have", func(b bases) string {
			return changed(b.right, only(func(c []byte) []byte {
				return bytes.Replace(c, []byte(`"9.2"`), []byte(`"9.3"`), 1)
			}, "report.json"))
		}),
		forged("with other line ends and another word", func(b bases) string {
			return changed(b.right, only(func(c []byte) []byte {
				return crlf(bytes.Replace(c, []byte(`"9.2"`), []byte(`"9.3"`), 1))
			}, "report.json"))
		}),
		forged("with a statement that says passed", func(b bases) string {
			return changed(b.wrong, only(func(c []byte) []byte {
				return bytes.Replace(c, []byte("FAILED"), []byte("PASSED"), 1)
			}, "statement.json"))
		}),
		forged("without evidence, which the statement does not name", func(b bases) string {
			dir := changed(b.wrong, only(gone, "evidence.har"))
			forgeReport(dir, certifies)
			return dir
		}),
	}
}

var _ = It("verify has a sentence for each folder: no honest one is called forged, and no forged one holds",
	func(ctx SpecContext) {
		made := makeBases(ctx)
		var table strings.Builder
		for _, s := range specimens() {
			who := map[bool]string{true: "forged", false: "honest"}[s.forged]
			fmt.Fprintf(&table, "%s: %s\n", who, s.name)
			result, err := checkCertificate(ctx, s.make(made), verify.Policy{}, time.Now())
			if err != nil {
				Expect(s.forged).To(BeFalse(), s.name)
				fmt.Fprintf(&table, "  2 the certificate could not be checked: %s\n", err)
				continue
			}
			if s.forged {
				Expect(result.Code()).To(Equal(1), "%s: %s", s.name, result)
				Expect(result.Fails).NotTo(BeEmpty(), s.name)
			} else {
				Expect(result.Fails).NotTo(ContainElements(Or(Equal("evidence"), Equal("statement"))), "%s: %s",
					s.name, result)
			}
			for line := range strings.Lines(result.String()) {
				if strings.HasPrefix(line, "✗") || strings.HasPrefix(line, "?") ||
					strings.HasPrefix(line, "– files") || strings.HasPrefix(line, "– versions") {
					table.WriteString("    " + line)
				}
			}
			lines := strings.Split(strings.TrimSpace(result.String()), "\n")
			fmt.Fprintf(&table, "  %d %s\n", result.Code(), lines[len(lines)-1])
		}
		text := regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(table.String(), "HOST")
		text = regexp.MustCompile(`\d{4}-\d{2}-\d{2}(T[0-9:.]+Z)?`).ReplaceAllString(text, "DAY")
		text = regexp.MustCompile(`stat \S+:`).ReplaceAllString(text, "stat:")
		text = regexp.MustCompile(`/\S*/r\.zip`).ReplaceAllString(text, "r.zip")
		digest := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|sha256:[0-9a-f]+…?|[0-9a-f]{40}\S*`)
		text = digest.ReplaceAllString(text, "DIGEST")
		text = regexp.MustCompile(`(report\.json: |carried out: the run).*`).ReplaceAllString(text, "${1}…")
		testkit.ExpectGolden("testdata/folders.txt", text)
	})
