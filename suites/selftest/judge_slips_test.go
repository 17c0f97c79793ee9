package selftest_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// judgeSlip is a call of judge that can't be carried out.
type judgeSlip struct {
	name string
	args []string // {evidence} stands for evidence that is right
	env  []string
	file string // content of x.har
	says []string
	// mute tells that there is no folder that a report could be written to.
	mute bool
}

func judgeSlips() []judgeSlip {
	const browser = `{"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[]}}`
	return []judgeSlip{
		{name: "no file", says: []string{"one file", "evidence.har", "0 were given"}},
		{name: "two files", args: []string{"{evidence}", "{evidence}"}, says: []string{"one file", "2 were given"}},
		{name: "a folder", args: []string{"folder"}, says: []string{"folder", "evidence.har"}},
		{name: "a file that is missing", args: []string{"evidense.har"}, says: []string{"evidense.har", "no such file"}},
		{name: "a file of no name", args: []string{""}, says: []string{"evidence"}},
		{name: "an empty file", args: []string{"x.har"}, says: []string{"x.har", "no evidence"}},
		{name: "a file that is no archive", args: []string{"x.har"}, file: "PASS\n", says: []string{"x.har", "no evidence"}},
		{name: "a report", args: []string{"x.har"}, file: passedReport, says: []string{"x.har", "log._run"}},
		{name: "the archive of a browser", args: []string{"x.har"}, file: browser, says: []string{"x.har", "log._run"}},
		{name: "an unknown flag", args: []string{"{evidence}", "--target-url", "http://127.0.0.1:1"}, says: []string{"--target-url"}},
		{name: "an unknown variable", args: []string{"{evidence}"}, env: []string{"AUTHN_TOKN=x"}, says: []string{"AUTHN_TOKN", "AUTHN_"}},
		{name: "a baseline that is missing", args: []string{"{evidence}", "--baseline", "b.json"}, says: []string{"b.json", "--baseline"}},
		{name: "a baseline that is no report", args: []string{"{evidence}", "--baseline", "x.har"}, file: "{}", says: []string{"x.har", "no report"}},
		{name: "a baseline of no name", args: []string{"{evidence}", "--baseline", ""}, says: []string{"--baseline", "empty"}},
		{name: "a baseline of no name in a variable", args: []string{"{evidence}"}, env: []string{"AUTHN_BASELINE="}, says: []string{"AUTHN_BASELINE", "empty"}},
		{name: "a report folder of no name", args: []string{"{evidence}", "--report-dir", ""}, says: []string{"--report-dir", "empty"}},
		{name: "a report folder below a file", args: []string{"{evidence}", "--report-dir", "x.har/r"}, says: []string{"x.har/r", "--report-dir"}, mute: true},
		{name: "a report folder that is a file", args: []string{"{evidence}", "--report-dir", "x.har"}, says: []string{"x.har", "--report-dir"}, mute: true},
	}
}

// judgeSlipSpecs show that judging again is as strict as a run about what it was told to do.
func judgeSlipSpecs(r *rig) {
	// recorded is the folder of a run that passed, by its evidence.
	recorded := func() string {
		GinkgoHelper()
		server := httptest.NewServer(referenceOf(knownUsers()))
		defer server.Close()
		o := r.call(r.certify(server.URL))
		Expect(o.code).To(Equal(0), o.said())
		return o.reports()
	}

	Describe("Judging again can't begin with", Ordered, func() {
		var right string
		BeforeAll(func() { right = recorded() })

		for _, s := range judgeSlips() {
			It(s.name, func() {
				folder := r.work()
				Expect(leavePass(filepath.Join(folder, defaultReports))).To(Succeed())
				Expect(os.Mkdir(filepath.Join(folder, "folder"), 0o755)).To(Succeed())
				write(folder, "x.har", []byte(s.file))
				args := []string{"judge"}
				for _, a := range s.args {
					args = append(args, strings.ReplaceAll(a, "{evidence}", filepath.Join(right, "evidence.har")))
				}
				o := r.call(command{args: args, env: s.env, folder: folder})
				Expect(o.code).To(Equal(2), o.said())
				Expect(o.stdout).To(BeEmpty())
				Expect(o.stderr).To(HavePrefix("error: "))
				Expect(odd(o.stderr)).To(BeEmpty())
				for _, words := range append(s.says, "") {
					Expect(o.stderr).To(ContainSubstring(words))
				}
				for _, words := range []string{"panic", "defect"} {
					Expect(o.stderr).NotTo(ContainSubstring(words))
				}
				if !s.mute {
					replaced(o.reports(), s.says)
				}
			})
		}

		It("none of what a pipeline sets for its runs: that is no slip", func() {
			o := r.call(command{args: []string{"judge", filepath.Join(right, "evidence.har")}, env: append(credentials(),
				"AUTHN_TARGET_URL=http://127.0.0.1:1", "AUTHN_USERS=missing.yaml", "AUTHN_TIMEOUT=soon")})
			Expect(o.code).To(Equal(0), o.said())
		})
	})

	It("Judging again leaves the evidence in its folder, whatever the slip", func() {
		for _, args := range [][]string{{"judge"}, {"judge", "evidence.har"}, {"judge", "--nonsense"}, {"judge", "x.har"}} {
			folder := r.work()
			Expect(leavePass(filepath.Join(folder, defaultReports))).To(Succeed())
			const was = "what an earlier run saw"
			write(folder, filepath.Join(defaultReports, "evidence.har"), []byte(was))
			write(folder, "x.har", []byte("{}"))
			o := r.call(command{args: args, folder: folder})
			Expect(o.code).To(Equal(2))
			Expect(filesOf(o.reports())["evidence.har"]).To(Equal(was), "%q took the evidence away", args)
			replaced(o.reports(), nil)
		}
	})

	It("Judging again goes against a baseline, as a run does", func() {
		reports := recorded()
		baseline := filepath.Join(reports, "report.json")
		o := r.call(command{args: []string{"judge", filepath.Join(reports, "evidence.har"), "--baseline", baseline}})
		Expect(o.code).To(Equal(0), o.said())
		Expect(sound(o).Baseline).NotTo(BeNil())

		// What failed in the baseline and can't be seen any more is neither known nor better.
		content, _ := without(filesOf(reports)["evidence.har"], func(e entry) bool { return e.Probe.Alteration == "absent" })
		folder := r.work()
		write(folder, "e.har", content)
		o = r.call(command{args: []string{"judge", "e.har"}, env: []string{"AUTHN_BASELINE=" + baseline}, folder: folder})
		Expect(o.code).To(Equal(3), o.said())
		Expect(sound(o).Baseline.Stale).To(BeEmpty())
	})
}
