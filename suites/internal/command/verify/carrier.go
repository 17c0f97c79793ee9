package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// checkFiles compares each file with its digest in the statement. What a carrier did on the way, such as git or an
// archive program, is told apart from what was changed.
func (c *certificate) checkFiles() error {
	names := map[string][]string{} // by what became of the files
	for _, name := range slices.Sorted(maps.Keys(c.stated)) {
		became := gone
		if c.files[name] != nil {
			var err error
			if became, err = c.checkFile(name); err != nil {
				return err
			}
		}
		names[became] = append(names[became], name)
		c.intact[name] = became == asStated || became == mended
	}
	if content := c.contents[report.StatementFile]; !bytes.Equal(content, mend(content)) {
		names[mended] = append(names[mended], report.StatementFile)
	}
	others := maps.Clone(c.files)
	maps.DeleteFunc(others, func(name string, _ func() (io.ReadCloser, error)) bool {
		return c.stated[name] != "" || name == report.StatementFile || name == report.SignatureFile
	})
	names[unnamed] = slices.Sorted(maps.Keys(others))
	line := func(state State, title, became string) {
		if len(names[became]) > 0 {
			c.add(state, title, became, strings.Join(names[became], ", "))
		}
	}
	line(Breaks, filesLine, changed)
	line(Breaks, filesLine, pointer)
	line(Breaks, filesLine, gone)
	if !slices.Contains(c.Fails, filesLine) {
		c.add(Holds, filesLine, "%s are those of %s", wording.Count(len(c.stated), "file"), report.StatementFile)
	}
	line(Remark, filesLine, mended)
	line(Remark, "other files", unnamed)
	return nil
}

// What became of files on the way, with the place of their names.
const (
	asStated = ""
	changed  = "changed since the statement was made: %s"
	pointer  = "not here but a pointer of Git LFS: %s; run git lfs pull"
	gone     = "missing, perhaps lost on the way: %s; ask for the whole folder"
	mended   = "only line ends, or a byte order mark, were changed on the way, as git and editors do: %s"
	unnamed  = "%s: the statement does not name them, so nothing protects them"
)

// checkFile says what became of a file that is there.
func (c *certificate) checkFile(name string) (became string, err error) {
	digest := sha256.New()
	if err := c.files.copy(name, digest); err != nil {
		return "", err
	}
	isStated := func(sum []byte) bool { return "sha256:"+hex.EncodeToString(sum) == c.stated[name] }
	if isStated(digest.Sum(nil)) {
		return asStated, nil
	}
	content, err := c.files.read(name)
	right := mend(content)
	switch sum := sha256.Sum256(right); {
	case isStated(sum[:]):
		c.files[name] = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(right)), nil }
		return mended, err
	case bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/")):
		return pointer, err
	}
	return changed, err
}

// mend returns a text file with the line ends that it was written with, and without a byte order mark.
func mend(content []byte) []byte {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// ofCarrier reports whether an operating system or an archive program made a file by itself.
func ofCarrier(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, "._") ||
		slices.Contains([]string{".DS_Store", "Thumbs.db", "desktop.ini"}, base)
}
