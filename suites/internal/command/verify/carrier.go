package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	var changed, missing, mended, pointers, unnamed []string
	names := c.files.Names()
	for _, name := range slices.Sorted(maps.Keys(c.stated)) {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
			continue
		}
		digest, err := digestOf(c.files, name)
		if err != nil {
			return err
		}
		intact := digest == c.stated[name]
		if !intact {
			content, err := read(c.files, name)
			if err != nil {
				return err
			}
			right := mend(content)
			switch sum := sha256.Sum256(right); {
			case "sha256:"+hex.EncodeToString(sum[:]) == c.stated[name]:
				c.mended[name], intact = right, true
				mended = append(mended, name)
			case bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/")):
				pointers = append(pointers, name)
			default:
				changed = append(changed, name)
			}
		}
		c.intact = c.intact || intact && name == report.EvidenceFile
	}
	if content := c.contents[report.StatementFile]; !bytes.Equal(content, mend(content)) {
		mended = append(mended, report.StatementFile)
	}
	for _, name := range names {
		if c.stated[name] == "" && name != report.StatementFile && name != report.SignatureFile {
			unnamed = append(unnamed, name)
		}
	}
	const name = filesLine
	list := func(names []string) string { return strings.Join(names, ", ") }
	if len(changed) > 0 {
		c.add(Breaks, name, "changed since the statement was made: %s", list(changed))
	}
	if len(pointers) > 0 {
		c.add(Breaks, name, "not here but a pointer of Git LFS: %s; run git lfs pull", list(pointers))
	}
	if len(missing) > 0 {
		c.add(Breaks, name, "missing, perhaps lost on the way: %s; ask for the whole folder", list(missing))
	}
	if len(changed)+len(pointers)+len(missing) == 0 {
		c.add(Holds, name, "%s are those of %s", wording.Count(len(c.stated), "file"), report.StatementFile)
	}
	if len(mended) > 0 {
		c.add(Remark, name, "only line ends, or a byte order mark, were changed on the way, as git and editors do: %s",
			list(mended))
	}
	if len(unnamed) > 0 {
		c.add(Remark, "other files", "%s: the statement does not name them, so nothing protects them", list(unnamed))
	}
	return nil
}

// digestOf returns the digest of a file, sha256:….
func digestOf(files Files, name string) (string, error) {
	opened, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	digest := sha256.New()
	n, err := io.Copy(digest, io.LimitReader(opened, maxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s can't be read: %w", name, err)
	case n > maxFile:
		return "", tooLarge(name)
	}
	return "sha256:" + hex.EncodeToString(digest.Sum(nil)), nil
}

// mend returns a text file with the line ends that it was written with, and without a byte order mark.
func mend(content []byte) []byte {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// open opens a file, as it was written.
func (c *certificate) open(name string) (io.ReadCloser, error) {
	if content, was := c.mended[name]; was {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	return c.files.Open(name)
}

// ofCarrier reports whether an operating system or an archive program made a file by itself.
func ofCarrier(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, "._") ||
		slices.Contains([]string{".DS_Store", "Thumbs.db", "desktop.ini"}, base)
}
