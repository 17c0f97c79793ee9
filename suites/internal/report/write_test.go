package report_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
)

var _ = Describe("WriteBaseline", func() {
	It("puts the same JSON into the file named", func() {
		path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
		result := closed(passing(prepared()), nil)
		Expect(report.WriteBaseline(path, result)).To(Succeed())
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(content)).To(Equal(written(result)["report.json"]))
		Expect(report.WriteBaseline(filepath.Join(path, "below"), result)).To(MatchError(ContainSubstring("--update-baseline")))
	})
})
