package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/folder"
)

// Members of report.json that need not be the same: what another release may word or count in another way, and what
// follows from rows that can't be judged again.
var (
	ofRelease = []string{"excluded", "fingerprints", "observations", "rootCauses", "settings", "suite", "unsteady"}
	ofRows    = []string{"certifies", "complete", "counts", "lacking", "observations", "rootCauses", "unsteady",
		"validUntil", "verdict"}
)

// compareMembers says how the members of the report but its rows differ from those of one made again.
func (c *certificate) compareMembers(again *report.Report, whole, open bool) (differing []string) {
	said, shown := membersOf(&c.report), membersOf(again)
	all := maps.Clone(said)
	maps.Copy(all, shown)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "requirements" || !whole && slices.Contains(ofRelease, name) ||
			open && slices.Contains(ofRows, name) || bytes.Equal(said[name], shown[name]) {
			continue
		}
		differing = append(differing, name+": "+differ(said[name], shown[name]))
	}
	return differing
}

func membersOf(r *report.Report) (members map[string]json.RawMessage) {
	var text, compact bytes.Buffer
	_ = report.WriteJSON(&text, r) // into memory, what is JSON
	_ = json.Compact(&compact, text.Bytes())
	_ = json.Unmarshal(compact.Bytes(), &members)
	return members
}

// differ says how two texts differ, from shortly before their first difference.
func differ(said, shown []byte) string {
	at := 0
	for at < min(len(said), len(shown)) && said[at] == shown[at] {
		at++
	}
	if at -= 50; at <= 0 {
		return fmt.Sprintf("the report says %.100s, the evidence %.100s", said, shown)
	}
	return fmt.Sprintf("the report says …%.100s, the evidence …%.100s", said[at:], shown[at:])
}

// compareFiles makes all files but the evidence and the statement again, and names those that have other bytes. Only
// those of a run that certifies need nothing else: other files name the folder, or an earlier certificate. What left
// matches is not compared; nil matches nothing.
func (c *certificate) compareFiles(again *report.Report, store evidence.Store, left *regexp.Regexp) (differing []string,
	err error) {
	content := folder.Content{Report: again, Store: store}
	for _, file := range content.Files(nil) {
		if !c.intact[file.Name] {
			continue
		}
		var made bytes.Buffer
		err := file.Write(&made)
		is, other := c.files.read(file.Name)
		if err = cmp.Or(err, other); err != nil {
			return nil, err
		}
		should := made.Bytes()
		if left != nil {
			is, should = left.ReplaceAll(is, nil), left.ReplaceAll(should, nil)
		}
		if !bytes.Equal(is, should) {
			differing = append(differing, file.Name+" is not what report and evidence give")
		}
	}
	return differing, nil
}

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
