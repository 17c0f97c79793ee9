package atomicfile_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize/atomicfile"
	"authenticator-conformance/suites/internal/testkit"
)

func TestAtomicfile(t *testing.T) { testkit.Specs(t, "atomicfile") }

var _ = Describe("A file that is written whole or not at all", func() {
	var folder, path string
	BeforeEach(func() {
		folder = GinkgoT().TempDir()
		path = filepath.Join(folder, "report.json")
		Expect(os.WriteFile(path, []byte("old"), 0o644)).To(Succeed())
	})
	content := func() string { return string(testkit.Read(path)) }
	names := func() (list []string) {
		GinkgoHelper()
		entries := testkit.Must(os.ReadDir(folder))
		for _, entry := range entries {
			list = append(list, entry.Name())
		}
		return list
	}

	It("takes its place at the end, with its mode", func() {
		file := testkit.Must(atomicfile.Create(path, 0o600))
		testkit.Must(io.WriteString(file, "new"))
		Expect(content()).To(Equal("old"))
		Expect(file.Finish()).To(Succeed())
		Expect(file.Replace()).To(Succeed())
		file.Discard()
		Expect(content()).To(Equal("new"))
		Expect(names()).To(ConsistOf("report.json"))
		info := testkit.Must(os.Stat(path))
		Expect(info.Mode().Perm()).To(BeEquivalentTo(0o600))
	})

	It("takes the place of a link, and not that of what the link names", func() {
		other := filepath.Join(folder, "other")
		Expect(os.Rename(path, other)).To(Succeed())
		Expect(os.Symlink(other, path)).To(Succeed())
		Expect(atomicfile.Write(path, []byte("new"), 0o644)).To(Succeed())
		Expect(content()).To(Equal("new"))
		Expect(os.ReadFile(other)).To(BeEquivalentTo("old"))
	})

	It("leaves nothing where it is discarded, or has no place", func() {
		file := testkit.Must(atomicfile.Create(path, 0o644))
		file.Discard()
		file.Discard()
		Expect(content()).To(Equal("old"))
		Expect(names()).To(ConsistOf("report.json"))
		Expect(atomicfile.Write(folder, nil, 0o644)).NotTo(Succeed(), "a folder is in its place")
		Expect(names()).To(ConsistOf("report.json"))
		Expect(atomicfile.Write(filepath.Join(folder, "none", "x"), nil, 0o644)).To(MatchError(os.ErrNotExist))
	})

	It("is removed later where its process was killed", func() {
		left, other := filepath.Join(folder, ".report.json4711"), filepath.Join(folder, ".report.json.old")
		for _, path := range []string{left, other} {
			Expect(os.WriteFile(path, []byte("half"), 0o600)).To(Succeed())
		}
		atomicfile.Clean(path)
		Expect(names()).To(ConsistOf("report.json", ".report.json.old"))
	})
})
