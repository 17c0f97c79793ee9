package verify

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// checkFiles compares each file with its digest in the statement. Line ends that git or an editor changed on the way
// are told apart from other changes, and undone.
func (c *certificate) checkFiles() error {
	var changed, gone, mended, unnamed []string
	for _, name := range slices.Sorted(maps.Keys(c.stated)) {
		if c.files[name] == nil {
			gone = append(gone, name)
			continue
		}
		content, err := c.files.read(name)
		if err != nil {
			return err
		}
		c.intact[name] = exchange.DigestOf(content) == c.stated[name]
		if c.intact[name] {
			continue
		}
		right := mend(content)
		if c.intact[name] = exchange.DigestOf(right) == c.stated[name]; !c.intact[name] {
			changed = append(changed, name)
			continue
		}
		mended = append(mended, name)
		c.files[name] = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(right)), nil }
	}
	if content := c.contents[report.StatementFile]; !bytes.Equal(content, mend(content)) {
		mended = append(mended, report.StatementFile)
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if c.stated[name] == "" && name != report.StatementFile && name != report.SignatureFile {
			unnamed = append(unnamed, name)
		}
	}
	line := func(state State, title, text string, names []string) {
		if len(names) > 0 {
			c.add(state, title, text, strings.Join(names, ", "))
		}
	}
	line(Breaks, filesLine, "changed since the statement was made: %s", changed)
	line(Breaks, filesLine, "missing, perhaps lost on the way: %s; ask for the whole folder", gone)
	if len(changed)+len(gone) == 0 {
		c.add(Holds, filesLine, "%s are those of %s", wording.Count(len(c.stated), "file"), report.StatementFile)
	}
	line(Remark, filesLine, "only line ends, or a byte order mark, were changed on the way, as git and editors do: %s",
		mended)
	line(Remark, "other files", "%s: the statement does not name them, so nothing protects them", unnamed)
	return nil
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
