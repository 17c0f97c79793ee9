package page

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// Limits on a page, in entries. The catalogue has 78 rows; a report has 53 open points and 37 libraries.
const (
	maxRows    = 120
	maxColumns = 8   // versions, and the comparison between them
	maxEntries = 100 // for any other list
)

// Limits on one text, in characters.
const (
	longestText = 1000
	longestName = 120
	briefText   = 40 // once the texts have used their part of the page
)

// Parts of MaxSize in bytes: for the templates with style and script, and for the largest cause, example or group.
const (
	markupBytes = 1_000_000
	largestPart = 600_000
)

// budget limits the size of a page while its data is built, so that it is rendered only once. Every text from outside
// must pass through it.
type budget struct {
	remaining int    // bytes left
	brief     int    // if less remains, texts are cut short
	data      string // the file that contains everything
	anchors   anchors
}

// newBudget returns the budget of a page. Texts appear in full until they have used the given number of bytes.
func newBudget(data string, full int) *budget {
	return &budget{MaxSize - markupBytes, MaxSize - markupBytes - full, data, anchors{}}
}

// cut makes a text printable, on one line, with at most the given number of characters, and charges it.
func (b *budget) cut(s string, limit int) string {
	if b.remaining < b.brief {
		limit = min(limit, briefText)
	}
	s = report.Printable(s, limit)
	b.charge(sizeOf(s))
	return s
}

func (b *budget) text(s string) string { return b.cut(s, longestText) }

// name cuts a short text, such as an id or a version.
func (b *budget) name(s string) string { return b.cut(s, longestName) }

func (b *budget) operation(o schemas.Operation) schemas.Operation {
	return schemas.Operation(b.name(string(o)))
}

// charge subtracts bytes from what remains.
func (b *budget) charge(size int) { b.remaining -= size }

// isFull reports whether too little remains for another cause, example or group.
func (b *budget) isFull() bool { return b.remaining < largestPart }

// sizeOf returns the maximum size of a text in bytes after html/template has escaped it: some characters become five
// bytes.
func sizeOf(s string) int {
	size := len(s)
	for _, c := range []byte(s) {
		switch c {
		case '"', '&', '\'', '+', '<', '>':
			size += len("&#34;") - 1
		}
	}
	return size
}

// lines cuts a text of several lines: it limits the number of lines, and cuts each line.
func (b *budget) lines(s string) string {
	all := strings.Split(s, "\n")
	kept := all[:min(len(all), maxEntries)]
	for i, line := range kept {
		kept[i] = b.text(line)
	}
	if more := len(all) - len(kept); more > 0 {
		kept = append(kept, fmt.Sprintf("… and %d more lines", more))
	}
	return strings.Join(kept, "\n")
}

// texts cuts a list of texts and, if necessary, adds a sentence about the omitted ones.
func (b *budget) texts(list []string) []string {
	shown, more := upTo(b, list, b.text)
	if more != "" {
		shown = append(shown, more)
	}
	return shown
}

// upTo converts the first entries of a list, and returns them with a sentence about the omitted ones; "" if there are
// none.
func upTo[T, U any](b *budget, list []T, convert func(T) U) ([]U, string) {
	kept := make([]U, min(len(list), maxEntries))
	for i := range kept {
		kept[i] = convert(list[i])
	}
	return kept, b.rest(len(list)-len(kept), "entry", "entries")
}

// rest returns a sentence with the number of omitted entries and the file that has them; "" for none.
func (b *budget) rest(n int, one, many string) string {
	if n <= 0 {
		return ""
	}
	return "… and " + wording.Plural(n, "more "+one, "more "+many) + ", in " + b.data
}

// anchors are the ids in use. The ids of a page must be unique.
type anchors map[string]bool

// add returns a new id made of parts, such as 2.1/CreatedOn/v5. A character that a URL's fragment would have to escape
// becomes an underscore, so that id and fragment are equal (RFC 3986, section 3.5). Every such id has a slash; the ids
// in the templates have none.
func (a anchors) add(parts ...string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-._~/=", r):
			return r
		}
		return '_'
	}, strings.Join(parts, "/"))
	if name = name[:min(len(name), longestAnchor)]; !strings.Contains(name, "/") {
		name = "/" + name
	}
	id := name
	for i := 2; a[id]; i++ {
		id = fmt.Sprintf("%s~%d", name, i)
	}
	a[id] = true
	return id
}

// longestAnchor is the maximum length of an id in bytes. The ids of the catalogue are far shorter.
const longestAnchor = 120
