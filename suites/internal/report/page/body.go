package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
)

// Limits on a body: values that are parsed, levels that are unfolded or indented, characters in a line, and number of
// lines.
const (
	maxValues    = 50_000
	maxDepth     = 200
	maxIndent    = 40
	longestValue = 300
	maxLines     = 80
	linesLead    = 25 // of these, before the marked line

	// longestPointer is in bytes; no finding names a longer one. Each line has its own, so that a name of a megabyte
	// would be kept for each element below it.
	longestPointer = 1200
)

// body is a body in the form to show: the lines of a JSON value, or of a text.
type body struct {
	lines  []line
	isJSON bool
	notes  []string // what is missing from it
}

// line is one line of a body. A JSON value has one for each member and element, as it was written: it keeps duplicate
// members, and the spelling of numbers and strings.
type line struct {
	Text        string
	Highlighted bool // a finding names this place

	pointer string // of the value that begins here; noValue if none does
	raw     string // of a scalar
	record  string // the element of the outermost list: its index, or what identifies it
	depth   int
	comma   bool // ignored when lines are compared
}

// noValue is no JSON Pointer.
const noValue = "no value begins here"

// Indent returns the white space before a line.
func (l line) Indent() string { return strings.Repeat("  ", min(l.depth, maxIndent)) }

// End returns the comma after a line, or "".
func (l line) End() string {
	if l.comma {
		return ","
	}
	return ""
}

// bodyOf prepares an answer's body for the page.
func bodyOf(k *evidence.Entry, sorted bool) *body {
	switch {
	case len(k.Body) > 0:
		return formatBody(k.Body, k.Cut != nil, sorted)
	case k.Empty() && k.Fault == nil:
		return &body{notes: []string{"The body is empty."}}
	}
	return &body{}
}

// formatBody parses a body. If it was cut or is too large, only the beginning is parsed. Members are sorted by name if
// their order must not show.
func formatBody(content []byte, cut, sorted bool) *body {
	p := parser{strictjson.NewDecoder(content), maxValues, sorted}
	lines, whole := p.lines(line{})
	// The beginning of a cut body proves to be JSON only if it is an object or an array.
	if lines == nil || cut && lines[0].raw != "" || !cut && !strictjson.IsJSON(content) {
		return &body{lines: plainLines(string(content)), notes: []string{"The body is no JSON; it is shown as text."}}
	}
	out := &body{lines: lines, isJSON: true}
	if !whole && !cut {
		out.notes = []string{"The body is large; only its beginning was read for this page."}
	}
	return out
}

// parser makes lines of a JSON text.
type parser struct {
	*strictjson.Decoder
	left   int  // values that may still be read
	sorted bool // members by name
}

// lines parses the next value. first has what is known of its first line. It returns nil if there is no value, and
// whether the value was read to its end.
func (p *parser) lines(first line) (list []line, whole bool) {
	if p.left--; p.left < 0 {
		return nil, false
	}
	open := p.PeekKind()
	if open != '{' && open != '[' || first.depth == maxDepth {
		raw, err := p.ReadValue()
		if err != nil {
			return nil, false
		}
		first.raw = string(raw)
		first.Text += report.Printable(first.raw, longestValue)
		return []line{first}, true
	}
	parts, whole := p.parts(first)
	end := string(open + 2) // '[' and ']', '{' and '}'
	if whole && len(parts) == 0 {
		first.Text += string(open) + end
		return []line{first}, true
	}
	if p.sorted && open == '{' {
		slices.SortStableFunc(parts, func(a, b []line) int { return cmp.Compare(a[0].pointer, b[0].pointer) })
	}
	first.Text += string(open)
	list = []line{first}
	for i, part := range parts {
		part[len(part)-1].comma = i+1 < len(parts)
		list = append(list, part...)
	}
	last := line{Text: end, pointer: noValue, depth: first.depth, record: first.record}
	if !whole {
		if list[len(list)-1].Text == "…" {
			return list, false
		}
		last.Text, last.depth = "…", first.depth+1
	}
	return append(list, last), whole
}

// parts parses the members or elements of an object or array, each as lines, and reports whether it came to the end.
func (p *parser) parts(of line) (parts [][]line, whole bool) {
	open, err := p.ReadToken()
	for err == nil && p.PeekKind() != open.Kind()+2 {
		token := strconv.Itoa(len(parts))
		next := line{depth: of.depth + 1, record: of.record}
		switch {
		case open.Kind() == '{':
			name, err := p.ReadValue()
			if err != nil {
				return parts, false
			}
			token = strictjson.Unquoted(string(name))
			next.Text = report.Printable(string(name), longestName) + ": "
		case of.depth == 0:
			next.record = token
		}
		if next.pointer = strictjson.Pointer(of.pointer, token); len(next.pointer) > longestPointer {
			next.pointer = noValue
		}
		part, whole := p.lines(next)
		if part != nil {
			parts = append(parts, part)
		}
		if !whole {
			return parts, false
		}
	}
	if err == nil {
		_, err = p.ReadToken()
	}
	return parts, err == nil
}

// highlight marks the value that a JSON Pointer names, or the innermost existing one around it. If a member is
// duplicated, the last one counts. The pointer "" marks nothing: highlighting the whole body would not help.
func highlight(lines []line, pointer string) {
	if !strings.HasPrefix(pointer, "/") {
		return
	}
	i := lineAt(lines, pointer)
	for i < 0 {
		pointer = pointer[:strings.LastIndex(pointer, "/")]
		i = lineAt(lines, pointer)
	}
	lines[i].Highlighted = true
}

// lineAt returns the index of the line at which a value begins; -1 if there is none.
func lineAt(lines []line, pointer string) int {
	for i, l := range slices.Backward(lines) {
		if l.pointer == pointer {
			return i
		}
	}
	return -1
}

// plainLines returns the beginning of a text that is not JSON.
func plainLines(text string) []line {
	var list []line
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, l := range all[:min(len(all), maxLines-1)] {
		list = append(list, line{Text: report.Printable(strings.TrimSuffix(l, "\r"), longestValue)})
	}
	return appendRest(list, len(all)-len(list))
}

// appendRest appends a line with the number of omitted lines.
func appendRest(list []line, n int) []line {
	if n <= 0 {
		return list
	}
	return append(list, line{Text: fmt.Sprintf("… %s", wording.Count(n, "line"))})
}

// excerpt returns all lines if they are few, else those around the first marked one.
func excerpt(lines []line) []line {
	if len(lines) <= maxLines {
		return lines
	}
	marked := slices.IndexFunc(lines, func(l line) bool { return l.Highlighted })
	start := min(max(0, marked-linesLead), len(lines)-maxLines)
	kept := append(appendRest(nil, start), lines[start:start+maxLines]...)
	return appendRest(kept, len(lines)-start-maxLines)
}
