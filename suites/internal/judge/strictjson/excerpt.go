package strictjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Excerpt is what is kept of a decoded value: enough to show it.
type Excerpt struct {
	Beginning        // of the value as compact JSON, members sorted by name
	Type      string // as TypeOf names it; "" if there is no value
	Length    int    // in characters, elements or members; 0 for other types
	// Members has the first names of an object, in their order, each cut if it is long.
	Members [maxMembers]string
}

// Beginning is the beginning of a text, with the length of the whole.
type Beginning struct {
	Text       string
	Characters int  // of the whole text
	AtLeast    bool // the text has more characters than that
}

// Limits on what an excerpt keeps and looks at, in bytes: a hostile answer may have many large values.
const (
	maxKept = 4 << 10
	maxRead = 64 << 10
	// Names of members.
	maxMembers = 3
	maxOfName  = 64
)

// ExcerptOf returns the excerpt of a decoded value.
func ExcerptOf(value any) Excerpt {
	text, more := Text(value, maxRead)
	e := Excerpt{Type: TypeOf(value), Beginning: BeginningOf(text)}
	e.AtLeast = more
	switch v := value.(type) {
	case string:
		e.Length = utf8.RuneCountInString(v)
	case []any:
		e.Length = len(v)
	case map[string]any:
		e.Length = len(v)
		for i, name := range slices.Sorted(maps.Keys(v))[:min(len(v), maxMembers)] {
			e.Members[i] = strings.ToValidUTF8(name[:min(len(name), maxOfName)], "")
		}
	}
	return e
}

// BeginningOf returns the beginning of a text.
func BeginningOf(text string) Beginning {
	b := Beginning{Text: text, Characters: utf8.RuneCountInString(text)}
	if len(text) > maxKept {
		end := maxKept
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		b.Text = text[:end]
	}
	return b
}

// Text returns a decoded value as compact JSON, members sorted by name. Numbers keep their text. After about limit
// bytes it stops and returns true; 0 means no limit.
func Text(value any, limit int) (text string, more bool) {
	w := textWriter{limit: limit}
	w.value(value)
	return string(w.out), w.full()
}

type textWriter struct {
	out   []byte
	limit int
}

func (t *textWriter) full() bool { return t.limit > 0 && len(t.out) > t.limit }

func (t *textWriter) value(value any) {
	switch v := value.(type) {
	case nil:
		t.out = append(t.out, "null"...)
	case bool:
		t.out = fmt.Append(t.out, v)
	case string:
		t.string(v)
	case json.Number:
		t.out = append(t.out, v...)
	case []any:
		t.array(v)
	case map[string]any:
		t.object(v)
	}
}

func (t *textWriter) array(elements []any) {
	t.out = append(t.out, '[')
	for i, element := range elements {
		if t.full() {
			return
		}
		t.comma(i)
		t.value(element)
	}
	t.out = append(t.out, ']')
}

func (t *textWriter) object(members map[string]any) {
	t.out = append(t.out, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if t.full() {
			return
		}
		t.comma(i)
		t.string(name)
		t.out = append(t.out, ':')
		t.value(members[name])
	}
	t.out = append(t.out, '}')
}

func (t *textWriter) comma(i int) {
	if i > 0 {
		t.out = append(t.out, ',')
	}
}

// string writes a string literal. Characters that are not IsPlain become escapes.
func (t *textWriter) string(text string) {
	t.out = append(t.out, '"')
	for i, r := range text {
		if t.full() {
			return
		}
		switch {
		case r == utf8.RuneError:
			// A byte that is not UTF-8 is kept.
			_, width := utf8.DecodeRuneInString(text[i:])
			t.out = append(t.out, text[i:i+width]...)
		case r == '"' || r == '\\':
			t.out = append(t.out, '\\', byte(r))
		case IsPlain(r):
			t.out = utf8.AppendRune(t.out, r)
		case r == '\n':
			t.out = append(t.out, `\n`...)
		case r == '\r':
			t.out = append(t.out, `\r`...)
		case r == '\t':
			t.out = append(t.out, `\t`...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			t.out = fmt.Appendf(t.out, `\u%04x\u%04x`, high, low)
		default:
			t.out = fmt.Appendf(t.out, `\u%04x`, r)
		}
	}
	t.out = append(t.out, '"')
}

// IsPlain reports whether a character is visible and has no other effect. unicode.IsPrint also accepts letters and
// marks without a shape, which can hide text.
func IsPlain(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
