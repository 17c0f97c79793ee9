package selftest_test

import (
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

// certificateOf returns what report.json and statement.json say about the certification.
func certificateOf(r *result) (certifies bool, statement string) {
	GinkgoHelper()
	files := filesIn(r.reports())
	certifies, _ = membersOf(files["report.json"])["certifies"].(bool)
	for _, word := range []string{"PASSED", "WARNED", "FAILED"} {
		if strings.Contains(files["statement.json"], `"result": "`+word+`"`) {
			statement = word
		}
	}
	return certifies, statement
}

var _ = Describe("What certifies", func() {
	broken := func() service { return mutantService(mutantNamed("created-on-two-digit-fraction-one-user-v5")) }

	right := startEarly(&otherJobs, func() *result {
		t := startTarget(referenceFor(kit.Users()))
		defer t.Close()
		return certifyTarget(t.URL).run()
	})
	It("is a run of a deployed service that passed", func() {
		Expect(right().exitCode).To(Equal(0), "%s", right())
		certifies, statement := certificateOf(right())
		Expect(certifies).To(BeTrue())
		Expect(statement).To(Equal("PASSED"))
	})

	builtIn := startEarly(&otherJobs, func() *result { return command{args: []string{"run"}}.run() })
	It("is not a run of the built-in reference, and every report says so first", func() {
		const words = "the built-in reference, no deployed service was asked"
		Expect(builtIn().exitCode).To(Equal(0), "%s", builtIn())
		certifies, statement := certificateOf(builtIn())
		Expect(certifies).To(BeFalse())
		Expect(statement).To(Equal("WARNED"))
		files := filesIn(builtIn().reports())
		for name, lines := range map[string]int{"summary.md": 1, "junit.xml": 2, "statement.json": 46,
			"report.html": 12} {
			first := strings.SplitN(files[name], "\n", lines+1)
			Expect(strings.Join(first[:min(lines, len(first))], "\n")).To(ContainSubstring(words), name)
		}
		Expect(strings.SplitN(builtIn().stdout, "\n\n", 2)[0]).To(ContainSubstring(words))
	})

	gated := startEarly(&otherJobs, func() *result {
		folder := newFolder()
		first, _ := broken().judge(command{args: []string{"run", "--update-baseline",
			filepath.Join(folder, "baseline.json")},
			folder: folder})
		if first.err != nil || first.exitCode != 1 {
			return first
		}
		r, _ := broken().judge(command{args: []string{"run", "--baseline", filepath.Join(folder, "baseline.json")}})
		return r
	})
	It("is not a broken service with a baseline of its own failures", func() {
		Expect(gated().exitCode).To(Equal(0), "%s", gated())
		certifies, statement := certificateOf(gated())
		Expect(certifies).To(BeFalse())
		Expect(statement).To(Equal("WARNED"))
		Expect(filesIn(gated().reports())["statement.json"]).To(ContainSubstring(`"name": "baseline"`))
		Expect(gated().stdout).To(MatchRegexp(`certifies nothing: \d checks? known from the baseline`))
	})

	waived := startEarly(&otherJobs, func() *result {
		folder := newFolder()
		r, _ := broken().judge(command{folder: folder,
			args: []string{"run", "--config", writeFile(folder, "c.yaml", `waivers:
- {requirement: 2.1/CreatedOn, reason: it is never fixed, until: 9999-12-31}
- {requirement: 9.3/getUserAuth/values, reason: it is never fixed, until: 9999-12-31}
`)}})
		return r
	})
	It("is not a broken service with waivers until the year 9999", func() {
		Expect(waived().exitCode).To(Equal(0), "%s", waived())
		certifies, statement := certificateOf(waived())
		Expect(certifies).To(BeFalse())
		Expect(statement).To(Equal("WARNED"))
		Expect(filesIn(waived().reports())["report.html"]).To(ContainSubstring("until 9999-12-31"))
	})

	type edits struct{ beside, alone *result }
	edited := startEarly(&otherJobs, func() edits {
		run, _ := broken().judge(command{args: []string{"run"}})
		// The wrong value of v5 is replaced by that of v6.
		evidence := strings.ReplaceAll(filesIn(run.reports())["evidence.har"], `2019-03-06T21:00:21.51Z`,
			`2015-11-14T13:37:04.082Z`)
		writeFile(run.reports(), "evidence.har", evidence)
		alone := newFolder()
		writeFile(alone, "evidence.har", evidence)
		return edits{
			command{args: []string{"judge", filepath.Join(run.reports(), "evidence.har")}, folder: newFolder()}.run(),
			command{args: []string{"judge", "evidence.har"}, folder: alone}.run(),
		}
	})
	It("is not edited evidence: it is refused beside its statement, and judged again without certifying alone", func() {
		beside, alone := edited().beside, edited().alone
		Expect(beside.exitCode).To(Equal(2), "%s", beside)
		Expect(beside.stderr).To(ContainSubstring("was changed since it was recorded"))
		certifies, statement := certificateOf(beside)
		Expect(certifies).To(BeFalse())
		Expect(statement).To(Equal("FAILED"))

		Expect(alone.exitCode).To(Equal(0), "%s", alone)
		certifies, statement = certificateOf(alone)
		Expect(certifies).To(BeFalse())
		Expect(statement).To(Equal("WARNED"))
	})
})
