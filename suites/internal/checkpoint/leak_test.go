package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
)

const secret = `k/7"<'>q&Zw9+=x~8`

// expectLeak asserts that an error tells of a leak into a file.
func expectLeak(err error, file string) {
	GinkgoHelper()
	var leak *sanitize.Leak
	Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
	Expect(leak.File).To(Equal(file))
	Expect(err.Error()).NotTo(ContainSubstring(secret))
}

var _ = Describe("A secret", func() {
	guard := func() *sanitize.Guard { return sanitize.NewGuard("", "plain-9f86d081884c7d65", secret) }

	It("is not written into the findings, nor is anything that follows", func() {
		f, folder := beginFindings(guard())
		addFindings(f, 0, 3)
		before := positionOf(f)
		clean := contentOf(folder)
		one := numberedFinding(3)
		one.Actual = "v6 shows: " + secret
		expectLeak(f.Add(one), stats.FindingsFile)
		expectLeak(f.Add(numberedFinding(4)), stats.FindingsFile)
		_, err := f.Finish(5, true)
		expectLeak(err, stats.FindingsFile)
		f.Close()
		Expect(contentOf(folder)).To(Equal(clean))
		_, err = checkpoint.Resume(folder, guard(), storedPosition(before))
		Expect(err).NotTo(HaveOccurred())
	})

	It("is not written into the checkpoint", func() {
		folder := saveCheckpoint(someCheckpoint(4))
		before, err := os.ReadFile(filepath.Join(folder, checkpoint.CheckpointFile))
		Expect(err).NotTo(HaveOccurred())
		c := someCheckpoint(4)
		c.Tally.Groups[0].Sample[0].Actual = "v6 shows: " + secret
		expectLeak(checkpoint.WriteCheckpoint(folder, guard(), textOf(c)), checkpoint.CheckpointFile)
		entries, err := os.ReadDir(folder)
		Expect(err).NotTo(HaveOccurred())
		Expect(entries).To(HaveLen(1), "nor into a file beside it")
		after, err := os.ReadFile(filepath.Join(folder, checkpoint.CheckpointFile))
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(Equal(before))
	})

	It("is not written in its plain form, in whichever member it is", func() {
		const plain = "plain-9f86d081884c7d65"
		for _, change := range []func(one *stats.Finding){
			func(one *stats.Finding) { one.User.ID = plain }, func(one *stats.Finding) { one.User.UserID = plain },
			func(one *stats.Finding) { one.Pointer = "/" + plain }, func(one *stats.Finding) { one.Expected = plain },
			func(one *stats.Finding) { one.Kind = plain }, func(one *stats.Finding) { one.Requirement = plain },
		} {
			f, folder := beginFindings(guard())
			clean := func() string { positionOf(f); return contentOf(folder) }()
			one := numberedFinding(0)
			change(one)
			expectLeak(f.Add(one), stats.FindingsFile)
			_, _ = f.Finish(1, true)
			Expect(contentOf(folder)).To(Equal(clean))
		}
	})

	It("is not written into the header", func() {
		folder := GinkgoT().TempDir()
		h := sweepHeader()
		h.Identity.Rules = "plain-9f86d081884c7d65"
		_, err := checkpoint.Begin(folder, guard(), h)
		expectLeak(err, stats.FindingsFile)
		Expect(contentOf(folder)).To(BeEmpty())
	})

	It("is seen where it stands across two lines", func() {
		// All that comes between is known: the end of the one line, and the beginning of the other.
		one, two := numberedFinding(1), numberedFinding(2)
		across := `"exchange":"u1.2","waived":false}` + "\n" + `{"line":"finding","user":{"index":2`
		f, folder := beginFindings(sanitize.NewGuard("", across))
		positionOf(f)
		Expect(f.Add(one)).To(Succeed())
		positionOf(f)
		clean := contentOf(folder)
		expectLeak(f.Add(two), stats.FindingsFile)
		_, _ = f.Finish(2, true)
		Expect(contentOf(folder)).To(Equal(clean), "its second half is not written")
	})

	It("that only looks like one is written", func() {
		f, folder := beginFindings(guard())
		one := numberedFinding(0)
		one.Actual = secret[:len(secret)-1] + " " + secret[1:]
		Expect(f.Add(one)).To(Succeed())
		finishFindings(f, 1, true)
		_, objects := linesOf(contentOf(folder))
		Expect(objects[1]).To(HaveKeyWithValue("actual", one.Actual))
	})
})
