package checkpoint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
)

// archive is differences.har of a folder, as programs read it.
type archive struct {
	Log struct {
		Version string
		Creator struct{ Name, Version string }
		Entries []struct{ N int }
		Comment string
	}
}

func archiveOf(folder string) archive {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(folder, stats.AnswersFile))
	Expect(err).NotTo(HaveOccurred())
	var a archive
	Expect(json.Unmarshal(content, &a)).To(Succeed(), "%s", content)
	for i, entry := range a.Log.Entries {
		Expect(entry.N).To(Equal(i))
	}
	return a
}

func answersIn(folder string, guard *sanitize.Guard) *checkpoint.Answers {
	GinkgoHelper()
	a, err := checkpoint.BeginAnswers(folder, guard, evidence.Head(""))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(a.Close)
	return a
}

// addEntries adds the entries from one number to before another.
func addEntries(a *checkpoint.Answers, from, to int) {
	GinkgoHelper()
	for n := from; n < to; n++ {
		Expect(a.Add(fmt.Appendf(nil, `{"n":%d}`, n))).To(Succeed())
	}
}

var _ = Describe("The archive of those who differ", func() {
	It("is a HAR, in a file for its owner alone", func() {
		folder := GinkgoT().TempDir()
		a := answersIn(folder, nil)
		addEntries(a, 0, 3)
		Expect(a.Finish()).To(Succeed())
		read := archiveOf(folder)
		Expect(read.Log.Version).To(Equal("1.2"))
		Expect(read.Log.Creator.Name).To(Equal(report.Name))
		Expect(read.Log.Entries).To(HaveLen(3))
		Expect(read.Log.Comment).To(Equal("the exchanges of all users who differ, or for whom the contract is broken"))
		info, err := os.Stat(filepath.Join(folder, stats.AnswersFile))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)))
	})

	It("is one without entries where nobody differs", func() {
		folder := GinkgoT().TempDir()
		Expect(answersIn(folder, nil).Finish()).To(Succeed())
		Expect(archiveOf(folder).Log.Entries).To(BeEmpty())
	})

	It("holds a thousand exchanges, and says that there were more", func() {
		folder := GinkgoT().TempDir()
		a := answersIn(folder, nil)
		addEntries(a, 0, checkpoint.MostAnswers+5)
		Expect(a.Full()).To(BeTrue())
		Expect(a.Finish()).To(Succeed())
		Expect(archiveOf(folder).Log.Entries).To(HaveLen(checkpoint.MostAnswers))
		Expect(archiveOf(folder).Log.Comment).To(ContainSubstring("the first 1,000 exchanges"))
	})

	It("is bounded in bytes too", func() {
		folder := GinkgoT().TempDir()
		a := answersIn(folder, nil)
		large := `{"n":%d,"text":"` + strings.Repeat("x", 12<<20) + `"}`
		for n := range 5 {
			Expect(a.Add(fmt.Appendf(nil, large, n))).To(Succeed())
		}
		Expect(a.Finish()).To(Succeed())
		Expect(archiveOf(folder).Log.Entries).To(HaveLen(3), "the last one that begins within 32 MiB")
	})

	It("continues from a position, without what came after it", func() {
		folder := GinkgoT().TempDir()
		a := answersIn(folder, nil)
		addEntries(a, 0, 2)
		position, err := a.Position()
		Expect(err).NotTo(HaveOccurred())
		addEntries(a, 2, 4)
		Expect(a.Finish()).To(Succeed())
		a.Close()
		again, err := checkpoint.ResumeAnswers(folder, nil, position)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(again.Close)
		addEntries(again, 2, 3)
		Expect(again.Finish()).To(Succeed())
		Expect(archiveOf(folder).Log.Entries).To(HaveLen(3))
	})

	It("is never written with a secret in it", func() {
		folder := GinkgoT().TempDir()
		a := answersIn(folder, sanitize.NewGuard("", "q7Zt2mVx9RkL4wNbY8sH"))
		var leak *sanitize.Leak
		Expect(errors.As(a.Add([]byte(`{"n":"q7Zt2mVx9RkL4wNbY8sH"}`)), &leak)).To(BeTrue())
		Expect(leak.File).To(Equal(stats.AnswersFile))
	})

	It("writes nothing without a folder", func() {
		a := answersIn("", nil)
		addEntries(a, 0, 2)
		Expect(a.Finish()).To(Succeed())
	})
})
