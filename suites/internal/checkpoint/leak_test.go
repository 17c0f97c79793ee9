package checkpoint_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	secret = `k/7"<'>q&Zw9+=x~8`
	plain  = "plain-9f86d081884c7d65"
)

// expectLeak asserts that an error tells of a leak into a file.
func expectLeak(err error, file string) {
	GinkgoHelper()
	var leak *sanitize.Leak
	Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
	Expect(leak.File).To(Equal(file))
	Expect(err.Error()).NotTo(ContainSubstring(secret))
}

var _ = Describe("A secret", func() {
	guard := func() *sanitize.Guard { return sanitize.NewGuard("", plain, secret) }

	It("is not written into the findings in any member or form, nor is anything that follows", func() {
		for _, change := range []func(one *stats.Finding){
			func(one *stats.Finding) { one.Actual = "v6 shows: " + secret },
			func(one *stats.Finding) { one.User.ID = plain }, func(one *stats.Finding) { one.User.UserID = plain },
			func(one *stats.Finding) { one.Pointer = "/" + plain }, func(one *stats.Finding) { one.Expected = plain },
			func(one *stats.Finding) { one.Kind = plain }, func(one *stats.Finding) { one.Requirement = plain },
		} {
			f, folder := beginFindings(guard())
			addFindings(f, 0, 3)
			before := storedPosition(f)
			clean := findingsText(folder)
			expectLeak(f.Add(numberedFinding(3, change)), stats.FindingsFile)
			expectLeak(f.Add(numberedFinding(4)), stats.FindingsFile)
			_, err := f.Finish(5, true)
			expectLeak(err, stats.FindingsFile)
			Expect(findingsText(folder)).To(Equal(clean))
			resumeFindings(folder, before)
		}
	})

	It("is not written into the header", func() {
		folder, h := GinkgoT().TempDir(), sweepHeader()
		h.Identity.Rules = plain
		_, err := checkpoint.Begin(folder, guard(), h)
		expectLeak(err, stats.FindingsFile)
		Expect(findingsText(folder)).To(BeEmpty())
	})

	It("is seen if it stands across two lines, and its second half is not written", func() {
		across := `"exchange":"u1.2","waived":false}` + "\n" + `{"line":"finding","user":{"index":2`
		f, folder := beginFindings(sanitize.NewGuard("", across))
		addFindings(f, 0, 2)
		storedPosition(f)
		clean := findingsText(folder)
		expectLeak(f.Add(numberedFinding(2)), stats.FindingsFile)
		_, _ = f.Finish(2, true)
		Expect(findingsText(folder)).To(Equal(clean))
	})

	It("is not written into the checkpoint, nor into a file beside it", func() {
		folder, c := saveCheckpoint(4), checkpointAfter(4)
		c.Tally.Groups[0].Sample[0].Actual = "v6 shows: " + secret
		expectLeak(checkpoint.WriteCheckpoint(folder, guard(), testkit.Must(c.Text())), checkpoint.CheckpointFile)
		Expect(fileNames(folder)).To(Equal([]string{checkpoint.CheckpointFile}))
		Expect(testkit.Read(folder, checkpoint.CheckpointFile)).To(Equal(checkpointText(4)))
	})

	It("is not written into the archive", func() {
		a := testkit.Must(checkpoint.BeginAnswers(GinkgoT().TempDir(), guard(), evidence.Head("")))
		DeferCleanup(a.Close)
		expectLeak(a.Add([]byte(`{"n":"`+plain+`"}`)), stats.AnswersFile)
	})

	It("is no obstacle to a text that only looks like it", func() {
		f, folder := beginFindings(guard())
		Expect(f.Add(numberedFinding(0, func(one *stats.Finding) { one.Actual = plain[:9] + " " + plain[9:] }))).
			To(Succeed())
		testkit.Must(f.Finish(1, true))
		Expect(findingsText(folder)).To(ContainSubstring(plain[:9] + " " + plain[9:]))
	})
})
