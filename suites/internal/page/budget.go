package page

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/wording"
)

// Bounds of a page, in entries. The catalogue has 78 rows; a report has 53 open points and 37 libraries.
const (
	mostRows    = 120
	mostColumns = 8   // versions, and what is compared between them
	mostEntries = 100 // of any other list
)

// Bounds of one text, in characters.
const (
	longestText = 1000
	longestName = 120
	briefText   = 40 // once the texts have used their part of the page
)

// Parts of MaxSize, in bytes: the templates with their style and script, and the largest cause, example or group.
const (
	markupBytes = 1_000_000
	largestPart = 600_000
)

// budget bounds what a page holds while its view is built, so that it is rendered only once. Every text from outside
// goes through it.
type budget struct {
	room    int    // bytes left
	brief   int    // texts are cut short with less room than this
	data    string // the file that has everything
	anchors anchors
}

// newBudget lets texts use so many bytes in full.
func newBudget(data string, full int) *budget {
	return &budget{MaxSize - markupBytes, MaxSize - markupBytes - full, data, anchors{}}
}

// cut makes a text printable, on one line, and no longer than so many characters.
func (b *budget) cut(s string, most int) string {
	if b.room < b.brief {
		most = min(most, briefText)
	}
	s = redact.Printable(s, most)
	b.charge(sizeOf(s))
	return s
}

func (b *budget) text(s string) string { return b.cut(s, longestText) }

// name is a short text, such as an id or a version.
func (b *budget) name(s string) string { return b.cut(s, longestName) }

func (b *budget) operation(o schemas.Operation) schemas.Operation {
	return schemas.Operation(b.name(string(o)))
}

// charge takes bytes from the room.
func (b *budget) charge(size int) { b.room -= size }

// full reports whether no other cause, example or group may be added.
func (b *budget) full() bool { return b.room < largestPart }

// sizeOf is how many bytes a text has at most as html/template escapes it: one of five for some characters.
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

// lines is text of several lines.
func (b *budget) lines(s string) string {
	all := strings.Split(s, "\n")
	kept := all[:min(len(all), mostEntries)]
	for i, line := range kept {
		kept[i] = b.text(line)
	}
	if more := len(all) - len(kept); more > 0 {
		kept = append(kept, fmt.Sprintf("… and %d more lines", more))
	}
	return strings.Join(kept, "\n")
}

// texts are those of a list.
func (b *budget) texts(list []string) []string {
	kept, more := upTo(b, list)
	out := make([]string, 0, len(kept)+1)
	for _, s := range kept {
		out = append(out, b.text(s))
	}
	if more != "" {
		out = append(out, more)
	}
	return out
}

// upTo gives the first entries of a list, and a sentence about the others.
func upTo[T any](b *budget, list []T) ([]T, string) {
	kept := list[:min(len(list), mostEntries)]
	return kept, b.rest(len(list)-len(kept), "entry", "entries")
}

// rest says how many entries are left out, and which file has them; "" for none.
func (b *budget) rest(n int, one, many string) string {
	if n <= 0 {
		return ""
	}
	return "… and " + wording.Plural(n, "more "+one, "more "+many) + ", in " + b.data
}
