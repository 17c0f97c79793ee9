package report_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
)

var _ = Describe("Write", func() {
	names := func(dir string) []string {
		GinkgoHelper()
		entries, err := os.ReadDir(dir)
		Expect(err).NotTo(HaveOccurred())
		var list []string
		for _, entry := range entries {
			list = append(list, entry.Name())
		}
		return list
	}

	It("makes the folder, and leaves nothing in it but the files", func() {
		dir := filepath.Join(GinkgoT().TempDir(), "a", "b")
		Expect(report.Write(dir, closed(passing(prepared()), nil))).To(Succeed())
		Expect(names(dir)).To(ConsistOf("report.json", "junit.xml"))
	})

	It("takes the place of earlier files, each whole", func() {
		dir := GinkgoT().TempDir()
		Expect(report.Write(dir, closed(passing(prepared()), nil))).To(Succeed())
		before, err := os.ReadFile(filepath.Join(dir, "report.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Write(dir, report.Unfinished(prepared().Contract.Digest, end))).To(Succeed())
		after, err := os.ReadFile(filepath.Join(dir, "report.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(len(after)).To(BeNumerically("<", len(before)), "nothing of the longer one is left behind")
		Expect(valid(string(after))["verdict"]).To(Equal("error"))
		Expect(names(dir)).To(ConsistOf("report.json", "junit.xml"))
	})

	It("takes the place of a link, and does not write through it", func() {
		dir := GinkgoT().TempDir()
		elsewhere := filepath.Join(GinkgoT().TempDir(), "elsewhere")
		Expect(os.WriteFile(elsewhere, []byte("precious"), 0o600)).To(Succeed())
		Expect(os.Symlink(elsewhere, filepath.Join(dir, "report.json"))).To(Succeed())
		Expect(report.Write(dir, report.Unfinished(prepared().Contract.Digest, end))).To(Succeed())
		Expect(os.ReadFile(elsewhere)).To(BeEquivalentTo("precious"))
	})

	DescribeTable("says which folder can't be written, and by which settings it is named",
		func(spoil func(dir string) string) {
			dir := spoil(GinkgoT().TempDir())
			err := report.Write(dir, report.Unfinished(prepared().Contract.Digest, end))
			Expect(err).To(MatchError(And(ContainSubstring(dir), ContainSubstring("--report-dir"), ContainSubstring("AUTHN_REPORT_DIR"))))
		},
		Entry("a file stands in its place", func(dir string) string {
			file := filepath.Join(dir, "file")
			Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
			return file
		}),
		Entry("a file stands in the place of a folder above it", func(dir string) string {
			file := filepath.Join(dir, "file")
			Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
			return filepath.Join(file, "reports")
		}),
		Entry("a folder stands in the place of a file", func(dir string) string {
			Expect(os.MkdirAll(filepath.Join(dir, "report.json", "x"), 0o700)).To(Succeed())
			return dir
		}),
	)

	It("of a baseline puts the same JSON into the file named", func() {
		path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
		result := closed(passing(prepared()), nil)
		Expect(report.WriteJSON(path, result)).To(Succeed())
		content, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(content)).To(Equal(written(result)["report.json"]))
		Expect(report.WriteJSON(filepath.Join(path, "below"), result)).To(MatchError(ContainSubstring("--update-baseline")))
	})
})
