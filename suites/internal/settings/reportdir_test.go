package settings_test

import (
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("ReportDir", func() {
	DescribeTable("reads arguments, variables and a file that may hold any fault:",
		func(want, content string, environ, args []string) {
			GinkgoT().Chdir(writeFiles("c.yaml", content))
			Expect(settings.Read(settings.Run, nil, args, environ).ReportDir()).To(Equal(want))
		},
		testkit.Entries("reportdir"),
	)

	It("knows the values of the command's other flags, and gives them", func() {
		fs := newFlags(settings.Sweep)
		fs.String("other", "", "")
		fs.Lookup("other").NoOptDefVal = "none"
		fs.IntP("number", "n", 0, "")
		in := settings.Read(settings.Sweep, fs, []string{"--number", "--report-dir", "--rate=1", "--other",
			"--report-dir=out", "-n5", "--other=b"}, nil)
		Expect(in.ReportDir()).To(Equal("out"))
		for name, want := range map[string]string{"number": "5", "other": "b", "rate": "1", "timeout": ""} {
			text, given := in.Flag(name)
			Expect(text).To(Equal(want), name)
			Expect(given).To(Equal(want != ""), name)
		}
	})
})
