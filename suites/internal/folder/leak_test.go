package folder_test

import (
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
)

// The secrets of these specs; the second has what every encoding must escape.
const (
	plain = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	odd   = `W<x"Y&z'9+k/L=m%p\R;q~{n}[o] v^2|T~u:8?h@j`
)

// aroundLimits are sizes of what goes before a secret, so that it stands across two writes wherever these end.
func aroundLimits() []int {
	return []int{0, 1, 4096 - 20, 1<<16 - 41, 1<<16 - 20, 1<<16 - 1, 1 << 16, 3<<16 - 7}
}

var _ = Describe("The guard against leaks", func() {
	It("keeps back every file where the evidence holds a secret", func() {
		f, dir := begunFolder()
		unchanged := contentsOf(dir)
		for _, secret := range []string{plain, odd} {
			for _, before := range aroundLimits() {
				content := passingContent(strings.Repeat("-", before) + secret + strings.Repeat("-", 100))
				content.Guard = sanitize.NewGuard("", secret)
				var leak *sanitize.Leak
				err := f.Write(content)
				Expect(errors.As(err, &leak)).To(BeTrue(), "%q after %d bytes: %v", secret, before, err)
				Expect(leak.File).To(Equal(report.EvidenceFile))
				Expect(leak.Encoding).NotTo(BeEmpty())
				Expect(err.Error()).To(ContainSubstring("defect of the suite"))
				Expect(err.Error()).NotTo(ContainSubstring(secret[:12]))
				Expect(contentsOf(dir)).To(Equal(unchanged))
			}
		}
	})

	DescribeTable("looks into every file", func(change func(*report.Report), file string) {
		f, dir := begunFolder()
		unchanged := contentsOf(dir)
		content := passingContent("nothing in it")
		change(content.Report)
		content.Report.Judge()
		content.Guard = sanitize.NewGuard("", plain)
		err := f.Write(content)
		var leak *sanitize.Leak
		Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
		Expect(leak.File).To(BeElementOf(file, report.PageFile), "the page shows nearly everything, and is made first")
		Expect(contentsOf(dir)).To(Equal(unchanged))
	},
		Entry("a note", func(r *report.Report) { r.Notes = []string{"note " + plain} }, report.PageFile),
		Entry("a setting", func(r *report.Report) {
			r.Settings = []report.Setting{{Name: "x", Value: plain,
				Source: "default"}}
		}, report.JSONFile),
		Entry("what a row notes", func(r *report.Report) { r.Requirements[0].Notes = []string{plain} },
			report.JUnitFile),
		Entry("the id of the run", func(r *report.Report) { r.Run = plain }, report.JSONFile),
		Entry("why it failed", func(r *report.Report) {
			row := &r.Requirements[0]
			row.Verdict, row.FindingCount = ledger.Fail, 1
			row.Findings = []report.Finding{{Exchange: "e1", Message: plain, Actual: plain, Repeat: "curl " + plain}}
			row.Causes = []report.Cause{{Kind: "x", Count: 1, Example: plain}}
		}, report.JUnitFile),
		Entry("why it was not carried out",
			func(r *report.Report) { cause := "no route to " + plain; r.Error = &cause }, report.PageFile),
	)

	It("lets pass what holds no secret, and what only looks like a part of one", func() {
		f, dir := begunFolder()
		content := passingContent(plain[:39] + " " + plain[1:] + " " + strings.Repeat("q7Zt", 30))
		content.Guard = sanitize.NewGuard("", plain, odd)
		Expect(f.Write(content)).To(Succeed())
		Expect(expectWhole(dir)).To(Equal(sameVerdict("pass")))
	})

	It("looks for nothing where no secret is known", func() {
		f, _ := begunFolder()
		Expect(f.Write(passingContent(plain))).To(Succeed())
		content := passingContent(plain)
		content.Guard = sanitize.NewGuard("")
		Expect(f.Write(content)).To(Succeed())
	})
})
