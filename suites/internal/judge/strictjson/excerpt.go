package strictjson

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	return Beginning{Text: cut(text, maxKept), Characters: utf8.RuneCountInString(text)}
}

// Text returns a decoded value as compact JSON, members sorted by name. Numbers keep their text. After about limit
// bytes it stops and returns true; 0 means no limit.
func Text(value any, limit int) (text string, more bool) {
	w := textWriter{limit: limit}
	w.value(value)
	return string(w.out), w.full()
}

// Canonical returns a text that is the same for equal decoded values only: Text with numbers by their exact values.
func Canonical(value any) string {
	w := textWriter{exact: true}
	w.value(value)
	return string(w.out)
}

type textWriter struct {
	out   []byte
	limit int
	exact bool // numbers by their exact values
}

func (t *textWriter) full() bool { return t.limit > 0 && len(t.out) > t.limit }

func (t *textWriter) value(value any) {
	switch v := value.(type) {
	case nil:
		t.out = append(t.out, "null"...)
	case bool:
		t.out = strconv.AppendBool(t.out, v)
	case string:
		t.string(v)
	case json.Number:
		if t.exact {
			v = json.Number(ParseDecimal(v).String())
		}
		t.out = append(t.out, v...)
	case []any:
		t.parts("[]", len(v), func(i int) { t.value(v[i]) })
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		t.parts("{}", len(v), func(i int) {
			t.string(names[i])
			t.out = append(t.out, ':')
			t.value(v[names[i]])
		})
	}
}

// parts writes elements or members between brackets, or only the first of them if they go past the limit.
func (t *textWriter) parts(brackets string, count int, write func(i int)) {
	t.out = append(t.out, brackets[0])
	for i := range count {
		if t.full() {
			return
		}
		if i > 0 {
			t.out = append(t.out, ',')
		}
		write(i)
	}
	t.out = append(t.out, brackets[1])
}

// string writes a string literal, or its beginning if it goes past the limit.
func (t *textWriter) string(text string) {
	whole := len(text)
	if t.limit > 0 {
		text = cut(text, max(0, t.limit-len(t.out)))
	}
	if t.out = AppendQuoted(t.out, text); len(text) < whole {
		t.out = t.out[:len(t.out)-1]
	}
}

// cut returns at most limit bytes of a text, and no part of a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
