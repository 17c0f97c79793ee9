package selftest_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

var _ = Describe("A baseline", func() {
	It("lists new failures, accepts known ones, and reports stale ones", func() {
		const broken = "flags-fraction-v6"
		baseline := filepath.Join(newFolder(), "baseline.json")
		run := func(mutantName, flag string) (*report, *result) {
			GinkgoHelper()
			handler := referenceFor(kit.Users())
			if mutantName != "" {
				handler = mutantNamed(mutantName).Handler(handler)
			}
			t := startTarget(handler)
			defer t.Close()
			r := certifyTarget(t.URL, flag, baseline).run()
			return checkRun(r), r
		}

		_, r := run("", "--update-baseline")
		Expect(r.exitCode).To(Equal(0), "%s", r)
		report, r := run(broken, "--baseline")
		Expect(r.exitCode).To(Equal(1), "%s", r)
		Expect(report.Baseline.New).To(ContainElement(HaveField("Requirement", "2.1/Flags")))
		Expect(report.Baseline.Stale).To(BeEmpty())
		Expect(r.stdout).To(MatchRegexp(`FAIL 2\.1/Flags in v6: .*\n  - .* at /Flags: `))

		_, r = run(broken, "--update-baseline")
		Expect(r.exitCode).To(Equal(1), "%s", r)
		report, r = run(broken, "--baseline")
		Expect(r.exitCode).To(Equal(0), "a known failure should be accepted: %s", r)
		Expect(report.Baseline.New).To(BeEmpty())
		Expect(report.Baseline.Known).To(ContainElement(HaveField("Requirement", "2.1/Flags")))

		report, r = run("", "--baseline")
		Expect(r.exitCode).To(Equal(1), "a stale failure should fail the run: %s", r)
		Expect(report.Baseline.Stale).To(ContainElement(HaveField("Requirement", "2.1/Flags")))
		Expect(r.stdout).To(MatchRegexp(`stale: v6 2\.1/Flags: .* at /Flags`))
	})

	It("contains no values of users, and accepts rows that were inconclusive in it", func() {
		silent := startTarget(rewriteBodies(referenceFor(kit.Users()), func(_, body string) string {
			return strings.ReplaceAll(body, `"Description":`, `"Text":`)
		}))
		defer silent.Close()
		baseline := filepath.Join(newFolder(), "baseline.json")
		r := certifyTarget(silent.URL, "--update-baseline", baseline).run()
		Expect(r.exitCode).To(Equal(3), "%s", r)
		content, err := os.ReadFile(baseline)
		Expect(err).NotTo(HaveOccurred())
		for _, user := range kit.Users() {
			Expect(string(content)).NotTo(Or(ContainSubstring(user.ID), ContainSubstring(user.UserID+`"`)))
		}
		r = certifyTarget(silent.URL, "--baseline", baseline).run()
		report := checkRun(r)
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(report.Baseline.Known).To(ConsistOf(HaveField("Requirement", "2.1/Description"),
			HaveField("Requirement", "2.1/Description")))
	})

	narrowed := startEarly(&otherJobs, func() *result {
		return command{args: []string{"run", "--update-baseline", "baseline.json", "--label-filter", "2.1"}}.run()
	})
	It("is not written by a run with a filter", func() {
		Expect(narrowed().exitCode).To(Equal(2), "%s", narrowed())
		Expect(narrowed().stderr).To(ContainSubstring("--update-baseline"))
		Expect(filepath.Join(narrowed().folder, "baseline.json")).NotTo(BeAnExistingFile())
	})
})
