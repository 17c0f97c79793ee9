package settings_test

import (
	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

var _ = Describe("The settings of judging again", func() {
	It("are the report folder, the baseline and how values are shown, and nothing of the target", func() {
		var names []string
		newFlags(settings.Judge).VisitAll(func(f *pflag.Flag) {
			names = append(names, f.Name)
			Expect(f.Usage).To(Equal(newFlags(settings.Run).Lookup(f.Name).Usage))
		})
		Expect(names).To(ConsistOf("report-dir", "baseline", "values"))
	})

	DescribeTable("take the baseline from the flag, else from the variable",
		func(want string, environ []string, args ...string) {
			s, err := resolveFor(settings.Judge, environ, args...)
			Expect(err).NotTo(HaveOccurred())
			Expect(s.Baseline).To(Equal(want))
		},
		Entry("nowhere", "", nil),
		Entry("flag", "b.json", nil, "--baseline", "b.json"),
		Entry("variable", "v.json", []string{"AUTHN_BASELINE=v.json"}),
		Entry("both", "b.json", []string{"AUTHN_BASELINE=v.json"}, "--baseline=b.json"),
		Entry("beside what else a pipeline sets", "b.json", []string{
			"AUTHN_TARGET_URL=http://x", "AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=a",
			"AUTHN_USERS=missing.yaml", "AUTHN_RATE=-1", "AUTHN_REPORT_DIR=r", "PATH=/bin",
		}, "--baseline", "b.json", "--report-dir", "r"),
	)
})
