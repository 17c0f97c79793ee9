package verify_test

import (
	"archive/tar"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/command/verify"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestVerify(t *testing.T) { testkit.Specs(t, "verify") }

var _ = Describe("A certificate", Ordered, func() {
	const mutant = "created-on-microseconds-v6"
	var none verify.Policy
	var right, wrong, demonstration string // nothing in them is changed
	embedded := func(s *settings.Settings) { s.Embedded = true }
	BeforeAll(func() {
		right, wrong, demonstration = certifyService(""), certifyService(mutant), certifyService("", embedded)
	})
	check := func(ctx context.Context, path string) *verify.Result {
		GinkgoHelper()
		return testkit.Must(checkCertificate(ctx, path, none, time.Now()))
	}

	It("holds if nothing was changed, from a folder or an archive, beside a file that it names", func(ctx SpecContext) {
		result := check(ctx, right)
		Expect(result.Code()).To(Equal(0), result.String())
		Expect(result.String()).To(And(
			MatchRegexp(`the certificate holds for v5 at http://\S+ \(11 users served\) and v6 at http://\S+ `+
				`\(11 users served\), 80 checks\n$`), ContainSubstring("not signed"),
			ContainSubstring("Access, version 9.2, build b7"), MatchRegexp(`\d{3} requests, judged again`),
			ContainSubstring("not proven")))
		for _, name := range []string{"r.zip", "r.tar", "r.tar.gz", "r.tgz"} {
			Expect(check(ctx, archiveOf(right, name)).String()).To(Equal(result.String()), name)
		}

		more := copyFolder(right)
		testkit.Write(more, "note.txt", []byte("x"))
		result = check(ctx, more)
		Expect(result.Code()).To(Equal(0))
		Expect(result.String()).To(ContainSubstring("note.txt: the statement does not name them"))
	})

	DescribeTable("does not hold if its report says what its evidence does not, with a statement to match",
		func(ctx SpecContext, whose, evidence, forged, says string) {
			made := map[string]string{"right": right, "wrong": wrong, "demonstration": demonstration}
			dir := copyFolder(made[whose])
			testkit.Write(dir, report.EvidenceFile, testkit.Read(made[evidence], report.EvidenceFile))
			forgeReport(dir, func(r *report.Report) { Expect(json.Unmarshal([]byte(forged), r)).To(Succeed()) })
			result := check(ctx, dir)
			Expect(result.Fails).To(ConsistOf("evidence"), result.String())
			Expect(result.String()).To(ContainSubstring(says))
		}, testkit.Entries("forged"))

	DescribeTable("does not hold if a file is not the one that report and evidence give, with a statement to match",
		func(ctx SpecContext, name, old, new string) {
			dir := copyFolder(right)
			text := string(testkit.Read(dir, name))
			Expect(text).To(ContainSubstring(old))
			testkit.Write(dir, name, []byte(strings.Replace(text, old, new, 1)))
			restate(dir)
			result := check(ctx, dir)
			Expect(result.Fails).To(ConsistOf("evidence"), result.String())
			Expect(result.String()).To(ContainSubstring(name + " is not what report and evidence give"))
		},
		Entry("another number of users on the page", report.PageFile, "13 users", "13,000 users"),
		Entry("another number of users in the summary", report.SummaryFile, "Users: 13", "Users: 13000"),
		Entry("another test in JUnit", report.JUnitFile, "2.1/CreatedOn", "2.1/CreatedBy"),
		Entry("another number of rows in the metrics", metrics.File, `state="pass"} `, `state="pass"} 1`),
		Entry("another text of a requirement", report.JSONFile, "CreatedOn, if present", "CreatedOn, if it is present"),
		Entry("a member that no report has", report.JSONFile, `"verdict"`, `"audited": true, "verdict"`),
	)

	It("does not hold without an exchange, and says first which one", func(ctx SpecContext) {
		dir := copyFolder(right)
		var har map[string]map[string]any
		Expect(json.Unmarshal(testkit.Read(dir, report.EvidenceFile), &har)).To(Succeed())
		entries := har["log"]["entries"].([]any)
		id := entries[40].(map[string]any)["_exchange"].(string)
		har["log"]["entries"] = slices.Delete(entries, 40, 41)
		testkit.Write(dir, report.EvidenceFile, testkit.Must(json.Marshal(har)))
		restate(dir)
		result := check(ctx, dir)
		Expect(result.Fails).To(ConsistOf("evidence"), result.String())
		_, first, _ := strings.Cut(result.String(), "✗ evidence ")
		Expect(strings.TrimSpace(first)).To(HavePrefix("lacks 1 answer of the run, from which all else that differs " +
			"may follow; the first: " + id + ": "))
	})

	It("says nothing of users whom no evidence shows, and why a run with a record certifies nothing",
		func(ctx SpecContext) {
			dir := copyFolder(right)
			Expect(os.Remove(filepath.Join(dir, report.EvidenceFile))).To(Succeed())
			result := testkit.Must(checkCertificate(ctx, dir, verify.Policy{UsersAtLeast: 1}, time.Now()))
			Expect(result.String()).NotTo(ContainSubstring("users served"))
			Expect(result.Open).To(ContainElement("--users-at-least"))

			dir = copyFolder(right)
			forgeReport(dir, func(r *report.Report) {
				r.Certifies, r.Recorded = false, map[schemas.Version]*exchange.Recorded{schemas.V5: {}}
			})
			Expect(check(ctx, dir).String()).To(ContainSubstring("✗ verdict      pass: v5 was recorded, not asked\n"))
		})

	Describe("with hidden values", Ordered, func() {
		var hidden string
		BeforeAll(func() {
			hidden = certifyService("", func(s *settings.Settings) { s.Values = settings.ValuesHide })
		})

		It("holds as far as it can be checked, and says what that is", func(ctx SpecContext) {
			result := check(ctx, hidden)
			Expect(result.Code()).To(Equal(3), result.String())
			Expect(result.Open).To(ConsistOf("evidence"))
			Expect(result.String()).To(ContainSubstring("nothing shows the rows and counts of report.json, and the " +
				"times in junit.xml and metrics.prom"))
			dir := copyFolder(hidden)
			forgeReport(dir, func(r *report.Report) { r.Suite.Version = "0.0.9" })
			result = check(ctx, dir)
			Expect(result.Code()).To(Equal(3), result.String())
			Expect(result.String()).To(
				ContainSubstring("only release 0.0.9 of the suite can make the other files again"))
		})

		DescribeTable("does not hold if a file is not the one that report.json gives, with a statement to match",
			func(ctx SpecContext, name, old, new, says string) {
				dir := copyFolder(hidden)
				text := string(testkit.Read(dir, name))
				Expect(text).To(ContainSubstring(old))
				testkit.Write(dir, name, []byte(strings.Replace(text, old, new, 1)))
				restate(dir)
				result := check(ctx, dir)
				Expect(result.Fails).To(ConsistOf("evidence"), result.String())
				Expect(result.String()).To(ContainSubstring(says))
			},
			Entry("another product on the page", report.PageFile, "Access", "Acess", "report.html is not what"),
			Entry("another number of users in the summary", report.SummaryFile, "Users: 13", "Users: 1300",
				"summary.md is not what"),
			Entry("another number of tests in JUnit", report.JUnitFile, `tests="`, `tests="9`, "junit.xml is not what"),
			Entry("another name in the metrics", metrics.File, "conformance_certifies", "conformance_certifiez",
				"metrics.prom is not what"),
			Entry("another number of requests", report.JSONFile, `"requests": `, `"requests": 9`,
				"metrics.prom is not what"),
			Entry("another number of witnesses", report.JSONFile, `"witnesses": `, `"witnesses": 9`,
				"report.html is not what"),
			Entry("more users served than there are", report.JSONFile, `"v5": 11`, `"v5": 99`,
				"counts: v5 served 99 users, but of 13 users each operation served 11"),
		)
	})

	It("holds as far as it can be checked if another release made it",
		func(ctx SpecContext) {
			dir := copyFolder(right)
			forgeReport(dir, func(r *report.Report) { r.Suite.Version = "0.0.9" })
			testkit.Write(dir, report.StatementFile, append(testkit.Read(dir, report.StatementFile), ' '))
			earlier := check(ctx, dir)
			Expect(earlier.Code()).To(Equal(3), earlier.String())
			Expect(earlier.Open).To(ConsistOf("statement", "evidence"))

			dir = copyFolder(right)
			forgeReport(dir, func(r *report.Report) { r.Fingerprints.Settings, r.Suite.Version = "sha256:0", "0.0.9" })
			earlier = check(ctx, dir)
			Expect(earlier.Code()).To(Equal(3), earlier.String())
			Expect(earlier.Open).To(ContainElement("evidence"))
		})

	It("holds as far as it can be checked if answers are too large to be kept, but not without an exchange",
		func(ctx SpecContext) {
			target := testkit.Serve(testkit.Changing(kit.Reference(kit.Users(), fixtures.AccessToken),
				func(_ schemas.Version, record map[string]any) {
					if record["UserId"] == kit.Users()[0].UserID { // who is asked what must be refused, too
						record["Description"] = strings.Repeat("x", 1<<20)
					}
				}))
			large := certifyService("", func(s *settings.Settings) {
				s.Users = s.Users[:5]
				testkit.EachTarget(func(t *settings.Target) { t.URL = target })(s)
			})
			result := check(ctx, large)
			Expect(result.Code()).To(Equal(3), result.String())
			Expect(result.String()).To(ContainSubstring("? evidence     66 rows of 80 can't be judged again"))
			var har map[string]map[string]any
			Expect(json.Unmarshal(testkit.Read(large, report.EvidenceFile), &har)).To(Succeed())
			har["log"]["entries"] = har["log"]["entries"].([]any)[1:]
			testkit.Write(large, report.EvidenceFile, testkit.Must(json.Marshal(har)))
			forgeReport(large, func(*report.Report) {})
			Expect(check(ctx, large).Fails).To(ConsistOf("evidence"))
		})

	It("holds as far as it can be checked if no answer is kept, as a word in each is the token", func(ctx SpecContext) {
		const word = "zanzibar"
		reference := kit.Reference(kit.Users(), word)
		target := testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := kit.RecordAnswer(reference, r)
			answer.Header.Set("Content-Type", "application/json; profile="+word)
			answer.Write(w)
		}))
		dir := certifyService("", testkit.EachTarget(func(t *settings.Target) { t.URL, t.AccessToken = target, word }),
			func(s *settings.Settings) { s.Secrets = []string{word} })
		result := testkit.Must(checkCertificate(ctx, dir, verify.Policy{UsersAtLeast: 1}, time.Now()))
		Expect(result.Code()).To(Equal(3), result.String())
		Expect(result.Open).To(ConsistOf("evidence", "--users-at-least"))
	})

	It("can't be checked if another release made it in another format, and names the release that can",
		func(ctx SpecContext) {
			dir := copyFolder(right)
			forgeReport(dir, func(r *report.Report) { r.Format, r.Suite.Version = "1.3", "1.4.0" })
			_, err := checkCertificate(ctx, dir, none, time.Now())
			Expect(err).To(MatchError("report.json: release 1.4.0 of the suite wrote it in format 1.3, which this " +
				"release does not read; verify it with release 1.4.0"))
		})

	DescribeTable("is held to a policy", func(ctx SpecContext, p verify.Policy, later time.Duration, fails ...string) {
		result := testkit.Must(checkCertificate(ctx, right, p, time.Now().Add(later)))
		Expect(result.Fails).To(ConsistOf(fails), result.String())
	},
		Entry("that it keeps", verify.Policy{MaxAge: time.Hour, SubjectVersion: "9.2", SubjectBuild: "b7",
			UsersAtLeast: 11, Versions: schemas.Versions()}, time.Duration(0)),
		Entry("of age", verify.Policy{MaxAge: time.Hour}, 2*time.Hour, "--max-age"),
		Entry("of age, from the future", verify.Policy{MaxAge: time.Hour}, -48*time.Hour, "--max-age"),
		Entry("of all else", verify.Policy{SubjectVersion: "9.3", SubjectBuild: "b8", Target: "https://example.com",
			UsersAtLeast: 12, Versions: []schemas.Version{"v7"}}, time.Duration(0), "--subject-version",
			"--subject-build", "--target",
			"--users-at-least", "--versions"),
		Entry("of its own end, which has come", verify.Policy{}, 32*24*time.Hour, "validity"),
		Entry("of its own end, on the last day", verify.Policy{}, 29*24*time.Hour),
	)

	It("holds as far as it can be checked if its run ended in the future", func(ctx SpecContext) {
		result := testkit.Must(checkCertificate(ctx, right, verify.Policy{}, time.Now().Add(-2*time.Hour)))
		Expect(result.Code()).To(Equal(3), result.String())
		Expect(result.Open).To(ConsistOf("clock"))
		Expect(result.String()).To(ContainSubstring("one of the clocks is wrong"))
	})

	It("is held to a target in another case of scheme and host", func(ctx SpecContext) {
		var r report.Report
		Expect(json.Unmarshal(testkit.Read(filepath.Join(right, report.JSONFile)), &r)).To(Succeed())
		target := strings.Replace(r.Target[schemas.V5], "http", "HTTP", 1) + "/"
		result := testkit.Must(checkCertificate(ctx, right, verify.Policy{Target: target}, time.Now()))
		Expect(result.Fails).To(BeEmpty(), result.String())
		result = testkit.Must(checkCertificate(ctx, right, verify.Policy{Target: target + "Other"}, time.Now()))
		Expect(result.Fails).To(ConsistOf("--target"))
	})

	DescribeTable("can't be checked if it is none", func(ctx SpecContext, stated, reported, says string) {
		dir := GinkgoT().TempDir()
		for name, text := range map[string]string{report.StatementFile: stated, report.JSONFile: reported} {
			if text != "" {
				testkit.Write(dir, name, []byte(text))
			}
		}
		_, err := checkCertificate(ctx, dir, none, time.Now())
		Expect(err).To(MatchError(And(ContainSubstring(says), Not(ContainSubstring("\n")))))
	}, testkit.Entries("unreadable"))

	It("is not signed if the run was not carried out", func() {
		dir, why := copyFolder(right), "--rate: expected a number"
		forgeReport(dir, func(r *report.Report) { r.Error = &why })
		_, key, err := ed25519.GenerateKey(nil)
		Expect(err).NotTo(HaveOccurred())
		private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
			Bytes: testkit.Must(x509.MarshalPKCS8PrivateKey(key))})
		_, err = verify.Sign(testkit.Must(verify.Open(dir)), private)
		Expect(err).To(MatchError(ContainSubstring("not carried out: " + why)))
		_, err = verify.Sign(testkit.Must(verify.Open(right)), private)
		Expect(err).NotTo(HaveOccurred())
	})

	It("can't be checked from a device", func(ctx SpecContext) {
		_, err := checkCertificate(ctx, os.DevNull, none, time.Now())
		Expect(err).To(MatchError(ContainSubstring("report folder of a run")))
	})

	DescribeTable("is not unpacked from an archive that is none, leads elsewhere or has no end",
		func(ctx SpecContext, name string, content []byte, text string) {
			Expect(*verify.MaxArchive).To(BeEquivalentTo(512 << 20))
			DeferCleanup(func(limit int64) { *verify.MaxArchive = limit }, *verify.MaxArchive)
			*verify.MaxArchive = 2 << 20
			dir := GinkgoT().TempDir()
			Expect(os.Mkdir(filepath.Join(dir, "in"), 0o700)).To(Succeed())
			path := testkit.Write(filepath.Join(dir, "in"), name, content)
			_, err := checkCertificate(ctx, path, none, time.Now())
			Expect(err).To(MatchError(And(ContainSubstring(text), Not(ContainSubstring("\n")))))
			Expect(testkit.Must(os.ReadDir(dir))).To(HaveLen(1), "nothing is written")
			Expect(testkit.Must(os.ReadDir(filepath.Dir(path)))).To(HaveLen(1), "nothing is written")
		},
		Entry("another kind of file", "users.csv", []byte("id,userId"), "report folder of a run"),
		Entry("no archive", "r.tar.gz", []byte("no archive"), "can't be read"),
		Entry("no zip", "r.zip", []byte("no archive"), "can't be read"),
		Entry("a path upwards", "r.tar", tarOf("../report.json"), "leads out of the folder"),
		Entry("a path from the root", "r.tar", tarOf("/etc/report.json"), "leads out of the folder"),
		Entry("a path upwards in a zip", "r.zip", zipOf("../../report.json"), "leads out of the folder"),
		Entry("a path with backslashes", "r.zip", zipOf(`..\report.json`), "leads out of the folder"),
		Entry("a path that is deep", "r.tar", tarOf("a/b/report.json"), "folder within a folder"),
		Entry("a file twice", "r.tar", tarOf("a/report.json", "b/report.json"), "occurs twice"),
		Entry("over a thousand files", "r.tar", tarOf(strings.Fields(fmt.Sprint(rand.Perm(1001)))...),
			"over 1000 files"),
		Entry("ten gigabytes of zeros", "r.tgz", packZeros(tar.TypeReg), "larger than 2 MiB"),
		Entry("ten gigabytes of zeros that are no file's", "r.tgz", packZeros(tar.TypeCont), "larger than 2 MiB"),
	)
})
