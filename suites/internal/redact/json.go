package redact

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a decoded JSON value as compact JSON on one line. Members are sorted by name and numbers keep their
// text. Characters that Printable would change become JSON escapes. The result is cut to limit characters; 0 cuts
// nothing.
//
// If the JSON is far longer than limit, only its beginning is produced; the text then ends with its least total length.
func JSON(value any, limit int) string {
	w := writeJSON(value, limit)
	return printable(string(w.out), limit, w.full())
}

// ShowJSON is JSON with secrets replaced. They are replaced before the text is cut.
func (s *Secrets) ShowJSON(value any, limit int) string {
	w := writeJSON(value, limit)
	return printable(s.Clean(string(w.out)), limit, w.full())
}

func writeJSON(value any, limit int) jsonWriter {
	w := jsonWriter{limit: limit*utf8.UTFMax + jsonBeside}
	if limit <= 0 {
		w.limit = 0
	}
	w.value(value)
	return w
}

// jsonBeside is how many bytes of JSON are produced beyond the limit, because redaction makes a text shorter.
const jsonBeside = 64 << 10

// jsonWriter writes JSON up to about limit bytes; 0 means no limit.
type jsonWriter struct {
	out   []byte
	limit int
}

func (w *jsonWriter) full() bool { return w.limit > 0 && len(w.out) > w.limit }

func (w *jsonWriter) value(value any) {
	switch v := value.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = fmt.Append(w.out, v)
	case string:
		w.string(v)
	case json.Number:
		w.out = append(w.out, v...)
	case []any:
		w.array(v)
	case map[string]any:
		w.object(v)
	default:
		w.other(v)
	}
}

func (w *jsonWriter) array(elements []any) {
	w.out = append(w.out, '[')
	for i, element := range elements {
		if w.full() {
			return
		}
		w.comma(i)
		w.value(element)
	}
	w.out = append(w.out, ']')
}

func (w *jsonWriter) object(members map[string]any) {
	w.out = append(w.out, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if w.full() {
			return
		}
		w.comma(i)
		w.string(name)
		w.out = append(w.out, ':')
		w.value(members[name])
	}
	w.out = append(w.out, '}')
}

func (w *jsonWriter) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
}

func (w *jsonWriter) string(text string) {
	w.out = append(w.out, '"')
	for i, r := range text {
		if w.full() {
			return
		}
		switch {
		case r == utf8.RuneError:
			// A byte that is not UTF-8 is kept: Printable shows its value.
			_, width := utf8.DecodeRuneInString(text[i:])
			w.out = append(w.out, text[i:i+width]...)
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case isPlain(r):
			w.out = utf8.AppendRune(w.out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			w.out = fmt.Appendf(w.out, `\u%04x\u%04x`, high, low)
		default:
			w.out = append(w.out, codePoint(r)...)
		}
	}
	w.out = append(w.out, '"')
}

// other writes a value of a type that JSON does not decode to, with encoding/json.
func (w *jsonWriter) other(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		w.string(fmt.Sprintf("no JSON: %v", err))
		return
	}
	w.out = append(w.out, text...)
}
