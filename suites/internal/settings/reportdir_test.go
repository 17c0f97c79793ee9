package settings_test

import (
	"path/filepath"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("ReportDir", func() {
	reportDir := func(args, environ []string) string {
		return settings.Read(settings.Run, nil, args, environ).ReportDir()
	}
	const byDefault = "conformance-report"

	DescribeTable("reads arguments that may hold any fault", func(want string, args ...string) {
		Expect(reportDir(args, nil)).To(Equal(want))
	},
		Entry("none", byDefault), Entry("apart", "out", "run", "--report-dir", "out"),
		Entry("with an equals sign inside", "a=b", "--report-dir=a=b"),
		Entry("after an unknown flag", "out", "run", "--nonsense", "--report-dir", "out"),
		Entry("the last of two", "b", "--report-dir", "a", "--report-dir=b"),
		Entry("given, then empty", "a", "--report-dir=a", "--report-dir="),
		Entry("empty", byDefault, "--report-dir", ""), Entry("cut", byDefault, "--report-dir"),
		Entry("value of another flag", byDefault, "--focus", "--report-dir", "x"),
		Entry("after the end of flags", byDefault, "--", "--report-dir", "out"),
		Entry("after an unknown short flag", "out", "run", "-x", "--report-dir", "out"),
		Entry("after what is no flag at all", "out", "run", "--=x", "---y", "--report-dir", "out"),
		Entry("another flag that begins alike", byDefault, "--report-dirs", "out", "--report-dir-x=out"),
	)

	It("needs no flag set", func() {
		Expect(reportDir([]string{"--any", "--report-dir", "out"}, nil)).To(Equal("out"))
	})

	It("knows the values of the command's other flags, and gives them", func() {
		fs := newFlags(settings.Sweep)
		fs.String("other", "", "")
		fs.Lookup("other").NoOptDefVal = "none"
		fs.IntP("number", "n", 0, "")
		in := settings.Read(settings.Sweep, fs, []string{"--number", "--report-dir", "--rate=1", "--other",
			"--report-dir=out", "-n5", "--other=b"}, nil)
		Expect(in.ReportDir()).To(Equal("out"))
		for name, want := range map[string]string{"number": "5", "other": "b", "rate": "1"} {
			text, given := in.Flag(name)
			Expect(given).To(BeTrue(), name)
			Expect(text).To(Equal(want), name)
		}
		_, given := in.Flag("timeout")
		Expect(given).To(BeFalse())
	})

	It("is that of the file for commands that take nothing else from it", func() {
		folder := writeFiles("c.yaml", "reportDir: filed\nbaseline: b.json\nrate: much\nno: 1\n")
		for _, c := range []settings.Command{settings.Judge, settings.Merge} {
			in := settings.Read(c, nil, nil, []string{"AUTHN_CONFIG=" + folder + "/c.yaml"})
			Expect(in.ReportDir()).To(Equal(filepath.Join(folder, "filed")))
			s, err := in.Resolve(referenceDefaults(), testkit.Contract(), noonOf(today))
			Expect(err).NotTo(HaveOccurred())
			Expect([]string{s.ReportDir, s.Baseline}).To(Equal([]string{in.ReportDir(), ""}))
		}
	})

	It("goes on to the variable, then the file, then the default", func() {
		folder := writeFiles("c.yaml", "reportDir: filed\n")
		environ := []string{"AUTHN_CONFIG=" + folder + "/c.yaml", "AUTHN_REPORT_DIR=varied"}
		Expect(reportDir([]string{"--report-dir=flagged"}, environ)).To(Equal("flagged"))
		Expect(reportDir(nil, environ)).To(Equal("varied"))
		Expect(reportDir([]string{"--report-dir="}, environ)).To(Equal("varied"))
		Expect(reportDir(nil, []string{"AUTHN_REPORT_DIR= ", environ[0]})).To(Equal(filepath.Join(folder, "filed")))
		Expect(reportDir(nil, environ[:1])).To(Equal(filepath.Join(folder, "filed")))
		Expect(reportDir([]string{"--config", "no-such.yaml"}, environ[:1])).To(Equal(byDefault))
	})

	DescribeTable("reads a file that may hold any fault", func(content, want string) {
		folder := writeFiles("c.yaml", content)
		if want != byDefault {
			want = filepath.Join(folder, want)
		}
		Expect(reportDir([]string{"--config=" + folder + "/c.yaml"}, nil)).To(Equal(want))
	},
		Entry("right", "reportDir: out\n", "out"),
		Entry("mark and CRLF", "\ufeffrate: 1\r\nreportDir: out\r\n", "out"),
		Entry("unknown members", "accessToken: x\nreportDir: out\nusers: [1]\n", "out"),
		Entry("doubled: the first", "reportDir: a\nreportDir: b\n", "a"),
		Entry("no YAML after it", "reportDir: out\n\tx\n", "out"),
		Entry("no YAML before it", "{{\nreportDir: out\n", "out"),
		Entry("no UTF-8 beside it", "users: \xff\nreportDir: 'out'\n", "out"),
		Entry("empty member", "reportDir: ''\n", byDefault),
		Entry("wrong type", "reportDir: [out]\n", byDefault),
		Entry("inside a group", "target:\n  reportDir: out\n", byDefault), Entry("empty", "", byDefault),
	)

	DescribeTable("says what Resolve says where that succeeds", func(environ []string, args ...string) {
		folder := writeFiles("c.yaml", "reportDir: filed\n")
		args = append(args, "--config", folder+"/c.yaml")
		s, err := resolveRun(environ, args...)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportDir(args, environ)).To(Equal(s.ReportDir))
	},
		Entry("file", nil), Entry("variable", []string{"AUTHN_REPORT_DIR=./varied/"}),
		Entry("flag", nil, "--report-dir", "./a/../b"),
		Entry("flag that looks like a value", nil, "--focus", "--report-dir", "--report-dir", "--focus"),
		Entry("two variables", []string{"AUTHN_REPORT_DIR=a", "AUTHN_REPORT_DIR=b"}),
	)
})
