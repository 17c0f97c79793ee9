package folder_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/sanitize"
)

// textFile is one that holds a text.
func textFile(name, text string) folder.File {
	return folder.File{Name: name, Write: func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}}
}

var _ = Describe("Files that are put into a folder", func() {
	var f *folder.Folder
	var dir string
	BeforeEach(func() {
		dir = filepath.Join(GinkgoT().TempDir(), "reports")
		f = openFolder(dir)
	})

	It("take the place of earlier ones, and leave all others", func() {
		Expect(os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine"), 0o600)).To(Succeed())
		Expect(f.Put(nil, textFile("a.html", "old"), textFile("a.json", "old"))).To(Succeed())
		Expect(f.Put(nil, textFile("a.html", "new"), textFile("a.json", "new"))).To(Succeed())
		Expect(contentsOf(dir)).To(Equal(map[string]string{"a.html": "new", "a.json": "new", "mine.txt": "mine"}))
	})

	It("are put there all or none", func() {
		Expect(f.Put(nil, textFile("a.html", "old"), textFile("a.json", "old"))).To(Succeed())
		broken := folder.File{Name: "a.json", Write: func(io.Writer) error { return errors.New("the summary is gone") }}
		Expect(f.Put(nil, textFile("a.html", "new"), broken)).To(
			MatchError(And(ContainSubstring("a.json"), ContainSubstring("the summary is gone"))))
		Expect(contentsOf(dir)).To(Equal(map[string]string{"a.html": "old", "a.json": "old"}))
	})

	It("hold no secret", func() {
		var leak *sanitize.Leak
		err := f.Put(sanitize.NewGuard("", plain), textFile("a.html", "nothing"),
			textFile("a.json", "it said "+strings.ToUpper(plain)))
		Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
		Expect(leak.File).To(Equal("a.json"))
		Expect(contentsOf(dir)).To(BeEmpty())
	})

	It("do not stay beside their places where a process was killed", func() {
		for _, name := range []string{".a.json123", ".a.json", ".a.json12x", ".b.json123"} {
			Expect(os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600)).To(Succeed())
		}
		Expect(f.Put(nil, textFile("a.json", "new"))).To(Succeed())
		Expect(contentsOf(dir)).To(HaveLen(4))
		Expect(contentsOf(dir)).NotTo(HaveKey(".a.json123"))
	})

	It("have no place in a folder that was replaced", func() {
		Expect(os.Rename(dir, dir+"-old")).To(Succeed())
		Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		Expect(f.Put(nil, textFile("a.json", "new"))).To(MatchError(ContainSubstring("removed or replaced")))
		Expect(contentsOf(dir)).To(BeEmpty())
	})
})

var _ = Describe("A folder that is locked", func() {
	It("can't be locked by anybody else, until it is closed", func() {
		dir := filepath.Join(GinkgoT().TempDir(), "reports")
		first, err := folder.Open(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(first.Lock()).To(Succeed())
		second := openFolder(dir)
		Expect(second.Lock()).To(MatchError(And(ContainSubstring(dir), ContainSubstring("in use"),
			ContainSubstring("--report-dir"))))
		first.Close()
		Expect(second.Lock()).To(Succeed())
	})
})
